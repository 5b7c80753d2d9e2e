import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the product looks up in the file system without opening anything. */
const LOOKUPS = ['stat', 'lstat', 'realpath', 'readlink', 'readFile', 'readdir'] as const;

const synchronous = {
  stat: fs.statSync,
  lstat: fs.lstatSync,
  realpath: fs.realpathSync,
  readlink: fs.readlinkSync,
  readFile: fs.readFileSync,
  readdir: fs.readdirSync,
} satisfies Record<(typeof LOOKUPS)[number], (...args: never[]) => unknown>;

/** How the folders begin that hosts keep the start-up files of shells in. */
const SHELL_FILES = join(tmpdir(), 'agenthost-shells-');

/** Files that a simulated host has written for shells, by path; they are nowhere else. */
export type ShellFiles = ReadonlyMap<string, string>;

/**
 * Lets lookups in the file system end in the order in which they began, until the result is called: two at once come back from
 * the thread pool as it pleases, and a run would not be the same each time.
 */
export function orderFileLookups(): () => void {
  return replaceAll(
    LOOKUPS.map((name) => {
      const look: unknown = synchronous[name];
      if (typeof look !== 'function') throw new Error(`no such lookup: ${name}`);
      return [
        name,
        () =>
          (...args: unknown[]) =>
            Reflect.apply(look, fs, args),
      ];
    }),
  );
}

/** Keeps what hosts write for shells in memory, until the result is called: programs that are not there read no files. */
export function keepShellFiles(files: Map<string, string>): () => void {
  const within =
    (act: (path: string, text: unknown) => unknown) =>
    (original: Original) =>
    (...args: unknown[]): unknown => {
      const [path, text] = args;
      if (typeof path === 'string' && path.startsWith(SHELL_FILES)) return act(path, text);
      return Reflect.apply(original, promises, args);
    };
  return replaceAll([
    ['mkdtemp', within((prefix) => `${prefix}simulated`)],
    ['mkdir', within(() => undefined)],
    ['writeFile', within((path, text) => void files.set(path, String(text)))],
    ['rm', within(() => undefined)],
  ]);
}

type Original = (...args: unknown[]) => unknown;
type Replacement = readonly [name: string, of: (original: Original) => Original];

function replaceAll(replacements: readonly Replacement[]): () => void {
  const restores = replacements.map(([name, of]) => {
    const original: unknown = Reflect.get(promises, name);
    if (typeof original !== 'function') throw new Error(`nothing to replace: ${name}`);
    const replaced = of((...args) => Reflect.apply(original, promises, args));
    Reflect.set(promises, name, async (...args: unknown[]): Promise<unknown> => replaced(...args));
    return () => Reflect.set(promises, name, original);
  });
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores) restore();
    syncBuiltinESMExports();
  };
}
