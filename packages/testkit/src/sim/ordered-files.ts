import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** File system lookups that the product makes by path, without a file handle. */
const LOOKUPS = ['stat', 'lstat', 'realpath', 'readlink', 'readFile', 'readdir'] as const;

const synchronous = {
  stat: fs.statSync,
  lstat: fs.lstatSync,
  realpath: fs.realpathSync,
  readlink: fs.readlinkSync,
  readFile: fs.readFileSync,
  readdir: fs.readdirSync,
} satisfies Record<(typeof LOOKUPS)[number], (...args: never[]) => unknown>;

/** Prefix of the folders with start-up files for shells. */
const SHELL_FILES = join(tmpdir(), 'agenthost-shells-');

/** Shell start-up files of a simulated host, by path. They exist only in memory. */
export type ShellFiles = ReadonlyMap<string, string>;

/**
 * Makes file system lookups finish in the order in which they started, until the returned function is called.
 * Otherwise the thread pool would decide the order and runs would differ.
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

/**
 * Keeps shell start-up files in memory until the returned function is called. Simulated programs read no
 * files.
 */
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
