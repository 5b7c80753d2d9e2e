import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ensureFolder } from './ensure-folder.ts';

/** Limits of a rotating file. */
export interface RotatingFileOptions {
  readonly path: string;
  /** A file that would grow past this many bytes is set aside first. */
  readonly maxBytes: number;
  /** How many files are kept, the present one included; at least 1. */
  readonly maxFiles: number;
}

/**
 * A file of lines that is replaced when it is full: `log`, before it `log.1`, the oldest with the highest number. Written at
 * once, so that the last lines before an exit or a crash are there. Files have mode 0600.
 */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #file: number | undefined;
  #bytes = 0;
  #isClosed = false;

  /** Throws when the file cannot be opened. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    ensureFolder(dirname(options.path));
    this.#open();
  }

  /**
   * Appends one line with its end, whole or not at all. Throws when it cannot, and the next call tries again. A line longer than the
   * limit has a file of its own.
   */
  write(line: string): void {
    if (this.#isClosed) return;
    const bytes = Buffer.from(line);
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#options.maxBytes) this.#rotate();
    const file = this.#file ?? this.#open();
    try {
      // A disk that is nearly full takes a piece without an error.
      for (let start = 0; start < bytes.length; ) start += writeSync(file, bytes, start);
    } catch (error) {
      ftruncateSync(file, this.#bytes);
      throw error;
    }
    this.#bytes += bytes.length;
  }

  /** Closing twice is fine; what is written afterwards is dropped. */
  close(): void {
    this.#isClosed = true;
    this.#letGo();
  }

  #letGo(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #open(): number {
    const { path } = this.#options;
    const file = openSync(path, 'a', 0o600);
    chmodSync(path, 0o600);
    this.#file = file;
    this.#bytes = fstatSync(file).size;
    return file;
  }

  #rotate(): void {
    const { path, maxFiles } = this.#options;
    this.#letGo();
    const name = (index: number) => (index === 0 ? path : `${path}.${index}`);
    rmSync(name(Math.max(0, maxFiles - 1)), { force: true });
    for (let index = maxFiles - 2; index >= 0; index--) {
      if (existsSync(name(index))) renameSync(name(index), name(index + 1));
    }
  }
}
