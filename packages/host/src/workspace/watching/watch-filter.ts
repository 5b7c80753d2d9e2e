import { relative, sep } from 'node:path';
import { isWithin } from '../real-path.ts';
import { compileGlob, type Glob, isPlainPath, type Names } from './globs.ts';

/** Limit of the patterns in one list. */
const MAX_PATTERNS = 100;
/** Limit of one pattern, in UTF-16 code units. */
const MAX_PATTERN_LENGTH = 1_024;

/** The paths that a watch reports. */
export interface WatchPaths {
  /** A real path. */
  readonly root: string;
  /** False: the root and its direct entries. */
  readonly isRecursive: boolean;
  /** Patterns relative to the root; see `compileGlob`. A plain path covers everything below it. Default: everything. */
  readonly includes?: readonly string[] | undefined;
  /** Patterns of paths that are left out with everything below them. Default: none. */
  readonly excludes?: readonly string[] | undefined;
}

/** The names of a path below a root. */
export const namesBelow = (root: string, path: string): Names =>
  path === root ? [] : relative(root, path).split(sep);

/** Decides which changes a watch reports. The constructor throws a `RangeError` that names a bad pattern. */
export class WatchFilter {
  readonly #paths: WatchPaths;
  readonly #includes: readonly Glob[] | undefined;
  readonly #excludes: readonly Glob[];

  constructor(paths: WatchPaths) {
    this.#paths = paths;
    this.#includes = paths.includes && compileAll(paths.includes, true);
    this.#excludes = compileAll(paths.excludes ?? [], false);
  }

  /** Whether the watch reports changes of a path. It always reports its root. */
  reports(path: string): boolean {
    const { root, isRecursive } = this.#paths;
    if (!isWithin(path, root)) return false;
    const names = namesBelow(root, path);
    if (names.length === 0) return true;
    if (!isRecursive && names.length > 1) return false;
    if (this.leavesOut(path)) return false;
    return this.#includes?.some((glob) => glob(names)) ?? true;
  }

  /** Whether a path below the root, or a folder above it, is excluded. */
  leavesOut(path: string): boolean {
    if (this.#excludes.length === 0) return false;
    const names = namesBelow(this.#paths.root, path);
    return names.some((_, index) => this.#excludes.some((glob) => glob(names.slice(0, index + 1))));
  }
}

/** Throws a `RangeError` that names a bad pattern. */
export function checkWatchPaths({ includes = [], excludes = [] }: WatchPaths): void {
  compileAll(includes, true);
  compileAll(excludes, false);
}

function compileAll(patterns: readonly string[], coversBelow: boolean): Glob[] {
  if (patterns.length > MAX_PATTERNS)
    throw new RangeError(`at most ${MAX_PATTERNS} patterns, got ${patterns.length}`);
  return patterns.map((pattern) => {
    const fault = faultOf(pattern);
    if (fault !== undefined) throw new RangeError(`${JSON.stringify(pattern.slice(0, 100))}: ${fault}`);
    try {
      const isFolder = coversBelow && isPlainPath(pattern);
      return compileGlob(isFolder ? `${pattern}/**` : pattern);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new RangeError(`${JSON.stringify(pattern.slice(0, 100))}: ${error.message}`, { cause: error });
    }
  });
}

function faultOf(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH)
    return `at most ${MAX_PATTERN_LENGTH} characters, got ${pattern.length}`;
  if (pattern.startsWith('/') || pattern.split('/').includes('..'))
    return 'expected a pattern relative to the root of the watch';
  return /^[./]*$/.test(pattern) ? 'expected a pattern that matches a name' : undefined;
}
