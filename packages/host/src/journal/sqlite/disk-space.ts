import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { DiskUse, WholeDiskUse } from '../rows.ts';
import type { JournalFiles } from './open-database.ts';
import { optionalNumber, type Statements } from './statements.ts';

/** The channels of a session, and the session itself. */
const OWN = 'SELECT uri FROM channels WHERE session = ? OR uri = ?';
/** Turns that chats of a session show through spans. */
const SHOWN = `spans JOIN turns ON turns.chat = line AND ordinal >= start AND ordinal < stop
  WHERE spans.chat IN (${OWN})`;

/** See `Journal.diskUse`. */
export function readDiskUse(statements: Statements, session: string): DiskUse | undefined {
  const sum = (sql: string): number | undefined => {
    // Every parameter stands for the session.
    const values = Array<string>(sql.split('?').length - 1).fill(session);
    const row = statements.get(`SELECT sum(bytes) AS bytes FROM ${sql}`, ...values);
    return row && optionalNumber(row, 'bytes');
  };
  const stateBytes = sum('channels WHERE session = ? OR uri = ?');
  // A content names the session that wrote it. The contents of turns on shared lines count for each chat that shows the turn.
  const written = sum('contents WHERE session = ?') ?? 0;
  const onShared = sum(
    `(SELECT DISTINCT line FROM spans WHERE home = ?) JOIN contents ON contents.chat = line
     WHERE EXISTS (SELECT 1 FROM turns WHERE turns.chat = line AND turns.id = contents.turn)`,
  );
  const shown = sum(
    `(SELECT line, turns.id FROM ${SHOWN}) AS shown
     JOIN contents ON contents.chat = shown.line AND contents.turn = shown.id`,
  );
  const contentBytes = written - (onShared ?? 0) + (shown ?? 0);
  const isListed = statements.get('SELECT 1 FROM sessions WHERE uri = ?', session) !== undefined;
  if (stateBytes === undefined && contentBytes === 0 && !isListed) return undefined;
  const alone = `turns WHERE chat IN (${OWN}) AND chat NOT IN (SELECT chat FROM spans WHERE chat IN (${OWN}))`;
  return {
    turnsBytes: (sum(alone) ?? 0) + (sum(`(SELECT turns.bytes FROM ${SHOWN})`) ?? 0),
    stateBytes: stateBytes ?? 0,
    windowBytes: sum(`envelopes WHERE channel IN (${OWN})`) ?? 0,
    contentBytes,
  };
}

/** See `Journal.wholeDiskUse`. */
export function readWholeDiskUse(database: DatabaseSync, files: JournalFiles): WholeDiskUse {
  const number = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
  const sizes = [files.database, `${files.database}-wal`, `${files.database}-shm`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
  );
  return {
    databaseBytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    reusableBytes: number('PRAGMA freelist_count') * number('PRAGMA page_size'),
    // Reads a whole index, of about 50 bytes for each content.
    contentBytes: number('SELECT sum(bytes) FROM contents INDEXED BY contents_by_session'),
  };
}

/** Returns at most `maxPages` unused pages to the file system. Returns false when none is left and the file has shrunk. */
export function freeSpace(database: DatabaseSync, maxPages: number): boolean {
  const freePages = (): number =>
    Number(database.prepare('PRAGMA freelist_count').get()?.freelist_count ?? 0);
  if (freePages() === 0) return false;
  database.exec(`PRAGMA incremental_vacuum(${Math.max(1, Math.floor(maxPages))})`);
  if (freePages() > 0) return true;
  // The file shrinks at a checkpoint.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return false;
}
