import type { JournalWrite } from '../journal/journal.ts';

/** Journal rows or bytes at which a tick is committed early, between two causes. */
const EARLY_ROWS = 1_000;
const EARLY_BYTES = 1024 * 1024;

/** Output that waits for a commit. */
export interface Output {
  send(): void;
  /** Called instead if the commit fails. */
  readonly dropped: (() => void) | undefined;
}

/** A change in memory that can be undone. */
export interface Undo {
  restore(): void;
  /**
   * The object whose whole state it restores. Of several undos for one subject in a tick, only the first is
   * needed. Absent: the undo is always needed.
   */
  readonly subject?: object;
}

/** The size of a tick at a point in time. */
interface TickMark {
  readonly writes: number;
  readonly bytes: number;
  readonly output: number;
  readonly effects: number;
  readonly undo: number;
  readonly redo: number;
}

/** The changes of one iteration of the event loop: one transaction, and the output that waits for it. */
export class Tick<Work = unknown> {
  /** By `steadyNow`. */
  readonly beganAt: number;
  readonly writes: JournalWrite[] = [];
  readonly output: Output[] = [];
  readonly effects: (() => void)[] = [];
  /** Changes in memory, oldest first. */
  readonly undo: Undo[] = [];
  /** Causes of the host, to run again after a failed commit. */
  readonly redo: Work[] = [];
  /** Subjects that already have an undo. */
  readonly #subjects = new Set<object>();
  #bytes = 0;

  constructor(beganAt: number) {
    this.beganAt = beganAt;
  }

  /** Size of the journal rows. Text is counted in UTF-16 code units. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True if the tick is too large for another cause. */
  get isLarge(): boolean {
    return this.writes.length >= EARLY_ROWS || this.#bytes >= EARLY_BYTES;
  }

  write(row: JournalWrite): void {
    this.writes.push(row);
    if ('json' in row) this.#bytes += row.json.length;
    else if ('state' in row) this.#bytes += row.state.length;
    else if (row.op === 'content') this.#bytes += row.data.byteLength;
  }

  mark(): TickMark {
    return {
      writes: this.writes.length,
      bytes: this.#bytes,
      output: this.output.length,
      effects: this.effects.length,
      undo: this.undo.length,
      redo: this.redo.length,
    };
  }

  /**
   * Ends the possibility to undo the changes since `since` separately, and releases the intermediate states.
   */
  settle(since: TickMark): void {
    const kept = this.undo.splice(since.undo).filter(({ subject }) => {
      if (subject === undefined) return true;
      const isFirst = !this.#subjects.has(subject);
      this.#subjects.add(subject);
      return isFirst;
    });
    for (const change of kept) this.undo.push(change);
  }

  /** Removes the changes since `since`. Returns their undos in the order in which to run them. */
  takeBack(since: TickMark): Undo[] {
    this.writes.length = since.writes;
    this.#bytes = since.bytes;
    this.output.length = since.output;
    this.effects.length = since.effects;
    this.redo.length = since.redo;
    return this.undo.splice(since.undo).toReversed();
  }
}
