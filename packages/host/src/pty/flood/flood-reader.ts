import { Worker } from 'node:worker_threads';
import { SharedRing } from './shared-ring.ts';

/** So much is taken within one turn of the event loop, so that everything else goes on: about what one delivery holds. */
const turnBytes = 56 * 1024;
/** The thread ends when it was not needed for so long, ms: it takes some 10 MB. */
const idleMs = 10_000;
/** Twice what a thread of Node begins with; nothing of what it does stays. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };

/** Whose pty is lent. */
export interface FloodBorrower {
  /** More of the pty; `bytes` are valid only during the call. False: no more until `goOn`. */
  take(bytes: Uint8Array): boolean;
  /** The flood is over: the owner reads on. Not called when it takes the pty back itself. */
  returned(): void;
}

export interface FloodReaderOptions {
  /** Hears why there is no thread any more: what is lent is returned, and nothing is lent again. Called once. */
  failed(error: unknown): void;
  /** So many bytes without a pause make a flood. Default 512 KiB. */
  readonly floodBytes?: number;
  /** The program of the thread. Default: the one beside this module. */
  readonly program?: URL;
}

/**
 * Reads a pty in a thread of its own while its program puts out all it can, one pty at a time. Linux hands out 4 KiB at once and
 * then fetches more, so whoever does anything between two reads makes the program wait. The owner keeps the file: it writes, and
 * closes it once it has taken the pty back.
 */
export class FloodReader {
  /** So many bytes without a pause make a flood: before, a pty is not worth lending. */
  readonly floodBytes: number;
  readonly #options: FloodReaderOptions;
  #worker: Worker | undefined;
  /** That of the thread: one that is ending must not see what the next one is lent. */
  #ring = new SharedRing();
  #isReady = false;
  #hasFailed = false;
  #borrower: FloodBorrower | undefined;
  #isPaused = false;
  /** Bytes of the ring that the borrower is looking at. */
  #inHand = 0;
  #next: NodeJS.Immediate | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: FloodReaderOptions) {
    this.#options = options;
    this.floodBytes = options.floodBytes ?? 512 * 1024;
  }

  /**
   * Lends `fd`, which must be non-blocking, and not be read until it is back. False when it cannot be had: another one is lent, or
   * there is no thread, or none yet, which is started then.
   */
  lend(fd: number, borrower: FloodBorrower): boolean {
    if (this.#borrower !== undefined || this.#hasFailed) return false;
    this.#worker ??= this.#start();
    if (!this.#isReady) return false;
    clearTimeout(this.#idle);
    this.#borrower = borrower;
    this.#isPaused = false;
    this.#ring.lend(fd);
    return true;
  }

  /** After `take` returned false: hands over what has come meanwhile, not within the call. */
  goOn(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#drainSoon();
  }

  /** Nothing reads the pty any more when this returns; what was read was handed over. Blocks for as long as one read takes. */
  takeBack(): void {
    // It is back already, and its owner ends it while it looks at what was left.
    if (this.#borrower === undefined) return;
    this.#ring.takeBack();
    this.#finish();
  }

  /** Ends the thread. Nothing may be lent. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    await worker?.terminate();
  }

  #start(): Worker {
    this.#ring = new SharedRing();
    const worker = new Worker(this.#options.program ?? threadProgram(), {
      workerData: this.#ring.memory,
      resourceLimits,
      env: {},
      execArgv: [],
    });
    worker.on('online', () => {
      this.#isReady = worker === this.#worker;
    });
    worker.on('message', () => this.#drain());
    worker.on('error', (error) => this.#fail(error));
    // A program may end while its thread waits.
    worker.unref();
    return worker;
  }

  #drain(): void {
    this.#next = undefined;
    this.#handOver(turnBytes);
    if (this.#isPaused || this.#borrower === undefined) return;
    // In this order: what is read after the look is told again.
    const isOver = !this.#ring.isLent;
    if (!this.#ring.awaitBytes()) this.#drainSoon();
    else if (isOver) this.#finish()?.returned();
  }

  #drainSoon(): void {
    this.#next ??= setImmediate(() => this.#drain());
  }

  #handOver(limit: number): void {
    const borrower = this.#borrower;
    for (let left = limit; left > 0 && !this.#isPaused && borrower === this.#borrower; ) {
      const bytes = this.#ring.filled(left);
      if (bytes.length === 0) break;
      left -= bytes.length;
      this.#inHand = bytes.length;
      // It may take the pty back within the call.
      this.#isPaused = borrower?.take(bytes) === false;
      this.#letGo();
    }
  }

  #letGo(): void {
    this.#ring.take(this.#inHand);
    this.#inHand = 0;
  }

  /** Nobody reads: what is left in the ring goes to the borrower, and the ring is free for the next one. */
  #finish(): FloodBorrower | undefined {
    const borrower = this.#borrower;
    this.#borrower = undefined;
    this.#letGo();
    for (let bytes = this.#ring.filled(turnBytes); bytes.length > 0; bytes = this.#ring.filled(turnBytes)) {
      borrower?.take(bytes);
      this.#ring.take(bytes.length);
    }
    this.#ring.awaitBytes();
    clearImmediate(this.#next);
    this.#next = undefined;
    this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    return borrower;
  }

  #fail(error: unknown): void {
    this.#worker = undefined;
    this.#hasFailed = true;
    this.#ring.takeBackFromNobody();
    if (this.#borrower !== undefined) this.#finish()?.returned();
    clearTimeout(this.#idle);
    this.#options.failed(error);
  }
}

/** As this module is one: TypeScript from sources, JavaScript from a build. */
function threadProgram(): URL {
  if (import.meta.url.endsWith('.ts')) return new URL('./thread.ts', import.meta.url);
  return new URL('./thread.js', import.meta.url);
}
