import { ReadStream } from 'node:tty';

/** What reads go through, one after another: a read is over before anything else runs, so all ptys share it. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

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
  readonly #socket: ReadStream;
  #isOn = true;

  /** Reads from the start. */
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

  /** Reads no more, but for what was under way. */
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
      // Its own end of writing must not close the pty before all was read.
      allowHalfOpen: true,
      onread: {
        buffer: readBuffer,
        callback: (length, bytes) => {
          this.#handlers.take(bytes.subarray(0, length));
          return this.#isOn;
        },
      },
    });
    // EIO is how Linux tells that nobody has the other side open any more; there is nothing to read after any other error either.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#handlers.ended());
    socket.resume();
    return socket;
  }
}
