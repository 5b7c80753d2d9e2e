import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isReachableSeq } from '../reachable-seq.ts';

/**
 * The reserved sequence number in a tiny file beside the database, so that no number is reused when the database is damaged
 * and set aside [CONN-4]. Each write is synced to disk before it replaces the last.
 */
export class SeqFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The number; `'damaged'` when what is in the file is none that a host can have written; `undefined` when there is no file. */
  read(): number | 'damaged' | undefined {
    let content: string;
    try {
      content = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    const seq = /^\d+\n$/.test(content) ? Number(content) : Number.NaN;
    return isReachableSeq(seq) ? seq : 'damaged';
  }

  write(seq: number): void {
    const temporary = `${this.#path}.new`;
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeSync(file, `${seq}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.#path);
    syncFolder(dirname(this.#path));
  }
}

/** Makes renames and removals in a folder durable. Windows has no such call, and needs none. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
