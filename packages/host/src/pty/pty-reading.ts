import { readSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { FloodReader } from './flood/flood-reader.ts';

/** What reads go through, one after another: a read is over before anything else runs, so all ptys share it. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
/** Within so long a flood has come to its size, ms: what takes longer is no flood, and reading it here costs less. */
const floodMs = 200;

export interface PtyReadingHandlers {
  /** `bytes` are valid only during the call. */
  take(bytes: Uint8Array): void;
  /** Nothing more will come. Called once. */
  ended(): void;
}

/** The reading end of a pty. Owns its file: closes it at the end of the output, or when told. */
export class PtyReading {
  readonly #fd: number;
  readonly #handlers: PtyReadingHandlers;
  readonly #floodReader: FloodReader | undefined;
  readonly #socket: ReadStream;
  #isOn = true;
  /** While the thread for floods reads. */
  #isLent = false;
  #burstBytes = 0;
  /** When these bytes began, by `performance.now()`. */
  #burstAt = 0;

  /** Reads from the start; floods in the thread of `floodReader`, where there is one. */
  constructor(fd: number, handlers: PtyReadingHandlers, floodReader?: FloodReader) {
    this.#fd = fd;
    this.#handlers = handlers;
    this.#floodReader = floodReader;
    this.#socket = this.#open();
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** False while paused. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Reads no more, but for what was under way. */
  pause(): void {
    this.#isOn = false;
    if (!this.#isLent) this.#socket.pause();
  }

  resume(): void {
    this.#isOn = true;
    if (this.#isLent) this.#floodReader?.goOn();
    else this.#socket.resume();
  }

  close(): void {
    if (this.#isLent) this.#floodReader?.takeBack();
    this.#isLent = false;
    this.#socket.destroy();
  }

  #open(): ReadStream {
    const socket = new ReadStream(this.#fd, {
      // Its own end of writing must not close the pty before all was read.
      allowHalfOpen: true,
      onread: {
        buffer: readBuffer,
        callback: (length, bytes) => {
          this.#handlers.take(bytes.subarray(0, length));
          this.#lendFlood(length);
          return this.#isOn && !this.#isLent;
        },
      },
    });
    // EIO is how Linux tells that nobody has the other side open any more; there is nothing to read after any other error either.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => {
      this.#takeRest();
      socket.destroy();
    });
    socket.on('close', () => this.#handlers.ended());
    socket.resume();
    return socket;
  }

  #lendFlood(length: number): void {
    if (this.#floodReader === undefined) return;
    const now = performance.now();
    if (now - this.#burstAt > floodMs) [this.#burstAt, this.#burstBytes] = [now, 0];
    this.#burstBytes += length;
    if (this.#burstBytes < this.#floodReader.floodBytes || !this.#isOn || this.isClosed) return;
    this.#burstBytes = 0;
    this.#isLent = this.#floodReader.lend(this.#fd, {
      take: (bytes) => {
        this.#handlers.take(bytes);
        return this.#isOn;
      },
      returned: () => {
        this.#isLent = false;
        if (this.#isOn) this.#socket.resume();
      },
    });
  }

  /**
   * On Node 22 the end is told as soon as the other side is closed, often with kilobytes still to be read. The file is open until
   * then, since the socket may be half open.
   */
  #takeRest(): void {
    try {
      for (let length = -1; length !== 0; ) {
        length = readSync(this.#fd, readBuffer);
        if (length > 0) this.#handlers.take(readBuffer.subarray(0, length));
      }
    } catch (error) {
      // EIO is the end of a pty on Linux.
      if (!(error instanceof Error && 'code' in error && (error.code === 'EIO' || error.code === 'EAGAIN')))
        throw error;
    }
  }
}
