import type { DiskUse, WholeDiskUse } from '../rows.ts';
import { number, optionalNumber, type Statements } from './connection.ts';
import { keyOf } from './stored-text.ts';

/** The channels of a session, and the session itself. */
const OWN = 'SELECT uri FROM agenthost.channels WHERE cell = $1 AND (session = $2 OR uri = $2)';
/** Turns in the spans of a session's chats. */
const SHOWN = `agenthost.spans JOIN agenthost.turns
    ON turns.cell = spans.cell AND turns.chat = line AND ordinal >= start AND ordinal < stop
  WHERE spans.cell = $1 AND spans.chat IN (${OWN})`;

/** See `Journal.diskUse`. Contents on shared lines are counted for each chat that shows their turn. */
export async function readDiskUse(statements: Statements, session: string): Promise<DiskUse | undefined> {
  const row = await statements.get(
    `SELECT
       (SELECT sum(bytes) FROM agenthost.channels WHERE cell = $1 AND (session = $2 OR uri = $2)) AS state,
       coalesce((SELECT sum(bytes) FROM agenthost.contents WHERE cell = $1 AND session = $2), 0)
         - coalesce((SELECT sum(bytes) FROM agenthost.contents
             WHERE cell = $1 AND chat IN (SELECT line FROM agenthost.spans WHERE cell = $1 AND home = $2)
               AND EXISTS (SELECT 1 FROM agenthost.turns
                 WHERE turns.cell = $1 AND turns.chat = contents.chat AND turns.id = contents.turn)), 0)
         + coalesce((SELECT sum(contents.bytes) FROM (SELECT line, turns.id FROM ${SHOWN}) AS shown
             JOIN agenthost.contents
               ON contents.cell = $1 AND contents.chat = shown.line AND contents.turn = shown.id), 0) AS content,
       EXISTS (SELECT 1 FROM agenthost.sessions WHERE cell = $1 AND uri = $2) AS is_listed,
       coalesce((SELECT sum(bytes) FROM agenthost.turns WHERE cell = $1 AND chat IN (${OWN})
           AND chat NOT IN (SELECT chat FROM agenthost.spans WHERE cell = $1 AND chat IN (${OWN}))), 0)
         + coalesce((SELECT sum(turns.bytes) FROM ${SHOWN}), 0) AS turns,
       coalesce((SELECT sum(bytes) FROM agenthost.envelopes
         WHERE cell = $1 AND channel IN (${OWN})), 0) AS envelopes`,
    keyOf(session),
  );
  if (row === undefined) return undefined;
  const stateBytes = optionalNumber(row, 'state');
  const contentBytes = number(row, 'content');
  if (stateBytes === undefined && contentBytes === 0 && row['is_listed'] !== true) return undefined;
  return {
    turnsBytes: number(row, 'turns'),
    stateBytes: stateBytes ?? 0,
    windowBytes: number(row, 'envelopes'),
    contentBytes,
  };
}

/** See `Journal.wholeDiskUse`. The size is that of the whole database, with the rows of other cells. */
export async function readWholeDiskUse(statements: Statements): Promise<WholeDiskUse> {
  const row = await statements.get(
    `SELECT pg_database_size(current_database()) AS database,
       coalesce((SELECT sum(bytes) FROM agenthost.contents WHERE cell = $1), 0) AS content`,
  );
  return {
    databaseBytes: number(row ?? {}, 'database'),
    // The server reuses the space of deleted rows by itself, and does not report it without an extension.
    reusableBytes: 0,
    contentBytes: number(row ?? {}, 'content'),
  };
}
