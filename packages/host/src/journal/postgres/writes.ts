import { createHash } from 'node:crypto';
import type { JournalWrite } from '../journal.ts';
import type { OutcomeKey } from '../rows.ts';
import { titleIn } from '../search/text.ts';
import { checkSeq } from '../sequence-numbers.ts';
import type { Statements, Value } from './connection.ts';
import { lexemesOf } from './lexemes.ts';
import { keyOf, longOf } from './stored-text.ts';
import { PostgresTurnWriter } from './turns.ts';

type EnvelopeWrite = Extract<JournalWrite, { op: 'envelope' }>;
type ChannelWrite = Extract<JournalWrite, { op: 'channel' }>;

/** Size of the caches of stale channels and of titles. */
const KNOWN_LIMIT = 10_000;

/** The digest by which the outcome of a dispatch is found: the texts together could exceed the size of an index entry. */
export function originOf({ clientId, epoch, clientSeq }: OutcomeKey): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([clientId, epoch, clientSeq]))
    .digest();
}

/** Cache of values of the committed rows, which saves queries. A failed transaction invalidates it. */
export interface WriterState {
  /** `total` and `seq` of the newest envelope. */
  total: number;
  lastSeq: number;
  readonly stale: Set<string>;
  readonly plain: Set<string>;
  readonly titles: Map<string, string>;
}

/** Applies the writes of one transaction. Statements are sent at once, without waiting for those before. */
export class PostgresWriter {
  readonly #statements: Statements;
  readonly #state: WriterState;
  readonly #folder: string;
  readonly #turns: PostgresTurnWriter;
  readonly #sent: Promise<unknown>[] = [];
  #failure: { readonly error: unknown } | undefined;

