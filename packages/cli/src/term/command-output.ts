import type { Context } from '../context.ts';
import type { Screen } from '../render/screen.ts';
import { DisplayFilter, FileFilter } from './display-filter.ts';

/** So much of what was written last is looked for in a snapshot, in UTF-16 units. */
const tailLength = 4_096;

/** Writes output to a window as it is, and to a file without what is for windows alone. */
export class CommandOutput {
  readonly #screen: Screen;
  readonly #display: DisplayFilter | undefined;
  readonly #file: FileFilter;
  #tail = '';

  constructor({ stdout }: Context, screen: Screen, isRaw: boolean) {
    this.#screen = screen;
    this.#display = stdout.isTTY === true ? new DisplayFilter() : undefined;
    this.#file = new FileFilter(isRaw);
  }

  /** Goes on in a snapshot behind what was written; where that is not in it any more, what is missed cannot be told. */
  continueIn(content: string): void {
    const start = this.#tail === '' ? 0 : content.lastIndexOf(this.#tail);
    if (start < 0) this.#screen.note('some output was missed, or shows twice');
    this.write(start < 0 ? content : content.slice(start + this.#tail.length));
  }

  /** The next piece. */
  write(text: string): void {
    this.#tail = (this.#tail + text).slice(-tailLength);
    this.#screen.text(this.#display?.next(text) ?? this.#file.next(text));
  }

  /** The last has come: what waits is written, a window put back as it was. */
  end(): void {
    this.#screen.text(this.#display?.modes.restore() ?? this.#file.rest());
  }
}
