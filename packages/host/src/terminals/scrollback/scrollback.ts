import { outputLength, type TerminalContentPart } from '@agenthost/protocol';
import type { Size } from './emulator.ts';
import { fold, SCROLLBACK_LINES, type SizeChange } from './head.ts';
import { isPlainText, newestLines } from './plain.ts';
import { CONTENT_LIMIT, HEAD_MARK, headOf, textOfAll, trimParts, withHead } from './trim.ts';

/** A head longer than this, in UTF-16 units, is folded. */
const FOLD_ABOVE = 256 * 1024;

/** A head this long means that output comes faster than it can be folded. */
const BEHIND_ABOVE = 4 * 1024 * 1024;

/** Plain text shorter than this is not looked through again for what was pushed out. */
const SHORTEN_ABOVE = 64 * 1024;

/** What clients do on `terminal/cleared`, as output: erases the screen and what is above it, cursor to the top left. */
export const CLEAR = '\x1b[2J\x1b[3J\x1b[H';

export interface ScrollbackOptions {
  /** UTF-16 units of output that stay as parts. Default 1 MiB [TERM-4]. */
  readonly limit?: number;
  /** Lines above the screen that survive folding. Default 1,000. */
  readonly lineCount?: number;
  /** Default 256 KiB. */
  readonly foldAbove?: number;
}

/** A head to be put in place of the one that it was made of. */
export interface Folded {
  readonly from: string;
  readonly head: string;
  readonly size: Size;
  /** See `FoldedTerminal`. */
  readonly plainModes: string | undefined;
}

/** A head that ends in plain text: from `at` on, written on a terminal with these modes in this style. */
interface PlainHead {
  readonly head: string;
  readonly at: number;
  readonly modes: string;
  readonly style: string;
}

/**
 * Bounds one terminal's content [TERM-4]. What it knows beside the content only saves work: content alone is right at any
 * time, and enough to go on with after a restart. Nothing here changes a channel: the caller puts what is returned into its
 * window.
 */
export class Scrollback {
  readonly #limit: number;
  readonly #lineCount: number;
  readonly #foldAbove: number;
  #plain: PlainHead | undefined;
  #sizes: SizeChange[];
  #isFolding = false;
  #isStale = false;
  /** Text without a head begins on a fresh terminal; not behind a `cleared`. */
  #isFresh = true;

  /** `size`: the terminal's now. */
  constructor(size: Size, options: ScrollbackOptions = {}) {
    this.#limit = options.limit ?? CONTENT_LIMIT;
    this.#lineCount = options.lineCount ?? SCROLLBACK_LINES;
    this.#foldAbove = options.foldAbove ?? FOLD_ABOVE;
    this.#sizes = [{ at: 0, ...size }];
  }

