import { outputLength, type TerminalContentPart } from '@agenthost/protocol';
import type { Size } from './emulator.ts';
import { fold, SCROLLBACK_LINES, type SizeChange } from './head.ts';
import { isPlainText, newestLines } from './plain.ts';
import { HEAD_MARK, headOf, textOfAll, trimParts, withHead } from './trim.ts';

/**
 * A longer head is folded: this share of the limit, but at least and at most so many UTF-16 code units. A fold reads the whole head, so it must
 * not happen too often.
 */
const FOLD_ABOVE = { share: 0.75, least: 48 * 1024, most: 256 * 1024 } as const;

/** A head of this multiple of `FOLD_ABOVE` means that output comes faster than it can be folded. */
const BEHIND_FACTOR = 16;

/** Of a head that is folded or shortened, this share of `FOLD_ABOVE` stays. */
const FOLDED_SHARE = 0.5;

/** Text that stays of a head that the emulator failed on, in UTF-16 code units. */
const UNREADABLE_LENGTH = 16 * 1024;

/** The effect of `terminal/cleared` in clients, as output: erases the screen and the lines above it, and moves the cursor to the top left. */
export const CLEAR = '\x1b[2J\x1b[3J\x1b[H';

export interface ScrollbackOptions {
  /** Limit of the output in parts, in UTF-16 code units [TERM-4]. */
  readonly limit: number;
  /** Lines above the screen that a folded head keeps at most. Default 1,000. Fewer if the head would be longer than `foldedLength`. */
  readonly lineCount?: number;
  /** A longer head is folded, in UTF-16 code units. Default: three quarters of the limit, from 49,152 to 262,144. */
  readonly foldAbove?: number;
  /** Length of a folded head, unless its screen alone is longer, in UTF-16 code units. Default: half of `foldAbove`. */
  readonly foldedLength?: number;
}

/** A folded head, and the head that it replaces. */
export interface Folded {
  readonly from: string;
  readonly head: string;
  readonly size: Size;
  /** See `FoldedTerminal`. */
  readonly plainModes: string | undefined;
}

/** A head that is plain text from `at` on. A terminal has these modes and this style there. */
interface PlainHead {
  readonly head: string;
  readonly at: number;
  readonly modes: string;
  readonly style: string;
}

/**
 * Bounds the content of one terminal [TERM-4]. Its own state only saves work: a new instance can continue from the content alone, as
 * after a restart. It changes no channel; the caller stores the content that the methods return.
 */
export class Scrollback {
  readonly #limit: number;
  readonly #lineCount: number;
  readonly #foldAbove: number;
  readonly #foldedLength: number;
  #plain: PlainHead | undefined;
  #sizes: SizeChange[];
  #isFolding = false;
  #isStale = false;
  /** Text without a head begins on an empty terminal. False behind a `cleared`. */
  #isFresh = true;

  /** `size`: the present size of the terminal. */
  constructor(size: Size, options: ScrollbackOptions) {
    this.#limit = options.limit;
    this.#lineCount = options.lineCount ?? SCROLLBACK_LINES;
    const { share, least, most } = FOLD_ABOVE;
    this.#foldAbove = options.foldAbove ?? Math.min(most, Math.max(least, share * options.limit));
    this.#foldedLength = options.foldedLength ?? this.#foldAbove * FOLDED_SHARE;
    this.#sizes = [{ at: 0, ...size }];
  }

