// The first code of the single file. Unpacks the packages once for each build, then runs the program from there: modules that are loaded later, the
// addon for pseudo-terminals and the files of the page are ordinary files.
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import type { ArchiveIndex } from './archive.ts';

/** Loads modules as Node does; code inside the single file could not. */
const LOADER = 'load.cjs';

const { XDG_CACHE_HOME: cache = '' } = process.env;
const base = join(isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'agenthost', 'programs');

/** The folder with the packages of this build. */
function unpacked(): string {
  const index: ArchiveIndex = JSON.parse(getAsset('index', 'utf8'));
  const folder = join(base, `${index.version}-${index.digest.slice(0, 12)}`);
  if (existsSync(folder)) return owned(folder);
  mkdirSync(base, { recursive: true, mode: 0o700 });
  owned(base);
  const draft = `${folder}.${randomUUID()}`;
  try {
    const contents = zstdDecompressSync(new Uint8Array(getRawAsset('contents')));
    let at = 0;
    for (const [path, bytes, isProgram] of index.files) {
      const file = join(draft, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contents.subarray(at, at + bytes));
      if (isProgram) chmodSync(file, 0o755);
      at += bytes;
    }
    writeFileSync(join(draft, LOADER), 'module.exports = (url) => import(url);\n');
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process may have unpacked the same build.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Code of another user would run as this one. */
function owned(folder: string): string {
  const { uid, mode } = statSync(folder);
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0))
    throw new Error(`${folder} belongs to another user, or others can write it`);
  return folder;
}

/** This program starts its own modules as Node does: flags, a file, arguments. The file may be one of an earlier build that still runs. */
function moduleIn(args: readonly string[]): number {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const file = args[at];
  const isOurs = file !== undefined && isAbsolute(file) && normalize(file).startsWith(base + sep);
  return isOurs && /\.[cm]?js$/.test(file) ? at : -1;
}

function main(): void {
  const args = process.argv.slice(2);
  const at = moduleIn(args);
  const folder = unpacked();
  const entry = args[at] ?? join(folder, 'node_modules/agenthost/bin/agenthost.js');
  process.argv = [process.execPath, entry, ...args.slice(at + 1)];
  enableCompileCache(join(base, 'compiled'));
  const load: (url: string) => Promise<unknown> = createRequire(join(folder, 'x.cjs'))(`./${LOADER}`);
  load(pathToFileURL(entry).href).catch((error: unknown) => {
    process.stderr.write(
      `agenthost could not start: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exitCode = 1;
  });
}

try {
  main();
} catch (error) {
  process.stderr.write(
    `agenthost could not unpack itself into ${base}: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}
