import { boundedTokens } from '../../render/bounded-markdown.ts';
import { PlainText, plain } from '../../render/plain-text.ts';
import { EMPTY_LINE, type Line } from '../text/line.ts';
import { blockLines, codeLines } from './markdown.ts';

/** An unfinished block longer than this is parsed again only after it has grown by an eighth. */
const EAGER_LENGTH = 8 * 1024;

/**
 * A Markdown text that grows, as lines. Blocks that are over are laid out once: only the last one is looked at again, so
 * that an answer of 10,000 lines costs no more at its end than at its beginning.
 */
export class MarkdownStream {
  readonly #width: number;
  readonly #plain = new PlainText();
  /** Characters of the source that are in `#text`. */
  #taken = 0;
  /** Text that may still change its layout, without control characters. */
  #tail = '';
  readonly #settled: Line[] = [];
  #lines: readonly Line[] = [];
  #tailLines: readonly Line[] = [];
  /** Length of the tail when it was laid out last. */
  #tailSeen = -1;
  /** The fence that is open at the beginning of the tail, and its language. */
  #fence: { readonly mark: string; readonly language: string } | undefined;

  constructor(width: number) {
    this.#width = width;
  }

  /** The lines of `source`, which begins with what it was the last time. */
  next(source: string): readonly Line[] {
    if (source.length === this.#taken) return this.#lines;
    this.#tail += this.#plain.next(source.slice(this.#taken));
    this.#taken = source.length;
    this.#settle();
    // A new array only now and then would be no gain: who shows lines takes a slice.
    this.#lines =
      this.#tailLines.length === 0
        ? this.#settled.slice()
        : [...this.#settled, ...this.#gap(), ...this.#tailLines];
    return this.#lines;
  }

  #gap(): readonly Line[] {
    return this.#settled.length > 0 && this.#fence === undefined ? [EMPTY_LINE] : [];
  }

  #settle(): void {
    if (this.#fence !== undefined) return this.#settleCode();
    const grown = this.#tail.length - this.#tailSeen;
    if (this.#tailSeen > EAGER_LENGTH && grown < this.#tailSeen / 8) return;
    this.#settleBlocks();
    const tokens = boundedTokens(this.#tail);
    const [, mark, language = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n]*\n/.exec(this.#tail) ?? [];
    if (mark !== undefined && tokens[0]?.type === 'code') {
      this.#openFence(mark, language);
      return;
    }
    this.#tailSeen = this.#tail.length;
    this.#tailLines = blockLines(tokens, this.#width);
  }

  /** A block is over when another follows; a line that is not complete may still become anything. */
  #settleBlocks(): void {
    const tokens = boundedTokens(this.#tail.slice(0, this.#tail.lastIndexOf('\n') + 1));
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    const done = tokens.slice(0, Math.max(0, last));
    const read = done.map(({ raw }) => raw).join('');
    const doneLength = this.#tail.startsWith(read) ? read.length : lengthOfLines(this.#tail, read);
    if (doneLength === 0) return;
    this.#push(blockLines(done, this.#width));
    this.#tail = this.#tail.slice(doneLength);
  }

  #openFence(mark: string, language: string): void {
    if (language !== '') this.#push(codeLines('', language, this.#width).slice(0, 1));
    else if (this.#settled.length > 0) this.#settled.push(EMPTY_LINE);
    this.#tail = this.#tail.slice(this.#tail.indexOf('\n') + 1);
    this.#fence = { mark, language };
    this.#settleCode();
  }

  /** Within a fence every whole line is over. */
  #settleCode(): void {
    const { mark = '' } = this.#fence ?? {};
    const close = new RegExp(`^ {0,3}${mark}${mark[0] ?? ''}*[ \\t]*$`);
    for (let end = this.#tail.indexOf('\n'); end >= 0; end = this.#tail.indexOf('\n')) {
      const row = this.#tail.slice(0, end);
      this.#tail = this.#tail.slice(end + 1);
      if (close.test(row)) {
        this.#fence = undefined;
        this.#tailSeen = -1;
        this.#tailLines = [];
        return this.#settle();
      }
      this.#settled.push(...codeLines(row, '', this.#width));
    }
    this.#tailLines =
      this.#tail === '' || close.test(this.#tail) ? [] : codeLines(this.#tail, '', this.#width);
  }

  #push(lines: readonly Line[]): void {
    if (lines.length === 0) return;
    if (this.#settled.length > 0) this.#settled.push(EMPTY_LINE);
    for (const text of lines) this.#settled.push(text);
  }
}

/** How much of `text` has as many lines as `read`, which is not as it was written where it nested too deep; 0 where it ends within a line. */
function lengthOfLines(text: string, read: string): number {
  if (!read.endsWith('\n')) return 0;
  let end = 0;
  for (let lines = read.split('\n').length - 1; lines > 0; lines -= 1) end = text.indexOf('\n', end) + 1;
  return end;
}

/** A Markdown text that is complete. */
export const settledMarkdown = (source: string, width: number): Line[] =>
  blockLines(boundedTokens(plain(source)), width);
