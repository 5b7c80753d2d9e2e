/**
 * Part of a long Markdown text that is rendered as a row of its own, so that a long answer costs no more than what is visible. Offsets are UTF-16
 * code units.
 */
export interface TextChunk {
  readonly start: number;
  /** `undefined`: up to the end of the text. */
  readonly end: number | undefined;
  /** The line that opens the code fence in which the chunk starts; empty outside of code. */
  readonly fence: string;
}

/** A chunk ends at the first good place after this many characters. */
const GOOD_LENGTH = 2_500;
/** A chunk ends at the latest after this many characters. */
const MAX_LENGTH = 6_000;

/** Lines that can continue a list, a quote or a table of the chunk before. */
const CONTINUES = /^(?:\s|[-*+>|]|\d{1,9}[.)])/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

const WHOLE: readonly TextChunk[] = [{ start: 0, end: undefined, fence: '' }];

/** Cuts a growing Markdown text into chunks. Reads each character once. */
export class ChunkScanner {
  #chunks: readonly TextChunk[] = WHOLE;
  /** Everything before was read. Start of a line, unless a long line was cut there. */
  #position = 0;
  #start = 0;
  #fence = '';
  #wasBlank = false;
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
    this.#fence = '';
    this.#wasBlank = false;
    this.#tail = '';
  }

  /** Reads a complete line that begins at `#position`. */
  #line(line: string): void {
    const length = this.#position - this.#start;
    const isGood = this.#fence === '' && this.#wasBlank && line.trim() !== '' && !CONTINUES.test(line);
    if ((isGood && length >= GOOD_LENGTH) || (length > 0 && length + line.length > MAX_LENGTH))
      this.#cut(this.#position);
    this.#wasBlank = line.trim() === '';
    const found = FENCE.exec(line);
    if (found === null) return;
    const [, marks = '', rest = ''] = found;
    if (this.#fence === '') {
      if (!(marks.startsWith('`') && rest.includes('`'))) this.#fence = line;
      return;
    }
    const opening = FENCE.exec(this.#fence)?.[1] ?? '';
    if (marks.startsWith(opening) && rest.trim() === '') this.#fence = '';
  }

  /** Cuts the last line, which may go on, at a space. */
  #cutLongLine(text: string): void {
    while (text.length - this.#start > MAX_LENGTH + GOOD_LENGTH) {
      const latest = this.#start + MAX_LENGTH;
      const space = text.lastIndexOf(' ', latest);
      const at = Math.max(space > this.#start + GOOD_LENGTH ? space + 1 : latest, this.#position);
      this.#cut(at);
      this.#position = at;
      this.#wasBlank = false;
    }
  }

  #cut(at: number): void {
    const last = this.#chunks.at(-1);
    if (last === undefined) return;
    this.#chunks = [
      ...this.#chunks.slice(0, -1),
      { ...last, end: at },
      { start: at, end: undefined, fence: this.#fence },
    ];
    this.#start = at;
  }
}

/** The text of a chunk. */
export function chunkText(text: string, { start, end, fence }: TextChunk): string {
  if (start === 0 && end === undefined) return text;
  const own = text.slice(start, end);
  return fence === '' ? own : `${fence}\n${own}`;
}
