import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';

/** Files that no program reads. */
const LEFT_OUT =
  /\.(?:map|d\.[cm]?ts|md|markdown|tsbuildinfo)$|(?:^|\/)(?:\.bin|\.package-lock\.json|test|tests|docs)(?:\/|$)/i;

/** Higher levels take minutes and save little. */
const LEVEL = 10;

/** Files in two parts: what they are, and their contents in that order. */
export interface Archive {
  /** JSON of {@link ArchiveIndex}. */
  readonly index: string;
  /** Compressed by zstd. */
  readonly contents: Buffer;
}

/** Content of the first part of an archive. */
export interface ArchiveIndex {
  /** Of our packages. */
  readonly version: string;
  /** Differs when any file differs. */
  readonly digest: string;
  /** Path, size in bytes, and whether it is a program. */
  readonly files: readonly (readonly [path: string, bytes: number, isProgram: boolean])[];
}

/** Packs the files of a folder that programs need. Links are left out. */
export function archiveOf(folder: string, version: string): Archive {
  const paths = globSync('node_modules/**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !LEFT_OUT.test(path))
    .toSorted();
  const hash = createHash('sha256');
  const parts = paths.map((path) => {
    const content = readFileSync(join(folder, path));
    hash.update(`${path}\0${content.byteLength}\0`).update(content);
    return content;
  });
  const files = paths.map((path, at): [string, number, boolean] => [
    path,
    parts[at]?.byteLength ?? 0,
    (statSync(join(folder, path)).mode & 0o100) !== 0,
  ]);
  const index: ArchiveIndex = { version, digest: hash.digest('hex'), files };
  const contents = zstdCompressSync(Buffer.concat(parts), {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  });
  return { index: JSON.stringify(index), contents };
}
