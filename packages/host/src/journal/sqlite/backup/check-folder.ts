import { existsSync } from 'node:fs';
import { defined } from '@agenthost/protocol/values';
import { cellOf } from '../../postgres/folder-of-cell.ts';
import { checkDatabase, type DatabaseCheck } from '../check-database.ts';
import { isInUse } from '../hold-database.ts';
import { migrations } from '../migrations.ts';
import { journalFiles, restoreMark } from '../open-database.ts';

/** The state of a data folder without a host. */
export interface FolderCheck {
  /** Absent: there is no database, or a host uses it. */
  readonly database?: DatabaseCheck;
  readonly isInUse: boolean;
  /** A restore was killed while it exchanged the files: no host can start with this folder. */
  readonly isInterrupted: boolean;
  /** The sessions are in PostgreSQL, in this cell. */
  readonly cell?: string;
  /** Newest version of the schema that this agenthost knows. */
  readonly knownVersion: number;
}

/** Checks the database of a data folder, which must exist. Changes no data. Rejects with the system's error. */
export async function checkDataFolder(dataDir: string): Promise<FolderCheck> {
  const files = journalFiles(dataDir);
  const isInterrupted = existsSync(restoreMark(dataDir));
  const facts = { knownVersion: migrations.length, isInterrupted };
  if (isInterrupted) return { ...facts, isInUse: false };
  const cell = cellOf(dataDir);
  if (cell !== undefined) return { ...facts, isInUse: cell.isInUse, ...defined({ cell: cell.name }) };
  if (!existsSync(files.database)) return { ...facts, isInUse: false };
  if (isInUse(files)) return { ...facts, isInUse: true };
  return { ...facts, isInUse: false, database: await checkDatabase(files.database) };
}
