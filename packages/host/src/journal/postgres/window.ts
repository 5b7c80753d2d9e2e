import type { StoredEnvelope } from '../rows.ts';
import { number, optionalNumber, optionalText, type Row, type Statements, text } from './connection.ts';
import { keyOf } from './stored-text.ts';
import { originOf } from './writes.ts';

/** Number of envelopes whose sizes one statement reads. */
const PAGE_ROWS = 500;
const COLUMNS = 'seq, channel, long_channel, time, json';

/** See `Journal.readEnvelopesAfter`. Reads sizes first: JSON beyond the limit is not read. */
export async function readEnvelopesAfter(
  statements: Statements,
  channel: string,
  after: number,
  maxBytes: number,
): Promise<StoredEnvelope[]> {
  const key = keyOf(channel);
  let last = after;
  for (let total = 0, isFull = false; !isFull; ) {
    const rows = await statements.all(
      `SELECT seq, bytes FROM agenthost.envelopes WHERE cell = $1 AND channel = $2 AND seq > $3
       ORDER BY seq LIMIT ${PAGE_ROWS}`,
      key,
      last,
    );
    for (const row of rows) {
      last = number(row, 'seq');
      total += number(row, 'bytes');
      isFull = total >= maxBytes;
      if (isFull) break;
    }
    if (rows.length < PAGE_ROWS) break;
  }
  if (last === after) return [];
  const rows = await statements.all(
    `SELECT ${COLUMNS} FROM agenthost.envelopes WHERE cell = $1 AND channel = $2 AND seq > $3 AND seq <= $4
     ORDER BY seq`,
    key,
    after,
    last,
  );
  return rows.map(toEnvelope);
}

/** See `Journal.readEnvelopes`. */
export async function readEnvelopes(
  statements: Statements,
  {
    channels,
    after,
    upTo,
    maxBytes,
  }: { channels: readonly string[]; after: number; upTo: number; maxBytes: number },
): Promise<StoredEnvelope[] | undefined> {
  const keys = [...new Set(channels.map(keyOf))];
  const chosen =
    'FROM agenthost.envelopes WHERE cell = $1 AND channel = ANY($2::text[]) AND seq > $3 AND seq <= $4';
  const size = await statements.get(`SELECT sum(bytes) AS bytes ${chosen}`, keys, after, upTo);
  if (((size && optionalNumber(size, 'bytes')) ?? 0) > maxBytes) return undefined;
  const rows = await statements.all(`SELECT ${COLUMNS} ${chosen} ORDER BY seq`, keys, after, upTo);
  return rows.map(toEnvelope);
}

/** See `Journal.findOutcome`. */
export async function findOutcome(
  statements: Statements,
  clientId: string,
  epoch: string,
  clientSeq: number,
): Promise<StoredEnvelope | undefined> {
  const row = await statements.get(
    `SELECT ${COLUMNS} FROM agenthost.envelopes WHERE cell = $1 AND origin = $2 ORDER BY seq LIMIT 1`,
    originOf({ clientId, epoch, clientSeq }),
  );
  return row && toEnvelope(row);
}

/** Bytes and oldest time of the window. */
export async function windowSize(
  statements: Statements,
): Promise<{ bytes: number; oldestTime: number | undefined }> {
  const [oldest, newest] = await edges(statements);
  if (oldest === undefined || newest === undefined) return { bytes: 0, oldestTime: undefined };
  return { bytes: heldBy(oldest, newest), oldestTime: number(oldest, 'time') };
}

/** See `Journal.findTrimPoint`. Visits only the envelopes that exceed a limit. */
export async function findTrimPoint(
  statements: Statements,
  { maxBytes, minTime }: { maxBytes: number; minTime: number },
): Promise<number | undefined> {
  const [oldest, newest] = await edges(statements);
  if (oldest === undefined || newest === undefined) return undefined;
  const points: number[] = [];
  if (heldBy(oldest, newest) > maxBytes) {
    const first = await statements.get(
      'SELECT seq FROM agenthost.envelopes WHERE cell = $1 AND total >= $2 ORDER BY seq LIMIT 1',
      number(newest, 'total') - maxBytes,
    );
    if (first !== undefined) points.push(number(first, 'seq'));
  }
  // Times never decrease [ACT-6].
  if (number(oldest, 'time') < minTime) {
    const kept = await statements.get(
      'SELECT seq FROM agenthost.envelopes WHERE cell = $1 AND time >= $2 ORDER BY seq LIMIT 1',
      Math.ceil(minTime),
    );
    points.push(kept === undefined ? number(newest, 'seq') : number(kept, 'seq') - 1);
  }
  return points.length === 0 ? undefined : Math.max(...points);
}

/** Drops envelopes; see `Journal.trim`. Returns their number, and the highest trimmed number. Runs inside the caller's transaction. */
export async function trimWindow(
  statements: Statements,
  seq: number,
  limit: number,
): Promise<{ count: number; trimmedSeq: number | undefined }> {
  const row = await statements.get(
    `WITH gone AS (
       DELETE FROM agenthost.envelopes WHERE cell = $1 AND seq <= (
         SELECT max(seq) FROM (
           SELECT seq FROM agenthost.envelopes WHERE cell = $1 AND seq <= $2
             AND seq < coalesce((SELECT min(seq) FROM agenthost.stale WHERE cell = $1), ${Number.MAX_SAFE_INTEGER})
           ORDER BY seq LIMIT $3) AS slice)
       RETURNING seq, time)
     SELECT count(*) AS count, max(seq) AS seq, max(time) AS time FROM gone`,
    seq,
    limit,
  );
  const trimmedSeq = row && optionalNumber(row, 'seq');
  if (row === undefined || trimmedSeq === undefined) return { count: 0, trimmedSeq: undefined };
  await statements.run(
    'UPDATE agenthost.cells SET trimmed_seq = $2, trimmed_time = $3 WHERE id = $1',
    trimmedSeq,
    number(row, 'time'),
  );
  return { count: number(row, 'count'), trimmedSeq };
}

/** The oldest and the newest envelope without their JSON. */
async function edges(statements: Statements): Promise<(Row | undefined)[]> {
  const columns = 'SELECT seq, time, bytes, total FROM agenthost.envelopes WHERE cell = $1 ORDER BY seq';
  return Promise.all([statements.get(`${columns} LIMIT 1`), statements.get(`${columns} DESC LIMIT 1`)]);
}

const heldBy = (oldest: Row, newest: Row): number =>
  number(newest, 'total') - number(oldest, 'total') + number(oldest, 'bytes');

function toEnvelope(row: Row): StoredEnvelope {
  return {
    seq: number(row, 'seq'),
    channel: optionalText(row, 'long_channel') ?? text(row, 'channel'),
    time: number(row, 'time'),
    json: text(row, 'json'),
  };
}
