import { createHash } from 'node:crypto';
import { binaryPatch } from './git-binary.ts';
import { type Hunk, hunksOf, isBinary } from './hunks.ts';

/** One version of a file. */
export interface PatchVersion {
  /** Relative, with `/`. */
  readonly path: string;
  /** As git writes it, such as `100644`. */
  readonly mode: string;
  readonly bytes: Uint8Array;
}

/** A changed file with its contents. */
export interface PatchFile {
  readonly before?: PatchVersion;
  readonly after?: PatchVersion;
}

/**
 * A changed file as a patch that `git apply` takes, one character for each byte. `isBinaryFull`: binary contents are in it; otherwise the file is
 * only named.
 */
export function gitPatch({ before, after }: PatchFile, isBinaryFull: boolean): string {
  // Git has no change between a file and a link, only a removal and an addition.
  if (before !== undefined && after !== undefined && kindOf(before) !== kindOf(after))
    return patchOf({ before }, isBinaryFull) + patchOf({ after }, isBinaryFull);
  return patchOf({ ...(before && { before }), ...(after && { after }) }, isBinaryFull);
}

const kindOf = ({ mode }: PatchVersion): string => mode.slice(0, 3);

function patchOf({ before, after }: PatchFile, isBinaryFull: boolean): string {
  const oldPath = before?.path ?? after?.path ?? '';
  const newPath = after?.path ?? oldPath;
  const head = [`diff --git ${quoted(`a/${oldPath}`)} ${quoted(`b/${newPath}`)}`];
  if (before === undefined) head.push(`new file mode ${after?.mode ?? ''}`);
  else if (after === undefined) head.push(`deleted file mode ${before.mode}`);
  else {
    if (before.mode !== after.mode) head.push(`old mode ${before.mode}`, `new mode ${after.mode}`);
    if (oldPath !== newPath) head.push(`rename from ${quoted(oldPath)}`, `rename to ${quoted(newPath)}`);
  }
  return [...head, ...bodyOf({ ...(before && { before }), ...(after && { after }) }, isBinaryFull), ''].join(
    '\n',
  );
}

function bodyOf({ before, after }: PatchFile, isBinaryFull: boolean): string[] {
  const [old, now] = [before?.bytes ?? EMPTY, after?.bytes ?? EMPTY];
  if (Buffer.compare(old, now) === 0) return [];
  const [from, to] = [nameOf(before, 'a'), nameOf(after, 'b')];
  if (isBinary(before?.bytes) || isBinary(after?.bytes)) {
    if (!isBinaryFull) return [`Binary files ${from} and ${to} differ`];
    // Git insists on whole ids here.
    const index = `index ${blobId(before?.bytes)}..${blobId(after?.bytes)}`;
    return [index, binaryPatch(old, now)];
  }
  return [`--- ${ended(from)}`, `+++ ${ended(to)}`, ...hunksOf(old, now).flatMap(hunkLines)];
}

const EMPTY = new Uint8Array();

const nameOf = (version: PatchVersion | undefined, side: 'a' | 'b'): string =>
  version === undefined ? '/dev/null' : quoted(`${side}/${version.path}`);

/** Without the tab, a name with a space would end at the space. */
const ended = (name: string): string => (name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name);

/** The lines of a hunk, with its head. */
export const hunkLines = (hunk: Hunk): string[] => [hunkHead(hunk), ...hunk.lines];

/** The head of a hunk, such as `@@ -1,3 +1,4 @@`. */
export const hunkHead = ({ oldStart, oldLines, newStart, newLines }: Hunk): string =>
  `@@ -${sideText(oldStart, oldLines)} +${sideText(newStart, newLines)} @@`;

/** Git names the line before an empty side. */
const sideText = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;

const blobId = (bytes: Uint8Array | undefined): string =>
  bytes === undefined
    ? '0'.repeat(40)
    : createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

const ESCAPES = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

/** A path as git writes it, as bytes; in quotation marks if it has control characters. */
function quoted(path: string): string {
  const bytes = Buffer.from(path).toString('latin1');
  // oxlint-disable-next-line no-control-regex -- these are what has to be escaped
  if (!/[\u0000-\u001f"\\\u007f]/.test(bytes)) return bytes;
  // oxlint-disable-next-line no-control-regex -- as above
  const escaped = bytes.replaceAll(/[\u0000-\u001f"\\\u007f]/g, (char) => {
    const code = char.charCodeAt(0).toString(8).padStart(3, '0');
    return ESCAPES.get(char) ?? `\\${code}`;
  });
  return `"${escaped}"`;
}
