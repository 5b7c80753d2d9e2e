import type { JournalWrite } from '../journal/journal.ts';

/** A tick is committed early at this many journal rows or bytes, between two causes. */
const EARLY_ROWS = 1_000;
const EARLY_BYTES = 1024 * 1024;

/** Something that waits behind a commit. */
export interface Output {
  send(): void;
  /** Called instead when the commit fails. */
  readonly dropped: (() => void) | undefined;
}

/** What was changed in memory, and can be taken back. */
export interface Undo {
  restore(): void;
  /** Whose whole state it brings back: of several in one tick the first is enough. Absent: it stands for itself. */
  readonly subject?: object;
}

/** How much a tick held at some moment. */
interface TickMark {
  readonly writes: number;
  readonly bytes: number;
  readonly output: number;
  readonly effects: number;
  readonly undo: number;
  readonly redo: number;
}

/** What one turn of the event loop changed: one transaction, and all that waits behind it. */
export class Tick<Work = unknown> {
  /** By `steadyNow`. */
  readonly beganAt: number;
  readonly writes: JournalWrite[] = [];
  readonly output: Output[] = [];
  readonly effects: (() => void)[] = [];
  /** What it changed in memory, oldest first. */
  readonly undo: Undo[] = [];
  /** The host's own causes, to run again after a failed commit. */
  readonly redo: Work[] = [];
  /** Whose state can be brought back already. */
  readonly #subjects = new Set<object>();
  #bytes = 0;

  constructor(beganAt: number) {
    this.beganAt = beganAt;
  }

  /** Of its journal rows: text in UTF-16 code units. */
  get bytes(): number {
    return this.#bytes;
  }

  /** So large that no further cause should join it. */
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

  /** What came since is not taken back by itself any more: the states in between that only this needed are let go. */
  settle(since: TickMark): void {
    const kept = this.undo.splice(since.undo).filter(({ subject }) => {
      if (subject === undefined) return true;
      const isFirst = !this.#subjects.has(subject);
      this.#subjects.add(subject);
      return isFirst;
    });
    for (const change of kept) this.undo.push(change);
  }

  /** Forgets what came since; returns what is then to be restored, in this order. */
  takeBack(since: TickMark): Undo[] {
    this.writes.length = since.writes;
    this.#bytes = since.bytes;
    this.output.length = since.output;
    this.effects.length = since.effects;
    this.redo.length = since.redo;
    return this.undo.splice(since.undo).toReversed();
  }
}
