/** An optional mark of a list's entry, a code fence, and what follows the fence. */
const FENCE = /^(\s*)(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})(.*)$/;
/** The line below the head of a table. */
const DELIMITER = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const ENTRY = /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
/** Lines that begin another block, and so end a table. */
const BEGINS_BLOCK = /^ {0,3}(?:#{1,6}\s|>|`{3}|~{3}|[-*+]\s|\d{1,9}[.)]\s)/;

/** Longer heads of tables are not repeated. UTF-16 code units. */
const MAX_HEAD = 2_000;

type Block =
  | { readonly kind: 'none' }
  | { readonly kind: 'fence'; readonly marks: string; readonly line: string }
  | { readonly kind: 'table'; readonly head: string };

const NONE: Block = { kind: 'none' };

/** Reads Markdown line by line, and knows in which code fence or table the next line is. */
export class BlockReader {
  #block: Block = NONE;
  #isInList = false;
  #before = '';

  /** Lines that open the present block again, each with its line break. Empty outside of code and tables. */
  get prefix(): string {
    switch (this.#block.kind) {
      case 'none':
        return '';
      case 'fence':
        return `${this.#block.line}\n`;
      case 'table':
        return this.#block.head;
      default:
        return this.#block satisfies never;
    }
  }

  get isInTable(): boolean {
    return this.#block.kind === 'table';
  }

  /** Reads a line without its break. Returns true when the line is the second one of a table's head. */
  read(line: string): boolean {
    const before = this.#before;
    this.#before = line;
    const block = this.#block;
    if (block.kind === 'fence') {
      const [, , marks = '', rest = ''] = FENCE.exec(line) ?? [];
      if (marks.startsWith(block.marks) && rest.trim() === '') this.#block = NONE;
      return false;
    }
    if (block.kind === 'table' && (line.trim() === '' || BEGINS_BLOCK.test(line))) this.#block = NONE;
    if (this.#block.kind === 'table') return false;
    if (isHead(before, line)) {
      const head = `${before}\n${line}\n`;
      this.#block = head.length <= MAX_HEAD ? { kind: 'table', head } : NONE;
      return true;
    }
    if (ENTRY.test(line)) this.#isInList = true;
    else if (before.trim() === '' && /^\S/.test(line)) this.#isInList = false;
    this.#openFence(line);
    return false;
  }

  #openFence(line: string): void {
    const [, indent = '', marks = '', rest = ''] = FENCE.exec(line) ?? [];
    if (marks === '' || (marks.startsWith('`') && rest.includes('`'))) return;
    if (indent.length > MAX_INDENT && !this.#isInList) return;
    // A fence with a deeper indent would be text outside of its list.
    this.#block = { kind: 'fence', marks, line: `${indent.slice(0, MAX_INDENT)}${marks}${rest}` };
  }
}

/** Spaces before a code fence. More make the line a part of indented code. */
const MAX_INDENT = 3;

function isHead(before: string, line: string): boolean {
  if (!before.includes('|') || !line.includes('-') || !DELIMITER.test(line)) return false;
  return columnCount(before) === columnCount(line);
}

/** A bar with a backslash before it divides nothing. */
const columnCount = (row: string): number =>
  row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/).length;
