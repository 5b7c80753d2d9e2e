import { Emitter } from '../../live/emitter.ts';
import { beforeFrame } from '../../live/frame.ts';
import type { CommandMark, CommandMarks } from './command-marks.ts';
import type { Emulator } from './emulator.ts';

/** A command whose first line is visible. */
export interface PlacedMark {
  readonly mark: CommandMark;
  /** Pixels from the top of the screen. */
  readonly top: number;
  /** Pixels. */
  readonly height: number;
}

/** The commands whose first lines are visible now. Updated at most once a frame. */
export class VisibleMarks {
  readonly #emulator: Emulator;
  readonly #marks: CommandMarks;
  readonly #changed = new Emitter();
  readonly #undo: (() => void)[];
  #placed: readonly PlacedMark[] = [];

  constructor(emulator: Emulator, marks: CommandMarks) {
    this.#emulator = emulator;
    this.#marks = marks;
    const update = (): void => {
      beforeFrame(this.#update);
    };
    const { terminal } = emulator;
    const events = [terminal.onRender(update), terminal.onResize(update)];
    this.#undo = [marks.onChange(update), ...events.map((event) => () => event.dispose())];
  }

  /** The same array until something changes. */
  get placed(): readonly PlacedMark[] {
    return this.#placed;
  }

  /** Calls `listener` after `placed` changed. Returns a function that removes it. */
  onChange = (listener: () => void): (() => void) => this.#changed.add(listener);

  dispose(): void {
    for (const undo of this.#undo) undo();
  }

  readonly #update = (): void => {
    const next = this.#find();
    const isSame =
      next.length === this.#placed.length &&
      next.every(({ mark, top, height }, index) => {
        const known = this.#placed[index];
        return known?.mark === mark && known.top === top && known.height === height;
      });
    if (isSame) return;
    this.#placed = next;
    this.#changed.emit();
  };

  #find(): PlacedMark[] {
    const { terminal } = this.#emulator;
    const { type, viewportY } = terminal.buffer.active;
    if (type === 'alternate') return [];
    const visible = this.#marks.marks.filter(
      ({ start }) => start.line >= viewportY && start.line < viewportY + terminal.rows,
    );
    if (visible.length === 0) return [];
    const { height } = this.#emulator.cell;
    return visible.map((mark) => ({ mark, top: Math.round((mark.start.line - viewportY) * height), height }));
  }
}
