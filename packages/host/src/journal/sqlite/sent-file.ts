import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { isReachableSeq } from '../reachable-seq.ts';

/** Wide enough for any number, so that each replaces the last in place. */
const WIDTH = 16;

/**
 * The highest number of a committed envelope in a tiny file beside the database, written before anybody is sent it. A log that was torn,
 * cut or removed looks to SQLite as if its last commits had never been; this file tells that they had. Not synced: a power loss is known
 * by the boot.
 */
export class SentFile {
  readonly #file: number;
  readonly #line = Buffer.alloc(WIDTH + 1, '\n');
  #seq = -1;

  /** Throws the system's error when it cannot be opened. */
  constructor(path: string) {
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** The number that an earlier host left, 0 when there is none; `'damaged'` when what is there is none that a host can have written. */
  read(): number | 'damaged' {
    const count = readSync(this.#file, this.#line, 0, this.#line.length, 0);
    const text = this.#line.toString('latin1', 0, count);
    if (text === '') return 0;
    const seq = /^\d{16}\n$/.test(text) ? Number(text) : Number.NaN;
    return isReachableSeq(seq) ? seq : 'damaged';
  }

  /** Notes a number; throws the system's error. */
  write(seq: number): void {
    if (seq === this.#seq) return;
    this.#line.write(`${String(seq).padStart(WIDTH, '0')}\n`, 'latin1');
    writeSync(this.#file, this.#line, 0, this.#line.length, 0);
    this.#seq = seq;
  }

  close(): void {
    closeSync(this.#file);
  }
}