  /** `folder`: id of the host's data folder; see `FolderOfCell`. */
  constructor(statements: Statements, state: WriterState, folder: string) {
    this.#statements = statements;
    this.#folder = folder;
    this.#state = state;
    this.#turns = new PostgresTurnWriter(
      statements,
      (sql, ...values) => this.#send(sql, ...values),
      state.plain,
    );
  }

  /** Sends a whole batch. Rejects with the first failure. */
  async apply(writes: readonly JournalWrite[]): Promise<void> {
    try {
      // No other write of a batch depends on whether an envelope of it is there already.
      this.#envelopes(writes.filter((write) => write.op === 'envelope'));
      for (const write of writes) await this.#apply(write);
    } catch (error) {
      this.#failure ??= { error };
    }
    await Promise.all(this.#sent);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #send(sql: string, ...values: readonly Value[]): void {
    const sent = this.#statements.run(sql, ...values).catch((error: unknown) => {
      // Statements after a failed one fail too, with a less specific error.
      this.#failure ??= { error };
    });
    this.#sent.push(sent);
  }

  /** Resolves at once if the write does not depend on rows of the server. */
  #apply(write: JournalWrite): Promise<void> | undefined {
    switch (write.op) {
      case 'envelope':
        return undefined;
      case 'channel':
        this.#channel(write);
        return undefined;
      case 'local':
        this.#send(
          'UPDATE agenthost.channels SET local = $3, bytes = $4 + state_bytes WHERE cell = $1 AND uri = $2',
          keyOf(write.uri),
          write.local,
          Buffer.byteLength(write.local),
        );
        return undefined;
      case 'dropChannel':
        this.#dropChannel(write.uri);
        return this.#turns.dropAll(write.uri);
      case 'markOpen':
        this.#send(
          'INSERT INTO agenthost.open_channels (cell, uri, long_uri) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          keyOf(write.uri),
          longOf(write.uri),
        );
        return undefined;
      case 'markClosed':
        this.#send('DELETE FROM agenthost.open_channels WHERE cell = $1 AND uri = $2', keyOf(write.uri));
        return undefined;
      case 'turn':
        return this.#turns.turn(write);
      case 'dropTurns':
        return this.#turns.dropTurns(write);
      case 'copyTurns':
        return this.#turns.copy(write);
      case 'moveChat':
        this.#send(
          'UPDATE agenthost.channels SET session = $3, long_session = $4 WHERE cell = $1 AND uri = $2',
          keyOf(write.chat),
          keyOf(write.session),
          longOf(write.session),
        );
        return this.#turns.move(write);
      case 'dropContents':
        return this.#turns.dropContents(write.chat, write.turnId);
      case 'session':
        this.#send(
          `INSERT INTO agenthost.sessions (cell, uri, long_uri, modified_at, summary) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (cell, uri) DO UPDATE SET modified_at = excluded.modified_at, summary = excluded.summary`,
          keyOf(write.uri),
          longOf(write.uri),
          write.modifiedAt,
          write.summary,
        );
        this.#title(write.uri, write.summary, false);
        return undefined;
      case 'dropSession':
        this.#send('DELETE FROM agenthost.sessions WHERE cell = $1 AND uri = $2', keyOf(write.uri));
        this.#dropTitle(write.uri);
        this.#turns.dropSession(write.uri);
        return undefined;
      case 'content':
        return this.#turns.content(write);
      case 'copyContent':
        return this.#turns.copyContent(write);
      default:
        this.#alone(write);
        return undefined;
    }
  }

  /** Rows that depend on no others. */
  #alone(
    write: Extract<
      JournalWrite,
      { op: 'client' | 'dropClient' | 'token' | 'dropToken' | 'process' | 'dropProcess' | 'meta' }
    >,
  ): void {
    switch (write.op) {
      case 'client':
        return this.#send(
          `INSERT INTO agenthost.clients
             (cell, id, token_hash, version, epoch, last_client_seq, seen_at, subscriptions, locale, past_epochs)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           ON CONFLICT (cell, id) DO UPDATE SET token_hash = excluded.token_hash, version = excluded.version,
             epoch = excluded.epoch, last_client_seq = excluded.last_client_seq, seen_at = excluded.seen_at,
             subscriptions = excluded.subscriptions, locale = excluded.locale, past_epochs = excluded.past_epochs`,
          write.id,
          write.tokenHash,
          write.version,
          write.epoch ?? null,
          write.lastClientSeq,
          write.seenAt,
          write.subscriptions,
          write.locale ?? null,
          write.pastEpochs ?? null,
        );
      case 'dropClient':
        return this.#send('DELETE FROM agenthost.clients WHERE cell = $1 AND id = $2', write.id);
      case 'token':
        return this.#send(
          `INSERT INTO agenthost.tokens (cell, id, hash, name, scope, created_at, last_used_at, expires_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
           ON CONFLICT (cell, id) DO UPDATE SET hash = excluded.hash, name = excluded.name, scope = excluded.scope,
             created_at = excluded.created_at, last_used_at = excluded.last_used_at, expires_at = excluded.expires_at`,
          write.id,
          write.hash,
          write.name ?? null,
          write.scope,
          write.createdAt,
          write.lastUsedAt ?? null,
          write.expiresAt ?? null,
        );
      case 'dropToken':
        this.#send(
          `UPDATE agenthost.clients SET token_hash = '' WHERE cell = $1
             AND token_hash = (SELECT hash FROM agenthost.tokens WHERE cell = $1 AND id = $2)`,
          write.id,
        );
        return this.#send('DELETE FROM agenthost.tokens WHERE cell = $1 AND id = $2', write.id);
      case 'process':
        return this.#send(
          `INSERT INTO agenthost.processes (cell, folder, pid, start_time, command) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (cell, folder, pid) DO UPDATE SET start_time = excluded.start_time, command = excluded.command`,
          this.#folder,
          write.pid,
          write.startTime,
          write.command,
        );
      case 'dropProcess':
        return this.#send(
          'DELETE FROM agenthost.processes WHERE cell = $1 AND folder = $2 AND pid = $3',
          this.#folder,
          write.pid,
        );
      case 'meta':
        return this.#send(
          `INSERT INTO agenthost.meta (cell, key, value) VALUES ($1, $2, $3)
           ON CONFLICT (cell, key) DO UPDATE SET value = excluded.value`,
          write.key,
          write.value,
        );
      default:
        write satisfies never;
    }
  }

  /** Inserts all envelopes by one statement. */
  #envelopes(writes: readonly EnvelopeWrite[]): void {
    if (writes.length === 0) return;
    const state = this.#state;
    const totals: number[] = [];
    const sizes = writes.map(({ json }) => Buffer.byteLength(json));
    const stale = new Map<string, number>();
    for (const [index, { seq, channel }] of writes.entries()) {
      checkSeq(seq, state.lastSeq);
      state.lastSeq = seq;
      state.total += sizes[index] ?? 0;
      totals.push(state.total);
      const key = keyOf(channel);
      if (!state.stale.has(key) && !stale.has(key)) stale.set(key, seq);
    }
    this.#send(
      `INSERT INTO agenthost.envelopes (cell, seq, time, bytes, total, channel, long_channel, origin, json)
       SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
         $8::bytea[], $9::text[])`,
      writes.map(({ seq }) => seq),
      writes.map(({ time }) => time),
      sizes,
      totals,
      writes.map(({ channel }) => keyOf(channel)),
      writes.map(({ channel }) => longOf(channel)),
      writes.map(({ origin }) =>
        origin === undefined ? null : `\\x${Buffer.from(originOf(origin)).toString('hex')}`,
      ),
      writes.map(({ json }) => json),
    );
    if (stale.size === 0) return;
    this.#send(
      `INSERT INTO agenthost.stale (cell, channel, seq)
       SELECT $1, uri, added.seq FROM unnest($2::text[], $3::bigint[]) AS added (channel, seq)
         JOIN agenthost.channels ON channels.cell = $1 AND uri = added.channel AND channels.seq < added.seq
       ON CONFLICT DO NOTHING`,
      [...stale.keys()],
      [...stale.values()],
    );
    if (state.stale.size >= KNOWN_LIMIT) state.stale.clear();
    for (const key of stale.keys()) state.stale.add(key);
  }

  #channel(write: ChannelWrite): void {
    const key = keyOf(write.uri);
    if (write.kind === 'chat') this.#title(write.uri, write.state, true);
    this.#state.stale.delete(key);
    const stateBytes = Buffer.byteLength(write.state);
    this.#send(
      `INSERT INTO agenthost.channels
         (cell, uri, long_uri, kind, session, long_session, seq, local, state_bytes, bytes, state)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT (cell, uri) DO UPDATE SET kind = excluded.kind, session = excluded.session,
         long_session = excluded.long_session, seq = excluded.seq, local = excluded.local,
         state_bytes = excluded.state_bytes, bytes = excluded.bytes, state = excluded.state`,
      key,
      longOf(write.uri),
      write.kind,
      write.session === undefined ? null : keyOf(write.session),
      write.session === undefined ? null : longOf(write.session),
      write.seq,
      write.local,
      stateBytes,
      Buffer.byteLength(write.local) + stateBytes,
      write.state,
    );
    this.#send('DELETE FROM agenthost.stale WHERE cell = $1 AND channel = $2', key);
    this.#send(
      `INSERT INTO agenthost.stale (cell, channel, seq)
       SELECT cell, channel, seq FROM agenthost.envelopes
       WHERE cell = $1 AND channel = $2 AND seq > $3 ORDER BY seq LIMIT 1`,
      key,
      write.seq,
    );
  }

  #dropChannel(uri: string): void {
    const key = keyOf(uri);
    this.#state.stale.delete(key);
    this.#send('DELETE FROM agenthost.channels WHERE cell = $1 AND uri = $2', key);
    this.#send('DELETE FROM agenthost.open_channels WHERE cell = $1 AND uri = $2', key);
    this.#send('DELETE FROM agenthost.stale WHERE cell = $1 AND channel = $2', key);
    this.#dropTitle(uri);
  }

  /** The title of a session or a chat; `json` is its summary or its state. */
  #title(uri: string, json: string, isChat: boolean): void {
    const { titles } = this.#state;
    const key = keyOf(uri);
    const title = titleIn(json);
    if (titles.get(key) === title) return;
    if (titles.size >= KNOWN_LIMIT) titles.clear();
    if (title === '') this.#dropTitle(uri);
    else {
      this.#send(
        `INSERT INTO agenthost.titles (cell, uri, is_chat, title, words)
         VALUES ($1, $2, $3, $4, array_to_tsvector($5::text[]))
         ON CONFLICT (cell, uri) DO UPDATE SET title = excluded.title, words = excluded.words
           WHERE titles.title <> excluded.title`,
        key,
        isChat,
        title,
        lexemesOf(this.#statements.cell, [title]),
      );
    }
    titles.set(key, title);
  }

  #dropTitle(uri: string): void {
    const key = keyOf(uri);
    this.#state.titles.delete(key);
    this.#send('DELETE FROM agenthost.titles WHERE cell = $1 AND uri = $2', key);
  }
}
