import { writeSync } from 'node:fs';
import { hasCode } from '@agenthost/protocol/values';

/** One write takes at most this much, so that a large paste holds up nothing else. */
const SLICE_BYTES = 64 * 1024;
/** What may wait, in bytes and in calls: far more than anybody pastes or types. Calls beyond that are dropped, so that no memory fills. */
const LIMIT = { bytes: 16 * 1024 * 1024, calls: 256 * 1024 };
/** The pause when the kernel takes nothing more doubles from the first to the second while that lasts. */
const PAUSE_MS = { first: 1, most: 16 };

/**
 * Keys on their way to a pty. The kernel takes some kilobytes at once and then as much as the program reads; nothing tells when, so
 * what is left is tried again after a pause.
 */
export class PtyInput {
  readonly #fd: number;
  readonly #isClosed: () => boolean;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = PAUSE_MS.first;

  /** `isClosed`: the number `fd` may mean another file by now. */
  constructor(fd: number, isClosed: () => boolean) {
    this.#fd = fd;
    this.#isClosed = isClosed;
  }

  /**
   * Writes `data` after all that was written before, a string as UTF-8. Does nothing when the pty is closed, or when 16 MiB wait
   * already for a program that does not read.
   */
  write(data: string | Uint8Array): void {
    if (this.#isClosed() || data.length === 0 || this.#isFull) return;
    // Kept beyond the call, so bytes of the caller are copied.
    const bytes = Buffer.from(data);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#timer === undefined) this.#flush();
  }

  get #isFull(): boolean {
    return this.#waitingBytes >= LIMIT.bytes || this.#waiting.length >= LIMIT.calls;
  }

  /** Drops what waits. */
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

  /** What is written next: single keys that wait are one piece, or each would be a call of the system and a move of all others. */
  #gather(): Uint8Array | undefined {
    let count = 0;
    for (let bytes = 0; bytes < SLICE_BYTES && count < this.#waiting.length; count += 1) {
      bytes += this.#waiting[count]?.length ?? 0;
    }
    if (count > 1) this.#waiting.splice(0, count, Buffer.concat(this.#waiting.slice(0, count)));
    return this.#waiting[0];
  }

  /** How many bytes were taken; undefined when nothing ever will be. */
  #tryWrite(bytes: Uint8Array): number | undefined {
    try {
      return writeSync(this.#fd, bytes);
    } catch (error) {
      // Anything else means that the other side is gone, which the reading end finds out too.
      return hasCode(error, 'EAGAIN') ? 0 : undefined;
    }
  }

  /** @param taken How much the kernel took since the last pause. */
  #retry(taken: number): void {
    this.#pauseMs = taken > 0 ? PAUSE_MS.first : Math.min(this.#pauseMs * 2, PAUSE_MS.most);
    this.#timer = setTimeout(() => this.#flush(), this.#pauseMs);
  }
}
