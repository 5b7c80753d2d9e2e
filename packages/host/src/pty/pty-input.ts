import { writeSync } from 'node:fs';

/** One write takes at most this much, so that a large paste holds up nothing else. */
const sliceBytes = 64 * 1024;
/** The pause when the kernel takes nothing more doubles from the first to the second while that lasts. */
const pauseMs = { first: 1, most: 16 };

/**
 * Keys on their way to a pty. The kernel takes some kilobytes at once and then as much as the program reads; nothing tells when, so
 * what is left is tried again after a pause.
 */
export class PtyInput {
  readonly #fd: number;
  readonly #isClosed: () => boolean;
  #waiting: Uint8Array[] = [];
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = pauseMs.first;

  /** `isClosed`: the number `fd` may mean another file by now. */
  constructor(fd: number, isClosed: () => boolean) {
    this.#fd = fd;
    this.#isClosed = isClosed;
  }

  /** Writes `data` after all that was written before, a string as UTF-8. Does nothing when the pty is closed. */
  write(data: string | Uint8Array): void {
    if (this.#isClosed() || data.length === 0) return;
    // Kept beyond the call, so bytes of the caller are copied.
    this.#waiting.push(Buffer.from(data));
    if (this.#timer === undefined) this.#flush();
  }

  /** Drops what waits. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#isClosed()) return this.end();
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const written = this.#tryWrite(next.subarray(0, sliceBytes));
      if (written === undefined) return this.end();
      if (written === next.length) this.#waiting.shift();
      else this.#waiting[0] = next.subarray(written);
      if (written < Math.min(next.length, sliceBytes)) return this.#retry(written);
    }
  }

  /** How many bytes were taken; undefined when nothing ever will be. */
  #tryWrite(bytes: Uint8Array): number | undefined {
    try {
      return writeSync(this.#fd, bytes);
    } catch (error) {
      // Anything else means that the other side is gone, which the reading end finds out too.
      return error instanceof Error && 'code' in error && error.code === 'EAGAIN' ? 0 : undefined;
    }
  }

  #retry(written: number): void {
    this.#pauseMs = written > 0 ? pauseMs.first : Math.min(this.#pauseMs * 2, pauseMs.most);
    this.#timer = setTimeout(() => this.#flush(), this.#pauseMs);
  }
}
