import type { ContentPlace } from '@agenthost/client';
import type { Context } from '../process/context.ts';
import type { Screen } from '../render/screen.ts';
import { DisplayFilter, FileFilter } from './display-filter.ts';

/** UTF-16 units of the last output that are searched in a snapshot. */
const TAIL_LENGTH = 4_096;

/** Writes output to a terminal unchanged, and to a file without escape sequences. */
export class CommandOutput {
  readonly #screen: Screen;
  readonly #display: DisplayFilter | undefined;
  readonly #file: FileFilter;
  #tail = '';
  /** UTF-16 units that the terminal had put out up to what was written last. */
  #length = 0;

  constructor({ stdout }: Context, screen: Screen, isRaw: boolean) {
    this.#screen = screen;
    this.#display = stdout.isTTY === true ? new DisplayFilter() : undefined;
    this.#file = new FileFilter(isRaw);
  }

  /** Goes on in a snapshot behind what was written, and says so when that is not in it any more. */
  continueIn(content: string, { start, screenLength }: ContentPlace): void {
    const output = content.slice(screenLength);
    const seen = this.#length - start;
    if (seen < 0) {
      this.#screen.note(missedText(-seen, this.#length));
      // A window needs what they left on the screen; a file has some of that already.
      if (this.#display === undefined) this.#screen.text(this.#file.cut());
      this.write(this.#display === undefined ? output : content);
    } else if (seen <= output.length && this.#isWritten(output.slice(0, seen)))
      this.write(output.slice(seen));
    else this.#search(content);
    this.#length = start + output.length;
  }

  /** The next piece. */
  write(text: string): void {
    this.#length += text.length;
    this.#tail = (this.#tail + text).slice(-TAIL_LENGTH);
    this.#screen.text(this.#display?.next(text) ?? this.#file.next(text));
  }

  /** Whether what was written ends with this, as far as both are known. */
  #isWritten(output: string): boolean {
    const length = Math.min(output.length, this.#tail.length);
    return output.slice(output.length - length) === this.#tail.slice(this.#tail.length - length);
  }

  /** For a host that does not send the position of a snapshot. In repetitive output this is a guess. */
  #search(content: string): void {
    const start = content.lastIndexOf(this.#tail);
    if (start < 0 || content.indexOf(this.#tail) < start)
      this.#screen.note('some output is missing or shown twice');
    this.write(start < 0 ? content : content.slice(start + this.#tail.length));
  }

  /** The last has come: what waits is written, a window put back as it was. */
  end(): void {
    this.#screen.text(this.#display?.modes.restore() ?? this.#file.rest());
  }
}

function missedText(count: number, before: number): string {
  const counted = `${count.toLocaleString('en')} characters of output`;
  return before === 0
    ? `the first ${counted} are missing`
    : `${counted} are missing after the first ${before.toLocaleString('en')}`;
}
