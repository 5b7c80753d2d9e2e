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
  /** A file that would exceed this size is rotated first. */
  readonly maxBytes: number;
  /** Number of files, including the current one; at least 1. */
  readonly maxFiles: number;
}

/**
 * A file of lines that is rotated when it is full: `log`, `log.1` and so on, the oldest with the highest number. Writes are synchronous,
 * so that the last lines before a crash are in the file. Files have mode 0600.
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
   * Appends one whole line, including its line end, or throws. A line longer than the limit gets a file of its own.
   */
  write(line: string): void {
    if (this.#isClosed) return;
    const bytes = Buffer.from(line);
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#options.maxBytes) this.#rotate();
    const file = this.#file ?? this.#open();
    try {
      // On a nearly full disk, a write may succeed in part.
      for (let start = 0; start < bytes.length; ) start += writeSync(file, bytes, start);
    } catch (error) {
      ftruncateSync(file, this.#bytes);
      throw error;
    }
    this.#bytes += bytes.length;
  }

  /** Closes the file. Later lines are dropped. Closing twice is fine. */
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
