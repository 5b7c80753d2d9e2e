import { defined } from '@agenthost/protocol/values';
import type { SessionListOptions } from '../journal.ts';
import { ListedLength } from '../listed-rows.ts';
import type {
  ListedClient,
  StoredChannel,
  StoredChannelHead,
  StoredClient,
  StoredContent,
  StoredProcess,
  StoredSession,
  StoredToken,
} from '../rows.ts';
import {
  bytes,
  number,
  optionalNumber,
  optionalText,
  type Row,
  type Statements,
  text,
} from './connection.ts';
import { keyOf } from './stored-text.ts';

/** Number of rows of the catalogue that one statement reads. */
const PAGE_SESSIONS = 200;
const HEAD = 'kind, coalesce(long_session, session) AS session, seq, local';

/** See `Journal.readChannel`. */
export async function readChannel(statements: Statements, uri: string): Promise<StoredChannel | undefined> {
  const row = await statements.get(
    `SELECT ${HEAD}, state FROM agenthost.channels WHERE cell = $1 AND uri = $2`,
    keyOf(uri),
  );
  return row && { ...toHead(uri, row), state: text(row, 'state') };
}

/** See `Journal.readChannelHead`. */
export async function readChannelHead(
  statements: Statements,
  uri: string,
): Promise<StoredChannelHead | undefined> {
  const row = await statements.get(
    `SELECT ${HEAD} FROM agenthost.channels WHERE cell = $1 AND uri = $2`,
    keyOf(uri),
  );
  return row && toHead(uri, row);
}

/** See `Journal.listChannels`. */
export async function listChannels(
  statements: Statements,
  session: string,
): Promise<{ uri: string; kind: string }[]> {
  const rows = await statements.all(
    `SELECT coalesce(long_uri, uri) AS uri, kind FROM agenthost.channels WHERE cell = $1 AND session = $2 ORDER BY id`,
    keyOf(session),
  );
  return rows.map((row) => ({ uri: text(row, 'uri'), kind: text(row, 'kind') }));
}

/** See `Journal.listOpen`. */
export async function listOpen(statements: Statements): Promise<string[]> {
  const rows = await statements.all(
    'SELECT coalesce(long_uri, uri) AS shown FROM agenthost.open_channels WHERE cell = $1 ORDER BY uri',
  );
  return rows.map((row) => text(row, 'shown'));
}

/** See `Journal.listStale`. */
export async function listStale(statements: Statements, seq: number, limit: number): Promise<string[]> {
  const rows = await statements.all(
    `SELECT coalesce(long_uri, uri) AS shown FROM agenthost.stale
       JOIN agenthost.channels ON channels.cell = stale.cell AND uri = channel
     WHERE stale.cell = $1 AND stale.seq <= $2 ORDER BY stale.seq LIMIT $3`,
    seq,
    limit,
  );
  return rows.map((row) => text(row, 'shown'));
}

/** See `Journal.listSessions`. Reads page by page, so that reading stops at the limit of length. */
export async function listSessions(
  statements: Statements,
  { limit = Number.POSITIVE_INFINITY, maxLength = Number.POSITIVE_INFINITY, ...options }: SessionListOptions,
): Promise<StoredSession[]> {
  const listed: StoredSession[] = [];
  const length = new ListedLength();
  for (let { after } = options; ; after = listed.at(-1)) {
    const rowCount = Math.min(PAGE_SESSIONS, limit - listed.length);
    const page = await sessionPage(statements, after, rowCount);
    for (const row of page) {
      const summary = options.shorten === undefined ? row.summary : options.shorten(row.summary);
      listed.push({ ...row, summary });
      length.add(row.summary, summary);
      if (length.hasReached(maxLength)) return listed;
    }
    if (page.length < PAGE_SESSIONS) return listed;
  }
}

