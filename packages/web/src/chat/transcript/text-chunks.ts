import { BlockReader } from './text-blocks.ts';

/**
 * Part of a long Markdown text that is rendered as a row of its own, so that a long answer costs no more than what is visible. Offsets are UTF-16
 * code units.
 */
export interface TextChunk {
  readonly start: number;
  /** `undefined`: up to the end of the text. */
  readonly end: number | undefined;
  /** Lines that open the block again in which the chunk starts: a code fence, or the head of a table. Empty outside of them. */
  readonly prefix: string;
}

/** A chunk ends at the first good place after this many characters. */
const GOOD_LENGTH = 2_500;
/** A chunk ends at the latest after this many characters. */
const MAX_LENGTH = 6_000;

/** Lines that can continue a list, a quote or a table of the chunk before. */
const CONTINUES = /^(?:\s|[-*+>|]|\d{1,9}[.)])/;
/** The first line of an entry of a list that is in no other block. */
const TOP_ENTRY = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

const WHOLE: readonly TextChunk[] = [{ start: 0, end: undefined, prefix: '' }];

/** Cuts a growing Markdown text into chunks. Reads each character once. */
export class ChunkScanner {
  #chunks: readonly TextChunk[] = WHOLE;
  /** Everything before was read. Start of a line, unless a long line was cut there. */
  #position = 0;
  #start = 0;
  #blocks = new BlockReader();
  #wasBlank = false;
  /** Start of the line before `#position`. */
  #lastLine = 0;
  /** Start of the last entry of a list. */
  #lastEntry = 0;
  #tail = '';

  /** The chunks of a text, which should begin with the text of the last call. The same array while no chunk was added. */
  chunksOf(text: string): readonly TextChunk[] {
    if (text.length <= GOOD_LENGTH) return WHOLE;
    const before = this.#position - this.#tail.length;
    if (text.length < this.#position || text.slice(before, this.#position) !== this.#tail) this.#reset();
    for (;;) {
      const end = text.indexOf('\n', this.#position);
      if (end === -1) break;
      this.#line(text.slice(this.#position, end));
      this.#position = end + 1;
    }
    this.#cutLongLine(text);
    this.#tail = text.slice(Math.max(0, this.#position - 32), this.#position);
    return this.#chunks;
  }

  #reset(): void {
    this.#chunks = WHOLE;
    this.#position = 0;
    this.#start = 0;
    this.#blocks = new BlockReader();
    this.#wasBlank = false;
    this.#lastLine = 0;
    this.#lastEntry = 0;
    this.#tail = '';
  }

  /** Reads a complete line that begins at `#position`. */
  #line(line: string): void {
    const { prefix } = this.#blocks;
    const isBlank = line.trim() === '';
    const length = this.#position - this.#start;
    const wasTable = this.#blocks.isInTable;
    const isHead = this.#blocks.read(line);
    const isGood = prefix === '' && this.#wasBlank && !isBlank && !CONTINUES.test(line);
    if (isGood && length >= GOOD_LENGTH) this.#cut(this.#position, '');
    else if (length > 0 && length + line.length > MAX_LENGTH) {
      // A line that does not continue the table needs no head.
      const isOutside = wasTable && !this.#blocks.isInTable;
      if (isHead && this.#lastLine > this.#start) this.#cut(this.#lastLine, '');
      else if (this.#lastEntry >= this.#start + GOOD_LENGTH && !TOP_ENTRY.test(line))
        this.#cut(this.#lastEntry, '');
      else this.#cut(this.#position, isOutside ? '' : prefix);
    }
    if (prefix === '' && TOP_ENTRY.test(line)) this.#lastEntry = this.#position;
    else if (isGood) this.#lastEntry = 0;
    this.#wasBlank = isBlank;
    this.#lastLine = this.#position;
  }

  /** Cuts the last line, which may go on, at a space. */
  #cutLongLine(text: string): void {
    while (text.length - this.#start > MAX_LENGTH + GOOD_LENGTH) {
      const latest = this.#start + MAX_LENGTH;
      const space = text.lastIndexOf(' ', latest);
      const at = Math.max(space > this.#start + GOOD_LENGTH ? space + 1 : latest, this.#position);
      this.#cut(at, this.#blocks.isInTable ? '' : this.#blocks.prefix);
      this.#position = at;
      this.#lastLine = at;
      this.#wasBlank = false;
    }
  }

  #cut(at: number, prefix: string): void {
    const last = this.#chunks.at(-1);
    if (last === undefined) return;
    this.#chunks = [
      ...this.#chunks.slice(0, -1),
      { ...last, end: at },
      { start: at, end: undefined, prefix },
    ];
    this.#start = at;
  }
}

/** The text of a chunk. */
export function chunkText(text: string, { start, end, prefix }: TextChunk): string {
  if (start === 0 && end === undefined) return text;
  return prefix + text.slice(start, end);
}
