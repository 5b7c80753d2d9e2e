import { Worker } from 'node:worker_threads';
import { SharedRing } from './shared-ring.ts';

/** So much is taken within one turn of the event loop, so that everything else goes on: about what one delivery holds. */
const turnBytes = 56 * 1024;
/** A pty that nothing more is taken of is given back after so long, ms: others may need the thread. */
const patienceMs = 250;
/** Twice what a thread of Node begins with; nothing of what it does stays. */
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };

/** Whose pty is lent. */
export interface FloodLender {
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
  /** The thread ends when it was not needed for so long, since it takes some 10 MB. Default 10,000 ms. */
  readonly idleMs?: number;
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
  #lender: FloodLender | undefined;
  #isPaused = false;
  /** Bytes of the ring that the lender is looking at. */
  #inHand = 0;
  #next: NodeJS.Immediate | undefined;
  /** Ends a thread that is not lent anything, or a loan that is paused. */
  #patience: NodeJS.Timeout | undefined;

  constructor(options: FloodReaderOptions) {
    this.#options = options;
    this.floodBytes = options.floodBytes ?? 512 * 1024;
  }

  /**
   * Lends `fd`, which must be non-blocking, and not be read until it is back. False when it cannot be had: another one is lent, or
   * there is no thread, or none yet, which is started then.
   */
  lend(fd: number, lender: FloodLender): boolean {
    if (this.#lender !== undefined || this.#hasFailed) return false;
    this.#worker ??= this.#start();
    if (!this.#isReady) return false;
    clearTimeout(this.#patience);
    this.#lender = lender;
    this.#isPaused = false;
    this.#ring.lend(fd);
    return true;
  }

  /** After `take` returned false: hands over what has come meanwhile, not within the call. */
  goOn(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    clearTimeout(this.#patience);
    this.#drainSoon();
  }

  /** Nothing reads the pty any more when this returns; what was read was handed over. Blocks for as long as one read takes. */
  takeBack(): void {
    // It is back already, and its owner ends it while it looks at what was left.
    if (this.#lender === undefined) return;
    if (!this.#ring.takeBack()) this.#giveUp(new Error('the thread did not come back from a read'));
    this.#finish();
  }

  /** Ends the thread. Nothing may be lent. */
  async close(): Promise<void> {
    clearTimeout(this.#patience);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    await worker?.terminate();
  }

  /** Undefined when the system has no thread left. */
  #start(): Worker | undefined {
    this.#ring = new SharedRing();
    try {
      const worker = new Worker(this.#options.program ?? threadProgram(), {
        workerData: { memory: this.#ring.memory, layout: SharedRing.layout },
        resourceLimits,
        env: {},
        execArgv: [],
      });
      // One that is being ended has no say any more.
      const ifPresent = (act: () => void): void => {
        if (worker === this.#worker) act();
      };
      worker.on('online', () => ifPresent(() => this.#stand()));
      worker.on('message', () => ifPresent(() => this.#drainSoon()));
      worker.on('error', (error) => ifPresent(() => this.#fail(error)));
      // A program may end while its thread waits.
      worker.unref();
      return worker;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #stand(): void {
    this.#isReady = true;
    this.#restSoon();
  }

  #restSoon(): void {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => void this.close(), this.#options.idleMs ?? 10_000).unref();
  }

  #drain(): void {
    this.#next = undefined;
    this.#handOver(turnBytes);
    if (this.#isPaused || this.#lender === undefined) return;
    // In this order: what is read after the look is told again.
    const isOver = !this.#ring.isLent;
    if (!this.#ring.awaitBytes()) this.#drainSoon();
    else if (isOver) this.#finish()?.returned();
  }

  #drainSoon(): void {
    this.#next ??= setImmediate(() => this.#drain());
  }

  #handOver(limit: number): void {
    const lender = this.#lender;
    for (let left = limit; left > 0 && !this.#isPaused && lender === this.#lender; ) {
      const bytes = this.#ring.filled(left);
      if (bytes.length === 0) break;
      left -= bytes.length;
      this.#inHand = bytes.length;
      // It may take the pty back within the call.
      this.#isPaused = lender?.take(bytes) === false;
      this.#letGo();
    }
    if (this.#isPaused && this.#lender !== undefined) this.#loseSoon();
  }

  #loseSoon(): void {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => {
      const lender = this.#lender;
      this.takeBack();
      lender?.returned();
    }, patienceMs).unref();
  }

  #letGo(): void {
    this.#ring.take(this.#inHand);
    this.#inHand = 0;
  }

  /** Nobody reads: what is left in the ring goes to the lender, and the ring is free for the next one. */
  #finish(): FloodLender | undefined {
    const lender = this.#lender;
    this.#lender = undefined;
    this.#letGo();
    for (let bytes = this.#ring.filled(turnBytes); bytes.length > 0; bytes = this.#ring.filled(turnBytes)) {
      lender?.take(bytes);
      this.#ring.take(bytes.length);
    }
    this.#ring.awaitBytes();
    clearImmediate(this.#next);
    this.#next = undefined;
    if (this.#worker !== undefined) this.#restSoon();
    return lender;
  }

  /** The thread has ended by itself. */
  #fail(error: unknown): void {
    this.#giveUp(error);
    if (this.#lender !== undefined) this.#finish()?.returned();
  }

  #giveUp(error: unknown): void {
    this.#hasFailed = true;
    this.#ring.takeBackFromNobody();
    void this.close();
    this.#options.failed(error);
  }
}

/** As this module is one: TypeScript from sources, JavaScript from a build. */
function threadProgram(): URL {
  if (import.meta.url.endsWith('.ts')) return new URL('./thread.ts', import.meta.url);
  return new URL('./thread.js', import.meta.url);
}
