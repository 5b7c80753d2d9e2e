import { diffArrays } from 'diff';
import type { LineChange } from '../code/code-messages.ts';

/** Splits a text into lines without their ends. A text that ends with a line break has no last empty line. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (text.endsWith('\n')) lines.pop();
  return lines;
}

/** How two texts are compared. */
export interface CompareOptions {
  /** Longer comparisons end without a result. Milliseconds. */
  readonly timeoutMs: number;
  /** Whether lines that differ in white space alone are the same; the text after is shown for both. Default false. */
  readonly ignoresWhitespace?: boolean;
}

/** Compares two texts by lines; line ends do not count. `undefined` when it takes longer than `timeoutMs`. */
export function compareLines(
  before: string,
  after: string,
  { timeoutMs, ignoresWhitespace = false }: CompareOptions,
): LineChange[] | undefined {
  const changes = diffArrays(linesOf(before), linesOf(after), {
    timeout: timeoutMs,
    ...(ignoresWhitespace ? { comparator: isSameWithoutWhitespace } : {}),
  });
  return changes?.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    lines: value,
  }));
}

const isSameWithoutWhitespace = (a: string, b: string): boolean =>
  a === b || a.replaceAll(/\s+/g, '') === b.replaceAll(/\s+/g, '');
