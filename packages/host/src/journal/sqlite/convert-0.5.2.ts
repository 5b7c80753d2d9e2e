import type { DatabaseSync } from 'node:sqlite';
import {
  type ActionEnvelope,
  CHANNEL_KINDS,
  type ChannelKind,
  type ChannelState,
  reduceMirrored,
  type StateAction,
} from '@agenthost/protocol';
import { dialectOf, type Look } from '@agenthost/protocol/dialects';
import { Compressor, decompress } from './compression.ts';
import { ENVELOPE_COLUMNS, readEnvelopeRow } from './envelope-rows.ts';
import { DamageError } from './errors.ts';
import { number, type Row, Statements, text, textOrBytes } from './statements.ts';

/**
 * Converts a journal of protocol 0.5.2 to version 1.0, once [DIA-6]. Envelopes that a channel's state does not reflect yet are reduced into it.
 * No envelope is kept: clients that return get snapshots in place of replays, and a dispatch that they send again is refused as too old.
 */
export function convertJournal(database: DatabaseSync): void {
  const statements = new Statements(database);
  convertChannels(statements);
  convertTurns(statements);
  convertCatalogue(statements);
  dropEnvelopes(statements);
}

const BEFORE = dialectOf('0.5.2');

function convertChannels(statements: Statements): void {
  const compressor = new Compressor();
  const chatOfClaim = defaultChats(statements);
  const uris = statements.all('/* once */ SELECT uri FROM channels').map((row) => text(row, 'uri'));
  // One channel is in memory at a time.
  for (const uri of uris) {
    const row = statements.get(
      'SELECT kind, seq, local, state_bytes, state FROM channels JOIN states ON channel = uri WHERE uri = ?',
      uri,
    );
    const kind = CHANNEL_KINDS.find((known) => row !== undefined && known === text(row, 'kind'));
    if (row === undefined || kind === undefined) continue;
    const read = whole(() => {
      const stored: unknown = JSON.parse(decompress(textOrBytes(row, 'state'), number(row, 'state_bytes')));
      const converted = {
        state: BEFORE.stateUp(kind, stored, { channel: uri, chatOfClaim }),
        seq: number(row, 'seq'),
      };
      const reached = caughtUp(statements, { uri, kind, chatOfClaim }, converted);
      return { ...reached, local: localOf(kind, text(row, 'local')) };
    });
    if (read === undefined) continue;
    const { state, seq, local } = read;
    const json = JSON.stringify(state);
    statements.run(
      'UPDATE channels SET seq = ?, local = ?, state_bytes = ? WHERE uri = ?',
      seq,
      local,
      Buffer.byteLength(json),
      uri,
    );
    statements.run('UPDATE states SET state = ? WHERE channel = ?', compressor.compress(json), uri);
  }
}

type ChatOfClaim = NonNullable<Look['chatOfClaim']>;

/** The default chat of a session: the chat of claims that name none. */
function defaultChats(statements: Statements): ChatOfClaim {
  const known = new Map<string, string | undefined>();
  return (session) => {
    if (!known.has(session))
      known.set(
        session,
        whole(() => defaultChatOf(statements, session)),
      );
    return known.get(session);
  };
}

function defaultChatOf(statements: Statements, session: string): string | undefined {
  const row = statements.get(
    'SELECT state_bytes, state FROM channels JOIN states ON channel = uri WHERE uri = ?',
    session,
  );
  if (row === undefined) return undefined;
  const state: { readonly defaultChat?: string } = JSON.parse(
    decompress(textOrBytes(row, 'state'), number(row, 'state_bytes')),
  );
  return state.defaultChat;
}

interface Reached {
  readonly state: unknown;
  /** Number of the last envelope that the state reflects. */
  readonly seq: number;
}

