import { writeSync } from 'node:fs';
import { hasCode } from '@agenthost/protocol/values';

/** Limit of one write, so that a large paste does not block the event loop. */
const SLICE_BYTES = 64 * 1024;
/** Limit of waiting input, in bytes and in calls. Further calls are dropped. */
const LIMIT = { bytes: 16 * 1024 * 1024, calls: 256 * 1024 };
/** Pause before another try when the kernel accepts no input. It doubles from `first` to `most`. */
const PAUSE_MS = { first: 1, most: 16 };

/**
 * Writes input to a pty. The kernel accepts some kilobytes at once, and more when the program reads. There is no event for that, so the
 * rest is tried again after a pause.
 */
export class PtyInput {
  readonly #fd: number;
  readonly #isClosed: () => boolean;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = PAUSE_MS.first;

  /** `isClosed`: whether the pty is closed, after which `fd` may be another file. */
  constructor(fd: number, isClosed: () => boolean) {
    this.#fd = fd;
    this.#isClosed = isClosed;
  }

  /**
   * Writes `data` behind all earlier input, a string as UTF-8. Does nothing when the pty is closed, or when 16 MiB wait for a program that
   * does not read.
   */
  write(data: string | Uint8Array): void {
    if (this.#isClosed() || data.length === 0 || this.#isFull) return;
    // A copy, because the bytes of the caller are valid only during the call.
    const bytes = Buffer.from(data);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#timer === undefined) this.#flush();
  }

  get #isFull(): boolean {
    return this.#waitingBytes >= LIMIT.bytes || this.#waiting.length >= LIMIT.calls;
  }

  /** Drops the input that waits. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#isClosed()) return this.end();
    let taken = 0;
    for (let next = this.#gather(); next !== undefined; next = this.#gather()) {
      const written = this.#tryWrite(next.subarray(0, SLICE_BYTES));
      if (written === undefined) return this.end();
      this.#waitingBytes -= written;
      taken += written;
      if (written === next.length) this.#waiting.shift();
      else this.#waiting[0] = next.subarray(written);
      if (written < Math.min(next.length, SLICE_BYTES)) return this.#retry(taken);
    }
  }

  /** The next piece to write. Joins small inputs, because each write is a system call. */
  #gather(): Uint8Array | undefined {
    let count = 0;
    for (let bytes = 0; bytes < SLICE_BYTES && count < this.#waiting.length; count += 1) {
      bytes += this.#waiting[count]?.length ?? 0;
    }
    if (count > 1) this.#waiting.splice(0, count, Buffer.concat(this.#waiting.slice(0, count)));
    return this.#waiting[0];
  }

  /** Returns the number of bytes that the kernel accepted; `undefined` when the pty is closed. */
  #tryWrite(bytes: Uint8Array): number | undefined {
    try {
      return writeSync(this.#fd, bytes);
    } catch (error) {
      // Any other error means that the other side is gone; the reading end reports that.
      return hasCode(error, 'EAGAIN') ? 0 : undefined;
    }
  }

  /** @param taken Bytes that the kernel accepted since the last pause. */
  #retry(taken: number): void {
    this.#pauseMs = taken > 0 ? PAUSE_MS.first : Math.min(this.#pauseMs * 2, PAUSE_MS.most);
    this.#timer = setTimeout(() => this.#flush(), this.#pauseMs);
  }
}
