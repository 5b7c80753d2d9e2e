import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git/git.ts';

/** Git looks for a NUL in this many bytes to tell text from other data. */
const TEXT_PROBE_BYTES = 8_000;

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** Whether git treats these bytes as text. */
export const isText = (bytes: Buffer): boolean => !bytes.subarray(0, TEXT_PROBE_BYTES).includes(0);

/**
 * Applies the difference between `base` and `other` to `current`. `undefined` when a change overlaps with another change of `current`, or
 * when one of them is not text.
 */
export async function mergeThree(
  git: Git,
  scratch: string,
  { current, base, other }: { readonly current: Buffer; readonly base: Buffer; readonly other: Buffer },
): Promise<Buffer | undefined> {
  if (![current, base, other].every(isText)) return undefined;
  const id = randomUUID();
  const paths = ['current', 'base', 'other'].map((name) => join(scratch, `${id}.${name}`));
  const contents = [current, base, other];
  try {
    await Promise.all(paths.map((path, index) => writeFile(path, contents[index] ?? '', { mode: 0o600 })));
    // The exit code is the number of conflicts, at most 127; 255 is an error.
    const okCodes = Array.from({ length: 128 }, (_, code) => code);
    const { stdout, exitCode } = await git.run(['merge-file', '-p', '-q', ...paths], {
      okCodes,
      cwd: scratch,
    });
    return exitCode === 0 ? stdout : undefined;
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** A hunk of a diff without context: `length` lines from `start` on, counted from 0, on each side. */
export interface Hunk {
  readonly before: { readonly start: number; readonly length: number };
  readonly after: { readonly start: number; readonly length: number };
}

/** Lines, counted from 0, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The part of a hunk that a range of lines on one side selects. `undefined`: the range does not touch it. Lines of the two sides belong together by
 * their position in the hunk; surplus lines of the other side belong to the last line.
 */
export function selectedPart(
  hunk: Hunk,
  side: 'before' | 'after',
  { first, last }: LineRange,
): Hunk | undefined {
  const { start, length } = hunk[side];
  // An empty side lies between two lines, and is touched by both.
  if (length === 0) return first <= start && last >= start - 1 ? hunk : undefined;
  if (first >= start + length || last < start) return undefined;
  const from = Math.max(first - start, 0);
  const to = Math.min(last - start + 1, length);
  const selected = { start: start + from, length: to - from };
  const opposite = hunk[side === 'before' ? 'after' : 'before'];
  const oppositeFrom = Math.min(from, opposite.length);
  const oppositeTo = to === length ? opposite.length : Math.min(to, opposite.length);
  const other = { start: opposite.start + oppositeFrom, length: oppositeTo - oppositeFrom };
  return side === 'before' ? { before: selected, after: other } : { before: other, after: selected };
}

/** Reads the hunks of the output of `git diff -U0`. */
export function parseHunks(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const match of diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)) {
    const [, a = '0', b = '1', c = '0', d = '1'] = match;
    hunks.push({ before: sideOf(a, b), after: sideOf(c, d) });
  }
  return hunks;
}

// Git names the line before an empty side.
const sideOf = (start: string, length: string): Hunk['before'] => ({
  start: Number(length) === 0 ? Number(start) : Number(start) - 1,
  length: Number(length),
});

/** `after` with the given hunks, or parts of hunks, taken back. */
export function withoutHunks(before: Buffer, after: Buffer, hunks: readonly Hunk[]): Buffer {
  const old = linesOf(before);
  const lines = linesOf(after);
  for (const hunk of hunks.toReversed())
    lines.splice(
      hunk.after.start,
      hunk.after.length,
      ...old.slice(hunk.before.start, hunk.before.start + hunk.before.length),
    );
  return Buffer.concat(
    lines.flatMap((line, index) => (index < lines.length - 1 ? ended(line, lines) : line)),
  );
}

/** A line that is not the last one any more gets the line end that its neighbours have. */
function ended(line: Buffer, lines: readonly Buffer[]): Buffer[] {
  if (line.at(-1) === NEWLINE) return [line];
  const isDos = lines.some((each) => each.at(-1) === NEWLINE && each.at(-2) === CARRIAGE_RETURN);
  return [line, Buffer.from(isDos ? '\r\n' : '\n')];
}

/** The lines with their line ends. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end + 1));
    start = end + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}
