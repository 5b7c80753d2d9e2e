import { diffArrays } from 'diff';
import type { LineChange } from '../code/code-messages.ts';

/** Splits a text into lines without their ends. A text that ends with a line break has no last empty line. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (text.endsWith('\n')) lines.pop();
  return lines;
}

/** Compares two texts by lines; line ends do not count. `undefined` when it takes longer than `timeoutMs`. */
export function compareLines(before: string, after: string, timeoutMs: number): LineChange[] | undefined {
  const changes = diffArrays(linesOf(before), linesOf(after), { timeout: timeoutMs });
  return changes?.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    lines: value,
  }));
}
