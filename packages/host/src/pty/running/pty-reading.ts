import { ReadStream } from 'node:tty';

/** The buffer of all reads. A read is handled before the next one, so all ptys share it. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

export interface PtyReadingHandlers {
  /** `bytes` are valid only during the call. */
  take(bytes: Uint8Array): void;
  /** The output has ended. Called once. */
  ended(): void;
}

/** Reads a pty. Owns its file, and closes it at the end of the output or in `close`. */
export class PtyReading {
  readonly #fd: number;
  readonly #handlers: PtyReadingHandlers;
  readonly #socket: ReadStream;
  #isOn = true;

  /** Begins to read at once. */
  constructor(fd: number, handlers: PtyReadingHandlers) {
    this.#fd = fd;
    this.#handlers = handlers;
    this.#socket = this.#open();
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** False while paused. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Stops reading. A read that has begun may still be delivered. */
  pause(): void {
    this.#isOn = false;
    this.#socket.pause();
  }

  resume(): void {
    this.#isOn = true;
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #open(): ReadStream {
    const socket = new ReadStream(this.#fd, {
      // The end of the writing side must not close the pty before all output was read.
      allowHalfOpen: true,
      onread: {
        buffer: readBuffer,
        callback: (length, bytes) => {
          this.#handlers.take(bytes.subarray(0, length));
          return this.#isOn;
        },
      },
    });
    // Linux reports EIO when no process has the other side open. No error leaves anything to read.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#handlers.ended());
    socket.resume();
    return socket;
  }
}
