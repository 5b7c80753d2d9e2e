import { defined } from '@agenthost/protocol/values';
import type { SessionListOptions } from '../journal.ts';
import { listedRows } from '../listed-rows.ts';
import type {
  DiskUse,
  ListedClient,
  StoredChannel,
  StoredChannelHead,
  StoredClient,
  StoredContent,
  StoredEnvelope,
  StoredProcess,
  StoredSession,
  StoredToken,
} from '../rows.ts';
import { STATE_COLUMNS, storedState } from './compression.ts';
import { readDiskUse } from './disk-space.ts';
import { ENVELOPE_COLUMNS, readEnvelopeRow } from './envelope-rows.ts';
import {
  bytes,
  number,
  optionalNumber,
  optionalText,
  type Row,
  type Statements,
  text,
  UNLIMITED,
} from './statements.ts';

/** The reads of `Journal`, synchronously. */
export class SqliteReader {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  channel(uri: string): StoredChannel | undefined {
    const row = this.#statements.get(
      `SELECT kind, session, seq, local, ${STATE_COLUMNS} FROM channels JOIN states ON channel = uri WHERE uri = ?`,
      uri,
    );
    return row && { ...toHead(uri, row), state: storedState(row) };
  }

  channelHead(uri: string): StoredChannelHead | undefined {
    const row = this.#statements.get('SELECT kind, session, seq, local FROM channels WHERE uri = ?', uri);
    return row && toHead(uri, row);
  }

  envelopesAfter(channel: string, after: number, maxBytes: number): StoredEnvelope[] {
    const envelopes: StoredEnvelope[] = [];
    let total = 0;
    const rows = this.#statements.iterate(
      `SELECT ${ENVELOPE_COLUMNS} FROM envelopes WHERE channel = ? AND seq > ? ORDER BY seq`,
      channel,
      after,
    );
    for (const row of rows) {
      for (const envelope of readEnvelopeRow(row)) {
        if (envelope.seq <= after) continue;
        envelopes.push(envelope);
        total += Buffer.byteLength(envelope.json);
        if (total >= maxBytes) return envelopes;
      }
    }
    return envelopes;
  }

  channels(session: string): { uri: string; kind: string }[] {
    return this.#statements
      .all('SELECT uri, kind FROM channels WHERE session = ? ORDER BY id', session)
      .map((row) => ({ uri: text(row, 'uri'), kind: text(row, 'kind') }));
  }

  open(): string[] {
    return this.#statements.all('SELECT uri FROM open_channels ORDER BY uri').map((row) => text(row, 'uri'));
  }

  stale(seq: number, limit: number): string[] {
    return this.#statements
      .all('SELECT channel FROM stale WHERE seq <= ? ORDER BY seq LIMIT ?', seq, limit)
      .map((row) => text(row, 'channel'));
  }

  envelopes(
    channels: readonly string[],
    after: number,
    upTo: number,
    maxBytes: number,
  ): StoredEnvelope[] | undefined {
    const chosen = 'channel IN (SELECT value FROM json_each(?)) AND seq > ?';
    const of = [JSON.stringify(channels), after] as const;
    const whole = this.#statements.get(
      `SELECT sum(bytes) AS bytes FROM envelopes WHERE ${chosen} AND first_seq > ? AND seq <= ?`,
      ...of,
      after,
      upTo,
    );
    let total = (whole && optionalNumber(whole, 'bytes')) ?? 0;
    if (total > maxBytes) return undefined;
    const envelopes: StoredEnvelope[] = [];
    const rows = this.#statements.all(
      `SELECT first_seq, ${ENVELOPE_COLUMNS} FROM envelopes WHERE ${chosen} AND first_seq <= ? ORDER BY seq`,
      ...of,
      upTo,
    );
    for (const row of rows) {
      const inside = readEnvelopeRow(row).filter(({ seq }) => seq > after && seq <= upTo);
      const isCut = number(row, 'first_seq') <= after || number(row, 'seq') > upTo;
      if (isCut) total += inside.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
      envelopes.push(...inside);
    }
    return total > maxBytes ? undefined : envelopes;
  }

  outcome(clientId: string, epoch: string, clientSeq: number): StoredEnvelope | undefined {
    const row = this.#statements.get(
      `SELECT ${ENVELOPE_COLUMNS} FROM envelopes
       WHERE origin_client = ? AND origin_epoch = ? AND origin_seq = ? ORDER BY seq LIMIT 1`,
      clientId,
      epoch,
      clientSeq,
    );
    return row && readEnvelopeRow(row)[0];
  }

  sessions(options: SessionListOptions): StoredSession[] {
    return listedRows(this.#sessionRows(options), options);
  }

  *#sessionRows({ limit = UNLIMITED, after }: SessionListOptions): Generator<StoredSession> {
    const columns = 'SELECT uri, modified_at, summary FROM sessions';
    if (after === undefined) {
      const all = `${columns} ORDER BY modified_at DESC, uri LIMIT ?`;
      for (const row of this.#statements.iterate(all, limit)) yield toSession(row);
      return;
    }
    // Two walks along the index: one query for both would visit every row of the same time again on each page.
    let left = limit;
    const ties = `${columns} WHERE modified_at = ? AND uri > ? ORDER BY uri LIMIT ?`;
    for (const row of this.#statements.iterate(ties, after.modifiedAt, after.uri, limit)) {
      left -= 1;
      yield toSession(row);
    }
    const older = `${columns} WHERE modified_at < ? ORDER BY modified_at DESC, uri LIMIT ?`;
    const room = limit === UNLIMITED ? UNLIMITED : left;
    for (const row of this.#statements.iterate(older, after.modifiedAt, room)) yield toSession(row);
  }

  client(id: string): StoredClient | undefined {
    const row = this.#statements.get('SELECT * FROM clients WHERE id = ?', id);
    if (row === undefined) return undefined;
    return {
      id,
      tokenHash: text(row, 'token_hash'),
      version: text(row, 'version'),
      lastClientSeq: number(row, 'last_client_seq'),
      subscriptions: text(row, 'subscriptions'),
      seenAt: number(row, 'seen_at'),
      ...defined({
        epoch: optionalText(row, 'epoch'),
        locale: optionalText(row, 'locale'),
        pastEpochs: optionalText(row, 'past_epochs'),
      }),
    };
  }

  clients({
    limit,
    after = { seenAt: Number.MIN_SAFE_INTEGER, id: '' },
  }: {
    limit: number;
    after?: { seenAt: number; id: string };
  }): ListedClient[] {
    return this.#statements
      .all(
        `SELECT id, token_hash, seen_at, octet_length(subscriptions) AS bytes,
           last_client_seq >= 0 OR past_epochs IS NOT NULL AS has_acted
         FROM clients WHERE (seen_at, id) > (?, ?) ORDER BY seen_at, id LIMIT ?`,
        after.seenAt,
        after.id,
        limit,
      )
      .map((row) => ({
        id: text(row, 'id'),
        tokenHash: text(row, 'token_hash'),
        seenAt: number(row, 'seen_at'),
        bytes: number(row, 'bytes'),
        hasActed: number(row, 'has_acted') === 1,
      }));
  }

  tokens(): StoredToken[] {
    return this.#statements.all('SELECT * FROM tokens ORDER BY key').map((row) => ({
      id: text(row, 'id'),
      hash: text(row, 'hash'),
      scope: text(row, 'scope'),
      createdAt: number(row, 'created_at'),
      ...defined({
        name: optionalText(row, 'name'),
        lastUsedAt: optionalNumber(row, 'last_used_at'),
        expiresAt: optionalNumber(row, 'expires_at'),
      }),
    }));
  }

  content(id: string): StoredContent | undefined {
    const row = this.#statements.get('SELECT content_type, data FROM contents WHERE id = ?', id);
    return row && { id, contentType: text(row, 'content_type'), data: bytes(row, 'data') };
  }

  meta(key: string): string | undefined {
    const row = this.#statements.get('SELECT value FROM meta WHERE key = ?', key);
    return row && text(row, 'value');
  }

  processes(): StoredProcess[] {
    return this.#statements.all('SELECT pid, start_time, command FROM processes ORDER BY pid').map((row) => ({
      pid: number(row, 'pid'),
      startTime: text(row, 'start_time'),
      command: text(row, 'command'),
    }));
  }

  diskUse(session: string): DiskUse | undefined {
    return readDiskUse(this.#statements, session);
  }
}

function toSession(row: Row): StoredSession {
  return { uri: text(row, 'uri'), modifiedAt: text(row, 'modified_at'), summary: text(row, 'summary') };
}

function toHead(uri: string, row: Row): StoredChannelHead {
  return {
    uri,
    kind: text(row, 'kind'),
    ...defined({ session: optionalText(row, 'session') }),
    seq: number(row, 'seq'),
    local: text(row, 'local'),
  };
}
