import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { isReachableSeq } from '../sequence-numbers.ts';

/** Digits of a number in the `sent` file, enough for any: each number replaces the last in place. */
const WIDTH = 16;

/**
 * The reserved sequence number in a small file beside the database, so that no number is reused when the database is damaged
 * and set aside [CONN-4]. Each write is synced to disk before it replaces the last.
 */
export class SeqFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The number; `'damaged'` when the file holds no number that a host can have written; `undefined` when there is no file. */
  read(): number | 'damaged' | undefined {
    let content: string;
    try {
      content = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
    return toSeq(content, /^\d+\n$/);
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

/**
 * The highest number of a committed envelope in a small file beside the database, written before any client is sent the envelope. SQLite
 * cannot tell a log that was torn, cut or removed from one without its last commits; this file can. It is not synced: the boot id
 * detects a power loss.
 */
export class SentFile {
  readonly #file: number;
  readonly #line = Buffer.alloc(WIDTH + 1, '\n');
  #seq = -1;

  /** Throws the system's error when the file cannot be opened. */
  constructor(path: string) {
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** The number that an earlier host left; 0 in a new file; `'damaged'` when the file holds no number that a host can have written. */
  read(): number | 'damaged' {
    const count = readSync(this.#file, this.#line, 0, this.#line.length, 0);
    const text = this.#line.toString('latin1', 0, count);
    return text === '' ? 0 : toSeq(text, /^\d{16}\n$/);
  }

  /** Writes a number; throws the system's error. */
  write(seq: number): void {
    if (seq === this.#seq) return;
    this.#line.write(sentText(seq), 'latin1');
    writeSync(this.#file, this.#line, 0, this.#line.length, 0);
    this.#seq = seq;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The text of a `sent` file. */
export const sentText = (seq: number): string => `${String(seq).padStart(WIDTH, '0')}\n`;

/** The number in a `seq` or `sent` file; 0 if the file is missing or damaged. */
export function readSeqAt(path: string): number {
  let content: string;
  try {
    content = readFileSync(path, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
  const seq = toSeq(content, /^\d{1,16}\n$/);
  return seq === 'damaged' ? 0 : seq;
}

function toSeq(content: string, format: RegExp): number | 'damaged' {
  const seq = format.test(content) ? Number(content) : Number.NaN;
  return isReachableSeq(seq) ? seq : 'damaged';
}

/** Makes renames and removals in a folder durable. Windows has no such call, and needs none. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
