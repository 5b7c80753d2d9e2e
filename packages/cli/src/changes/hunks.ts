import { type StructuredPatchHunk, structuredPatch } from 'diff';

/** A hunk of a unified diff. Each line begins with a space, `-`, `+` or a backslash. */
export type Hunk = Pick<StructuredPatchHunk, 'oldStart' | 'oldLines' | 'newStart' | 'newLines' | 'lines'>;

/** Git looks for a NUL in this many bytes to tell text from other data. */
const TEXT_PROBE_BYTES = 8_000;
/** The comparison of two long texts without common lines takes minutes. */
const COMPARE_MS = 3_000;

/** Whether git treats these bytes as binary. */
export const isBinary = (bytes: Uint8Array | undefined): boolean =>
  bytes?.subarray(0, TEXT_PROBE_BYTES).includes(0) ?? false;

/**
 * The hunks between two texts, whose lines have one character for each byte, so that no encoding gets lost. Texts that take too long to
 * compare are one hunk.
 */
export function hunksOf(
  before: Uint8Array,
  after: Uint8Array,
  { context = 3 }: { readonly context?: number } = {},
): readonly Hunk[] {
  const [old, now] = [latin1(before), latin1(after)];
  const found = structuredPatch('', '', old, now, undefined, undefined, { context, timeout: COMPARE_MS });
  return found?.hunks ?? [replaced(old, now)];
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/** A line of a hunk as text. */
export const textOfLine = (line: string): string => Buffer.from(line, 'latin1').toString('utf8');

function replaced(before: string, after: string): Hunk {
  const [removed, added] = [marked(before, '-'), marked(after, '+')];
  return {
    oldStart: 1,
    oldLines: removed.count,
    newStart: 1,
    newLines: added.count,
    lines: [...removed.lines, ...added.lines],
  };
}

function marked(text: string, mark: string): { lines: string[]; count: number } {
  if (text === '') return { lines: [], count: 0 };
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n').map((each) => mark + each);
  return { lines: isEnded ? lines : [...lines, '\\ No newline at end of file'], count: lines.length };
}