  get #size(): Size {
    const { cols = 80, rows = 24 } = this.#sizes.at(-1) ?? {};
    return { cols, rows };
  }

  /** Content within its bound; the same array when there is nothing to do. Cheap enough for every action. */
  trim(content: TerminalContentPart[]): TerminalContentPart[] {
    const head = headOf(content);
    const parts = head === undefined ? content : content.slice(1);
    const trimmed = trimParts(parts, this.#limit);
    if (trimmed === undefined) return content;
    const next = withHead(trimmed.kept, this.#grown(head, trimmed.dropped));
    this.#shift(content, next);
    return next;
  }

  /** Whether to stop reading the pty until the fold that runs was applied. */
  isBehind(content: readonly TerminalContentPart[]): boolean {
    return this.#isFolding && (headOf(content)?.length ?? 0) > BEHIND_ABOVE;
  }

  /** Whether the head is short enough, or there is none. */
  isShort(content: readonly TerminalContentPart[]): boolean {
    return (headOf(content)?.length ?? 0) <= this.#foldAbove;
  }

  /** Begins to fold the head. `undefined`: it is short enough, or a fold runs. Never rejects. */
  fold(content: readonly TerminalContentPart[]): Promise<Folded> | undefined {
    const head = headOf(content);
    if (head === undefined || this.#isFolding) return undefined;
    if (this.isShort(content) && !this.#isStale) return undefined;
    this.#isFolding = true;
    this.#isStale = false;
    return this.#folded(head).finally(() => {
      this.#isFolding = false;
    });
  }

  /**
   * Content with the folded head in place of the text that it was made of; what was trimmed since stays behind it. The same
   * array when the head is another one by now.
   */
  apply(
    content: TerminalContentPart[],
    { from, head, size, plainModes: modes }: Folded,
  ): TerminalContentPart[] {
    const now = headOf(content);
    if (now === undefined || !now.startsWith(from)) return content;
    const written = this.#sizes.findLast(({ at }) => at <= from.length) ?? { at: 0, ...size };
    const grown = head.length - from.length;
    this.#sizes = [
      { at: 0, ...size },
      ...(sameSize(written, size) ? [] : [{ ...written, at: head.length }]),
      ...this.#sizes
        .filter(({ at }) => at > from.length)
        .map((change) => ({ ...change, at: change.at + grown })),
    ];
    this.#plain =
      modes === undefined || !sameSize(size, this.#size)
        ? undefined
        : { head, at: head.length, modes, style: '' };
    const rest = now.slice(from.length);
    return withHead(content, rest === '' ? head : this.#grown(head, rest));
  }

  /** The terminal has another size from the end of this content on. A head is worth folding again: `fold`. */
  resized(content: readonly TerminalContentPart[], size: Size): void {
    if (sameSize(size, this.#size)) return;
    this.#sizes.push({ at: lengthOf(content), ...size });
    this.#plain = undefined;
    this.#isStale = headOf(content) !== undefined;
  }

  /**
   * `terminal/cleared` emptied this content. Resolves with what late viewers need in front of what comes next, for `prepend`:
   * modes and, behind an alternate screen, the other one. Empty when a fresh terminal is the same. Never rejects.
   */
  async cleared(content: readonly TerminalContentPart[]): Promise<string> {
    const text = textOfAll(content) + CLEAR;
    const sizes = this.#sizes;
    const size = this.#size;
    this.#sizes = [{ at: 0, ...size }];
    this.#plain = undefined;
    this.#isFresh = false;
    const fresh = { sizes: [], size, scrollbackLines: this.#lineCount };
    try {
      const { head } = await fold({ ...fresh, text, sizes });
      return head === (await fold({ ...fresh, text: '' })).head ? '' : head;
    } catch {
      return ''; // The emulator failed on this output: viewers start on a fresh terminal.
    }
  }

  /** Puts the outcome of `cleared` in front of what came since. */
  prepend(content: TerminalContentPart[], front: string): TerminalContentPart[] {
    if (front === '') {
      this.#isFresh = headOf(content) === undefined;
      return content;
    }
    const next = withHead(content, front + (headOf(content) ?? ''));
    this.#shift(content, next);
    return next;
  }

  /** `head` with what was dropped behind it, shorter when that is plain text. */
  #grown(head: string | undefined, dropped: string): string {
    const known = this.#plainAt(head);
    this.#plain = undefined;
    const grown = (head ?? HEAD_MARK) + dropped;
    if (known === undefined || !isPlainText(dropped)) return grown;
    const { modes, style, at } = known;
    const options = { size: this.#size, lineCount: this.#lineCount };
    const isShort = grown.length - at < SHORTEN_ABOVE;
    const newest = isShort ? undefined : newestLines(grown.slice(at), style, options);
    if (newest === undefined) {
      this.#plain = { ...known, head: grown };
      return grown;
    }
    const front = HEAD_MARK + modes + newest.style;
    const shortened = front + newest.text;
    this.#plain = { modes, style: newest.style, head: shortened, at: front.length };
    return shortened;
  }

  #plainAt(head: string | undefined): PlainHead | undefined {
    if (this.#sizes.length > 1) return undefined;
    if (head !== undefined) return this.#plain?.head === head ? this.#plain : undefined;
    return this.#isFresh ? { head: HEAD_MARK, at: HEAD_MARK.length, modes: '', style: '' } : undefined;
  }

  /** The front of the text became shorter or longer: what stands behind it moved. */
  #shift(before: readonly TerminalContentPart[], after: readonly TerminalContentPart[]): void {
    if (this.#sizes.length < 2) return;
    const by = lengthOf(after) - lengthOf(before);
    this.#sizes = this.#sizes.map((change) => (change.at === 0 ? change : { ...change, at: change.at + by }));
  }

  async #folded(head: string): Promise<Folded> {
    const size = this.#size;
    const sizes = this.#sizes.filter(({ at }) => at <= head.length);
    try {
      const folded = await fold({ text: head, sizes, size, scrollbackLines: this.#lineCount });
      return { from: head, head: folded.head, size, plainModes: folded.plainModes };
    } catch {
      // The emulator failed on this output, as those of viewers may: the newest of it is the best that there is.
      const text = head.slice(-SHORTEN_ABOVE);
      return {
        from: head,
        head: HEAD_MARK + text.slice(text.indexOf('\n') + 1),
        size,
        plainModes: undefined,
      };
    }
  }
}

const sameSize = (a: Size, b: Size): boolean => a.cols === b.cols && a.rows === b.rows;

const lengthOf = (content: readonly TerminalContentPart[]): number => outputLength({ content });
