import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import { isWithin } from '../real-path.ts';
import { compileGlob, type Glob } from './globs.ts';
import { namesBelow } from './watch-filter.ts';

/** Name of the files with patterns. */
export const GITIGNORE = '.gitignore';

/** Larger files are not read. */
const MAX_BYTES = 256 * 1_024;
/** Limit of the patterns of one file. */
const MAX_RULES = 2_000;

interface Rule {
  readonly matches: Glob;
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
}

/**
 * The `.gitignore` files of a working tree, from its top folder on. Each is read when it is first needed, synchronously: the watcher asks in the
 * middle of a scan. `.git/info/exclude` and the global file of the user do not count.
 */
export class GitIgnore {
  readonly #top: string;
  readonly #rules = new Map<string, readonly Rule[]>();
  readonly #folders = new Map<string, boolean>();

  /** `root`: a real path in the working tree. Outside of one, its own files count. */
  constructor(root: string) {
    this.#top = topFolder(root) ?? root;
  }

  /** Whether a path or a folder above it is ignored. */
  ignores(path: string, isFolder: boolean): boolean {
    if (path === this.#top || !isWithin(path, this.#top)) return false;
    if (this.#ignoresFolder(dirname(path))) return true;
    return isFolder ? this.#ignoresFolder(path) : this.#decide(path, false);
  }

  /** Reads the files again when they are next needed. */
  reset(): void {
    this.#rules.clear();
    this.#folders.clear();
  }

  #ignoresFolder(path: string): boolean {
    if (path === this.#top || !isWithin(path, this.#top)) return false;
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = this.#ignoresFolder(dirname(path)) || this.#decide(path, true);
    this.#folders.set(path, found);
    return found;
  }

  /** The last rule that matches decides, and those of a deeper folder before those above. */
  #decide(path: string, isFolder: boolean): boolean {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const names = namesBelow(folder, path);
      const rule = this.#rulesOf(folder).findLast(
        (each) => (isFolder || !each.isFolderOnly) && each.matches(names),
      );
      if (rule !== undefined) return !rule.isNegated;
      if (folder === this.#top) return false;
    }
  }

  #rulesOf(folder: string): readonly Rule[] {
    let rules = this.#rules.get(folder);
    if (rules === undefined) {
      rules = parseGitignore(readIgnoreFile(join(folder, GITIGNORE)));
      this.#rules.set(folder, rules);
    }
    return rules;
  }
}

/** The rules of a file. A pattern that cannot be read is left out. */
function parseGitignore(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.split(/\r?\n/)) {
    const rule = ruleOf(line);
    if (rule !== undefined) rules.push(rule);
    if (rules.length >= MAX_RULES) break;
  }
  return rules;
}

function ruleOf(line: string): Rule | undefined {
  if (line.startsWith('#')) return undefined;
  // Spaces at the end count only behind a backslash.
  const trimmed = line.replace(/(?<!\\)[ \t]+$/, '');
  const isNegated = trimmed.startsWith('!');
  const body = isNegated ? trimmed.slice(1) : trimmed;
  const isFolderOnly = body.endsWith('/');
  const pattern = isFolderOnly ? body.slice(0, -1) : body;
  if (pattern === '' || pattern === '/') return undefined;
  const anchored = pattern.includes('/') ? pattern : `**/${pattern}`;
  // `a/**` is everything in `a`, and not `a` itself.
  const exact = anchored.endsWith('/**') ? `${anchored}/*` : anchored;
  return { matches: compileGlob(exact, { hasBraces: false }), isNegated, isFolderOnly };
}

/** The text of a regular file; empty if there is none. */
function readIgnoreFile(path: string): string {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= MAX_BYTES ? readFileSync(path, 'utf8') : '';
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  }
}

/** The top folder of the working tree that a path is in. */
function topFolder(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}