  get #size(): Size {
    const { cols = 80, rows = 24 } = this.#sizes.at(-1) ?? {};
    return { cols, rows };
  }

  /** Returns the content within its bound; the same array when it is short enough. Cheap enough for every action. */
  trim(content: TerminalContentPart[]): TerminalContentPart[] {
    const head = headOf(content);
    const parts = head === undefined ? content : content.slice(1);
    const trimmed = trimParts(parts, this.#limit);
    if (trimmed === undefined) return content;
    const next = withHead(trimmed.kept, this.#grown(head, trimmed.dropped));
    this.#shift(content, next);
    return next;
  }

  /** Whether to stop reading the pty until `apply` of the running fold. */
  isBehind(content: readonly TerminalContentPart[]): boolean {
    return this.#isFolding && (headOf(content)?.length ?? 0) > BEHIND_FACTOR * this.#foldAbove;
  }

  /** Whether there is no head, or a short one. */
  isShort(content: readonly TerminalContentPart[]): boolean {
    return (headOf(content)?.length ?? 0) <= this.#foldAbove;
  }

  /** Begins to fold the head. Returns `undefined` when the head is short or a fold is running. Never rejects. */
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
   * Returns the content with the folded head in place of the original one. Text that was trimmed since stays behind it. Returns the same
   * array when the content has another head now.
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

  /** The terminal has another size from the end of this content on. Call `fold` afterwards. */
  resized(content: readonly TerminalContentPart[], size: Size): void {
    if (sameSize(size, this.#size)) return;
    this.#sizes.push({ at: lengthOf(content), ...size });
    this.#plain = undefined;
    this.#isStale = headOf(content) !== undefined;
  }

  /**
   * `terminal/cleared` emptied this content. Resolves with the text that late viewers need in front of later output, for `prepend`: modes
   * and, with an alternate screen, the normal one. Empty when an empty terminal is the same. Never rejects.
   */
  async cleared(content: readonly TerminalContentPart[]): Promise<string> {
    const text = textOfAll(content) + CLEAR;
    const sizes = this.#sizes;
    const size = this.#size;
    this.#sizes = [{ at: 0, ...size }];
    this.#plain = undefined;
    this.#isFresh = false;
    const fresh = { sizes: [], size, scrollbackLines: this.#lineCount, maxLength: this.#foldedLength };
    try {
      const { head } = await fold({ ...fresh, text, sizes });
      return head === (await fold({ ...fresh, text: '' })).head ? '' : head;
    } catch {
      return ''; // The emulator failed on this output: viewers start on an empty terminal.
    }
  }

  /** Returns the content with the result of `cleared` in front. */
  prepend(content: TerminalContentPart[], front: string): TerminalContentPart[] {
    if (front === '') {
      this.#isFresh = headOf(content) === undefined;
      return content;
    }
    const next = withHead(content, front + (headOf(content) ?? ''));
    this.#shift(content, next);
    return next;
  }

  /** `head` and the dropped text, shortened where it is plain text. */
  #grown(head: string | undefined, dropped: string): string {
    const known = this.#plainAt(head);
    this.#plain = undefined;
    const grown = (head ?? HEAD_MARK) + dropped;
    if (known === undefined || !isPlainText(dropped)) return grown;
    const { modes, style, at } = known;
    const options = { size: this.#size, lineCount: this.#lineCount, maxLength: this.#foldedLength };
    const isShort = grown.length - at < this.#foldAbove;
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

  /** Moves the places of size changes after the text before them became shorter or longer. */
  #shift(before: readonly TerminalContentPart[], after: readonly TerminalContentPart[]): void {
    if (this.#sizes.length < 2) return;
    const by = lengthOf(after) - lengthOf(before);
    this.#sizes = this.#sizes.map((change) => (change.at === 0 ? change : { ...change, at: change.at + by }));
  }

  async #folded(head: string): Promise<Folded> {
    const size = this.#size;
    const sizes = this.#sizes.filter(({ at }) => at <= head.length);
    try {
      const folded = await fold({
        text: head,
        sizes,
        size,
        scrollbackLines: this.#lineCount,
        maxLength: this.#foldedLength,
      });
      return { from: head, head: folded.head, size, plainModes: folded.plainModes };
    } catch {
      // The emulator failed on this output, as the emulators of viewers may. Keeps the newest text.
      const text = head.slice(-UNREADABLE_LENGTH);
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
