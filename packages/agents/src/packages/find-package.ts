import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { isObject, type JsonObject, textOf } from '../acp/json.ts';

/** A package on this machine, as far as its `package.json` says. None of its code has run. */
export interface FoundPackage {
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  /** Absolute path of its folder, symlinks followed. */
  readonly folder: string;
  /** Absolute path of the module that would be imported. */
  readonly entry: string;
}

/** A package that cannot be imported, and why. `isMissing`: an installation could help. */
export interface UnusablePackage {
  readonly reason: string;
  readonly isMissing: boolean;
}

/**
 * Finds a package and the module that an import of it would run. Reads its `package.json` and runs nothing.
 * @param wanted Name of the package, or the absolute path of its folder.
 * @param folders Absolute paths of folders with a `node_modules`, in the order of the search.
 */
export function findPackage(wanted: string, folders: readonly string[]): FoundPackage | UnusablePackage {
  const places = isAbsolute(wanted) ? [wanted] : folders.map((each) => join(each, 'node_modules', wanted));
  for (const place of places) {
    const file = join(place, 'package.json');
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (cause) {
      if (hasCode(cause, 'ENOENT', 'ENOTDIR')) continue;
      return { reason: `${file} cannot be read: ${errorText(cause)}`, isMissing: false };
    }
    return describePackage(place, file, text);
  }
  const where = isAbsolute(wanted)
    ? `${wanted} has no package.json`
    : `the package ${wanted} is not in ${places.join(' or ')}`;
  return { reason: where, isMissing: true };
}

function describePackage(place: string, file: string, text: string): FoundPackage | UnusablePackage {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (cause) {
    return { reason: `${file}: expected JSON: ${errorText(cause)}`, isMissing: false };
  }
  if (!isObject(manifest)) return { reason: `${file}: expected an object`, isMissing: false };
  const module = entryOf(manifest);
  if (module === undefined)
    return { reason: `${file}: expected exports or main to name a module`, isMissing: false };
  const folder = realpathSync(place);
  const entry = join(folder, module);
  if (!entry.startsWith(`${folder}/`) && !entry.startsWith(`${folder}\\`))
    return { reason: `${file}: the module ${module} is outside of the package`, isMissing: false };
  return {
    name: textOf(manifest['name']) ?? place,
    version: textOf(manifest['version']),
    description: textOf(manifest['description']),
    folder,
    entry,
  };
}

/** Path of the module that an import of the package runs, relative to its folder. */
function entryOf(manifest: JsonObject): string | undefined {
  const { exports } = manifest;
  if (exports === undefined) return textOf(manifest['main']) ?? 'index.js';
  const root = isObject(exports) && '.' in exports ? exports['.'] : exports;
  return targetOf(root);
}

/** The first target whose conditions an import meets, as Node selects it. */
function targetOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return target.map(targetOf).find((each) => each !== undefined);
  if (!isObject(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    if (!['import', 'node', 'module-sync', 'default'].includes(condition)) continue;
    const found = targetOf(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