async function sessionPage(
  statements: Statements,
  after: SessionListOptions['after'],
  limit: number,
): Promise<StoredSession[]> {
  const columns =
    'SELECT coalesce(long_uri, uri) AS shown, modified_at, summary FROM agenthost.sessions WHERE cell = $1';
  const order = 'ORDER BY modified_at DESC, sessions.uri LIMIT $2';
  if (after === undefined) return (await statements.all(`${columns} ${order}`, limit)).map(toSession);
  // Two walks along the index: one query for both would visit every row of the same time again on each page.
  const ties = await statements.all(
    `${columns} AND modified_at = $3 AND uri > $4 ${order}`,
    limit,
    after.modifiedAt,
    keyOf(after.uri),
  );
  if (ties.length >= limit) return ties.map(toSession);
  const older = await statements.all(
    `${columns} AND modified_at < $3 ${order}`,
    limit - ties.length,
    after.modifiedAt,
  );
  return [...ties, ...older].map(toSession);
}

/** See `Journal.readClient`. */
export async function readClient(statements: Statements, id: string): Promise<StoredClient | undefined> {
  const row = await statements.get('SELECT * FROM agenthost.clients WHERE cell = $1 AND id = $2', id);
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

/** See `Journal.listClients`. */
export async function listClients(
  statements: Statements,
  {
    limit,
    after = { seenAt: Number.MIN_SAFE_INTEGER, id: '' },
  }: { limit: number; after?: { seenAt: number; id: string } },
): Promise<ListedClient[]> {
  const rows = await statements.all(
    `SELECT id, token_hash, seen_at, octet_length(subscriptions) AS bytes,
       last_client_seq >= 0 OR past_epochs IS NOT NULL AS has_acted
     FROM agenthost.clients WHERE cell = $1 AND (seen_at, id) > ($2, $3) ORDER BY seen_at, id LIMIT $4`,
    after.seenAt,
    after.id,
    limit,
  );
  return rows.map((row) => ({
    id: text(row, 'id'),
    tokenHash: text(row, 'token_hash'),
    seenAt: number(row, 'seen_at'),
    bytes: number(row, 'bytes'),
    hasActed: row['has_acted'] === true,
  }));
}

/** See `Journal.listTokens`. */
export async function listTokens(statements: Statements): Promise<StoredToken[]> {
  const rows = await statements.all('SELECT * FROM agenthost.tokens WHERE cell = $1 ORDER BY key');
  return rows.map((row) => ({
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

/** See `Journal.readContent`. */
export async function readContent(statements: Statements, id: string): Promise<StoredContent | undefined> {
  const row = await statements.get(
    'SELECT content_type, bytes FROM agenthost.contents WHERE cell = $1 AND id = $2',
    id,
  );
  if (row === undefined) return undefined;
  const data = new Uint8Array(number(row, 'bytes'));
  for (let part = 0, at = 0; at < data.byteLength; part += 1) {
    const chunk = await statements.get(
      'SELECT data FROM agenthost.content_chunks WHERE cell = $1 AND id = $2 AND part = $3',
      id,
      part,
    );
    const piece = bytes(chunk ?? {}, 'data');
    data.set(piece, at);
    at += piece.byteLength;
  }
  return { id, contentType: text(row, 'content_type'), data };
}

/** See `Journal.readMeta`. */
export async function readMeta(statements: Statements, key: string): Promise<string | undefined> {
  const row = await statements.get('SELECT value FROM agenthost.meta WHERE cell = $1 AND key = $2', key);
  return row && text(row, 'value');
}

/** See `Journal.listProcesses`. Only those of the machine with this data folder: their pids mean nothing on other machines. */
export async function listProcesses(statements: Statements, folder: string): Promise<StoredProcess[]> {
  const rows = await statements.all(
    'SELECT pid, start_time, command FROM agenthost.processes WHERE cell = $1 AND folder = $2 ORDER BY pid',
    folder,
  );
  return rows.map((row) => ({
    pid: number(row, 'pid'),
    startTime: text(row, 'start_time'),
    command: text(row, 'command'),
  }));
}

function toSession(row: Row): StoredSession {
  return { uri: text(row, 'shown'), modifiedAt: text(row, 'modified_at'), summary: text(row, 'summary') };
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