/** The state after all envelopes of its channel. */
function caughtUp<K extends ChannelKind>(
  statements: Statements,
  { uri, kind, chatOfClaim }: { uri: string; kind: K; chatOfClaim: ChatOfClaim },
  { state: converted, seq: reflected }: Reached,
): Reached {
  let state = asState<K>(converted);
  let seq = reflected;
  const rows = statements.iterate(
    `SELECT ${ENVELOPE_COLUMNS} FROM envelopes WHERE channel = ? AND seq > ? ORDER BY seq`,
    uri,
    reflected,
  );
  try {
    for (const envelope of envelopesIn(rows)) {
      if (envelope.serverSeq <= seq) continue;
      const look = { channel: uri, before: state, now: envelope['x-time'] ?? 0, chatOfClaim };
      state = reduceMirrored(kind, state, asAction(BEFORE.actionUp(envelope.action, look)));
      seq = envelope.serverSeq;
    }
  } catch (error) {
    // Envelopes after a damaged one do not fit the state any more. The state before it is kept.
    if (!isDamage(error)) throw error;
  }
  // The turns of a chat are rows of their own.
  return { state: 'turns' in state ? { ...state, turns: [] } : state, seq };
}

function* envelopesIn(rows: Iterable<Row>): Iterable<ActionEnvelope> {
  for (const row of rows) {
    for (const { json } of readEnvelopeRow(row)) {
      // This host journaled the envelope after validation.
      const envelope: ActionEnvelope = JSON.parse(json);
      yield envelope;
    }
  }
}

/** A session's host data holds its entry in the catalogue. */
function localOf(kind: ChannelKind, local: string): string {
  if (kind !== 'session') return local;
  const data: { readonly summary?: unknown } = JSON.parse(local);
  return JSON.stringify({ ...data, summary: BEFORE.valueUp('SessionSummary', data.summary, {}) });
}

/** What a turn must contain to be changed. Most turns are not parsed. */
const MAY_CHANGE = /"(?:error|terminalComplete|workingDirectory|enabled)"/;

const TURNS_AT_ONCE = 1_000;

function convertTurns(statements: Statements): void {
  for (let after = -1; ; ) {
    const rows = statements.all(
      'SELECT key, json FROM turns WHERE key > ? ORDER BY key LIMIT ?',
      after,
      TURNS_AT_ONCE,
    );
    for (const row of rows) {
      after = number(row, 'key');
      const before = text(row, 'json');
      if (!MAY_CHANGE.test(before)) continue;
      const json = whole(() => JSON.stringify(BEFORE.valueUp('Turn', JSON.parse(before), {})));
      if (json === undefined || json === before) continue;
      statements.run(
        'UPDATE turns SET json = ?, bytes = ? WHERE key = ?',
        json,
        Buffer.byteLength(json),
        after,
      );
    }
    if (rows.length < TURNS_AT_ONCE) return;
  }
}

function convertCatalogue(statements: Statements): void {
  for (const row of statements.all('/* once */ SELECT uri, summary FROM sessions')) {
    const summary = whole(() => BEFORE.valueUp('SessionSummary', JSON.parse(text(row, 'summary')), {}));
    if (summary === undefined) continue;
    statements.run(
      'UPDATE sessions SET summary = ? WHERE uri = ?',
      JSON.stringify(summary),
      text(row, 'uri'),
    );
  }
}

function dropEnvelopes(statements: Statements): void {
  const last = statements.get('SELECT seq, time FROM envelopes ORDER BY seq DESC LIMIT 1');
  if (last === undefined) return;
  const keep = (key: string, value: number): void =>
    void statements.run('INSERT OR REPLACE INTO internal VALUES (?, ?)', key, String(value));
  keep('trimmedSeq', number(last, 'seq'));
  keep('trimmedTime', number(last, 'time'));
  statements.run('DELETE FROM envelopes');
  statements.run('DELETE FROM stale');
}

/** The result, or `undefined` for a damaged row: it stays as it is, and is reported when it is read. */
function whole<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

const isDamage = (error: unknown): boolean => error instanceof DamageError || error instanceof SyntaxError;

function asState<K extends ChannelKind>(state: unknown): ChannelState[K] {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- a host wrote it after validation
  return state as ChannelState[K];
}

function asAction(action: unknown): StateAction {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- a host wrote it after validation
  return action as StateAction;
}
