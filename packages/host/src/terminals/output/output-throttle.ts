import type { Cancel, Timers } from '../../lib/clock.ts';
import type { OutputEvent } from '../../pty/parser/events.ts';

/** The longest time that output waits, ms. `ReadGathering` may have held it for 2 ms before. */
const GATHER_MS = 6;
/** Text that is written at once, in UTF-16 code units: one `terminal/data` action holds no more than this and one delivery. */
const GATHER_LENGTH = 48 * 1024;
/** Writes of at most `QUICK_LENGTH` that need not wait, in each `GATHER_MS`: echoes of keys, and a prompt that is drawn in pieces. */
const QUICK_WRITES = 4;
/** UTF-16 code units. */
const QUICK_LENGTH = 1024;
/** Queries that are answered in one write. Each splits the output. */
const MAX_QUERIES = 64;

/** An event of a pty, and when the host read it, ms since the epoch. */
export interface ReadEvent {
  readonly event: OutputEvent;
  readonly at: number;
}

/**
 * Throttles the output of one terminal: the first output after a silence is written at once, later output is gathered. Joins
 * neighbouring texts, and keeps only the newest working directory. Titles have a throttle of their own.
 */
export class OutputThrottle {
  readonly #timers: Timers;
  readonly #write: () => void;
  #events: ReadEvent[] = [];
  #length = 0;
  #queryCount = 0;
  #workingDirectory: ReadEvent | undefined;
  #isWaiting = false;
  /** Runs for `GATHER_MS` after each write that waited. */
  #cancelWindow: Cancel | undefined;
  #quickWritesLeft = 0;

  /** `write` takes the gathered events with `take`. */
  constructor(timers: Timers, write: () => void) {
    this.#timers = timers;
    this.#write = write;
  }

  /** Length of the gathered text, in UTF-16 code units. */
  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#workingDirectory === undefined;
  }

  /** Gathers an event that was read at `at`, ms since the epoch. `arrived` decides when it is written. */
  add(event: OutputEvent, at: number): void {
    if (isWorkingDirectory(event)) {
      this.#workingDirectory = { event, at };
      return;
    }
    if (event.type === 'query') {
      this.#queryCount += 1;
      if (this.#queryCount > MAX_QUERIES) return;
    }
    if (event.type !== 'text') {
      this.#events.push({ event, at });
      return;
    }
    this.#length += event.text.length;
    const last = this.#events.at(-1);
    if (last?.event.type === 'text') {
      const text = last.event.text + event.text;
      this.#events[this.#events.length - 1] = { event: { type: 'text', text }, at: last.at };
    } else {
      this.#events.push({ event, at });
    }
  }

  /** Output was read. May write within the call. */
  arrived(): void {
    this.#isWaiting = true;
    if (this.#cancelWindow === undefined) this.#beginWindow();
    else if (this.#length >= GATHER_LENGTH) this.#restartWindow();
    else if (this.#length <= QUICK_LENGTH && this.#quickWritesLeft > 0) {
      this.#quickWritesLeft -= 1;
      this.flush();
    }
  }

  /** Writes now. */
  flush(): void {
    this.#isWaiting = false;
    this.#write();
  }

  /** Removes and returns the gathered events, in order, the working directory last. */
  take(): ReadEvent[] {
    const events = this.#events;
    if (this.#workingDirectory !== undefined) events.push(this.#workingDirectory);
    this.#events = [];
    this.#workingDirectory = undefined;
    this.#queryCount = 0;
    this.#length = 0;
    return events;
  }

  /** Stops the timer; from then on only `flush` writes. */
  end(): void {
    this.#cancelWindow?.();
    this.#cancelWindow = () => undefined;
    this.#isWaiting = false;
  }

  #beginWindow(): void {
    this.#quickWritesLeft = QUICK_WRITES;
    this.#restartWindow();
  }

  /** The time begins again with each full piece, so that a flood stays in full pieces. */
  #restartWindow(): void {
    this.#cancelWindow?.();
    this.#cancelWindow = this.#timers.after(GATHER_MS, () => {
      this.#cancelWindow = undefined;
      if (this.#isWaiting) this.#beginWindow();
    });
    this.flush();
  }
}

const isWorkingDirectory = (event: OutputEvent): boolean =>
  event.type === 'cwd' || (event.type === 'mark' && event.mark.kind === 'cwd');
