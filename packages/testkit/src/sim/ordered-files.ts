import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

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

/**
 * Lets lookups in the file system end in the order in which they began, until the result is called: two at once come back from
 * the thread pool as it pleases, and a run would not be the same each time.
 */
export function orderFileLookups(): () => void {
  const restores = LOOKUPS.map((name) => {
    const original = Reflect.get(promises, name);
    const look: unknown = synchronous[name];
    if (typeof look !== 'function') throw new Error(`no such lookup: ${name}`);
    Reflect.set(
      promises,
      name,
      async (...args: unknown[]): Promise<unknown> => Reflect.apply(look, fs, args),
    );
    return () => Reflect.set(promises, name, original);
  });
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores) restore();
    syncBuiltinESMExports();
  };
}
