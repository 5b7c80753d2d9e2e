import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import { syncFolder } from '../number-files.ts';
import { restoreMark } from '../open-database.ts';
import { FOLDERS, OTHER_FILES } from './contents.ts';

/** The files that a restore replaces. The database comes last, so that a folder without a database is one whose exchange has begun. */
const NAMES = [
  ...OTHER_FILES,
  ...FOLDERS,
  'journal.db.suspect',
  'journal.db-shm',
  'journal.db-wal',
  'journal.db',
] as const;

/** Two sets of files that change places. The values are names of folders in the data folder. */
interface Exchange {
  /** The folder with the new files. */
  readonly staging: string;
  /** The folder that gets the present files. */
  readonly aside: string;
  /** Names of the new files. */
  readonly added: readonly string[];
}

/** Moves a file or a folder. Replaced in tests. */
export type Rename = (from: string, to: string) => void;

/** Names of what a restore would replace in a folder. */
export const presentNames = (folder: string): string[] =>
  NAMES.filter((name) => existsSync(join(folder, name)));

/**
 * Moves the present files of a data folder away and the new ones in, all or none: if a step fails, the steps before are undone, and the error is
 * thrown. A mark in the folder keeps hosts from starting meanwhile. `last`: the last step, after which the exchange is complete. After a kill the mark
 * stays until `undoInterrupted` is called.
 */
export function exchange(
  dataDir: string,
  files: Exchange,
  { begin, last, rename = renameSync }: { begin(): void; last(): void; rename?: Rename | undefined },
): void {
  try {
    writeMark(dataDir, files);
    begin();
    for (const name of NAMES) {
      const [present, next] = [join(dataDir, name), join(dataDir, files.staging, name)];
      if (existsSync(present)) rename(present, join(dataDir, files.aside, name));
      if (files.added.includes(name)) rename(next, present);
    }
    syncFolder(join(dataDir, files.aside));
    syncFolder(dataDir);
    last();
  } catch (error) {
    undo(dataDir, files, rename);
    throw error;
  }
  removeMark(dataDir);
}

/** Undoes an exchange that was interrupted. Returns false if there is none. The caller makes sure that no restore runs. */
export function undoInterrupted(dataDir: string, rename: Rename = renameSync): boolean {
  const mark = restoreMark(dataDir);
  if (!existsSync(mark)) return false;
  // `writeMark` wrote the file as a whole.
  const files: Exchange = JSON.parse(readFileSync(mark, 'utf8'));
  undo(dataDir, files, rename);
  return true;
}

/** Moves back all files that were moved. */
function undo(dataDir: string, { staging, aside, added }: Exchange, rename: Rename): void {
  for (const name of NAMES.toReversed()) {
    const present = join(dataDir, name);
    const next = join(dataDir, staging, name);
    const before = join(dataDir, aside, name);
    const isAdded = added.includes(name) && !existsSync(next) && existsSync(present);
    if (isAdded) rename(present, next);
    if (existsSync(before)) rename(before, present);
  }
  for (const name of ['seq', 'sent']) rmSync(join(dataDir, aside, name), { force: true });
  try {
    rmdirSync(join(dataDir, aside));
  } catch (error) {
    // The folder has a file that no restore moved there, or it no longer exists.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
  }
  removeMark(dataDir);
}

function writeMark(dataDir: string, files: Exchange): void {
  const temporary = join(dataDir, files.staging, 'mark');
  writeFileSync(temporary, JSON.stringify(files), { mode: 0o600 });
  const file = openSync(temporary, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, restoreMark(dataDir));
  syncFolder(dataDir);
}

function removeMark(dataDir: string): void {
  syncFolder(dataDir);
  rmSync(restoreMark(dataDir), { force: true });
  syncFolder(dataDir);
}
