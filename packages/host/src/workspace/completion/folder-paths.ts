import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { buildIndex } from './path-index.ts';
import { PathSearch } from './path-search.ts';
import { givingWay, Slices } from './slices.ts';

/** Large folders that users do not search. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.jj', '.svn', 'node_modules']);
/** Number of folders that are read concurrently. */
const AT_ONCE = 8;

/**
 * Files and folders below a folder, each with a NUL behind it and folders with a slash, breadth first. Stops at `maxEntries`, and returns a
 * part when the signal aborts. Follows no links and reads no ignore files. Unreadable folders count as empty.
 */
async function listByWalk(folder: string, maxEntries: number, signal: AbortSignal): Promise<string> {
  const paths: string[] = [];
  let level = [''];
  while (level.length > 0 && paths.length < maxEntries && !signal.aborted) {
    const next: string[] = [];
    for (let at = 0; at < level.length && paths.length < maxEntries && !signal.aborted; at += AT_ONCE) {
      const parents = level.slice(at, at + AT_ONCE);
      const read = await Promise.all(parents.map((parent) => entriesOf(join(folder, parent))));
      for (const [index, entries] of read.entries()) {
        for (const entry of entries) {
          if (SKIPPED.has(entry.name)) continue;
          const path = `${parents[index] ?? ''}${entry.name}${entry.isDirectory() ? '/' : ''}`;
          paths.push(path);
          if (entry.isDirectory()) next.push(path);
        }
      }
    }
    level = next;
  }
  return paths
    .slice(0, maxEntries)
    .map((path) => `${path}\0`)
    .join('');
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** Limit of output of git: half a million paths. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Includes files of submodules, but only committed ones. */
const TRACKED = ['ls-files', '-c', '--recurse-submodules', '-z'];
const UNTRACKED = ['ls-files', '-o', '--exclude-standard', '-z'];

/**
 * The tracked and untracked files below a folder that git does not ignore, including submodules, each with a NUL behind it. Tracked files may
 * be missing on disk. `undefined` without git, outside of repositories, and in a repository of another user. The signal ends it.
 */
async function listByGit(folder: string, signal: AbortSignal): Promise<string | undefined> {
  const lists = await Promise.all([
    runGit(folder, TRACKED, signal),
    // Two commands, since git cannot list untracked files together with submodules. Together they read no more than one would.
    runGit(folder, UNTRACKED, signal),
  ]);
  const [tracked, untracked] = lists;
  return tracked === undefined || untracked === undefined ? undefined : tracked + untracked;
}

/** The output of git, up to the limit; `undefined` when git fails. */
async function runGit(
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  // The settings of an untrusted repository must not run a program.
  const git = spawn('git', ['-c', 'core.fsmonitor=false', ...args], {
    cwd,
    env: environment(),
    signal,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(git, 'close').then(
    ([code]) => code === 0,
    () => false,
  );
  const chunks: Buffer[] = [];
  let byteCount = 0;
  let isCut = false;
  git.stdout.on('data', (chunk: Buffer) => {
    if (byteCount >= MAX_BYTES) return;
    chunks.push(chunk);
    byteCount += chunk.byteLength;
    if (byteCount < MAX_BYTES) return;
    isCut = true;
    git.kill();
  });
  const hasSucceeded = await ended;
  if (isCut) {
    const all = Buffer.concat(chunks);
    return all.toString('utf8', 0, all.lastIndexOf(0) + 1);
  }
  return hasSucceeded ? Buffer.concat(chunks).toString('utf8') : undefined;
}

/** The host may itself run below git, for another repository. */
function environment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(entries), GIT_OPTIONAL_LOCKS: '0' };
}

/** Age of a listing after which the folder is listed again. Newer files may be missing from an answer. */
const FRESH_MS = 2_000;
/** Largest share of time for repeated listings of a folder. */
const REFRESH_SHARE = 0.1;
/** Time limit of a listing. */
const LIST_LIMIT_MS = 10_000;
/** Limit of paths of a walk without git. */
const MAX_WALKED = 100_000;

/** Parts that list folders. */
export interface FolderParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** The paths of one folder. It is listed on first use, and again in the background after answers from an old listing. */
export class FolderPaths {
  readonly #folder: string;
  readonly #parts: FolderParts;
  readonly #isBusy: () => boolean;
  readonly #end = new AbortController();
  #search: PathSearch | undefined;
  #listing: Promise<void> | undefined;
  /** Start and duration of the current listing in ms. */
  #listedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  /** Time of the last use. */
  usedAt: number;

  /** `isBusy`: whether a search runs. Listings wait for searches. */
  constructor(folder: string, parts: FolderParts, isBusy: () => boolean) {
    this.#isBusy = isBusy;
    this.#folder = folder;
    this.#parts = parts;
    this.usedAt = steadyNow(parts.clock);
  }

  get byteLength(): number {
    return this.#search?.index.byteLength ?? 0;
  }

  /** The current listing; `undefined` before the first (see `listed`). Starts another listing when this one is old. */
  use(): PathSearch | undefined {
    const now = steadyNow(this.#parts.clock);
    this.usedAt = now;
    const age = now - this.#listedAt;
    // After a clock was set back, the age is unknown.
    const isOld = age < 0 || age >= Math.max(FRESH_MS, this.#tookMs / REFRESH_SHARE);
    if (isOld) void this.listed();
    return this.#search;
  }

  /** Resolves when the listing that runs, or a new one, is through. Never rejects. */
  listed(): Promise<void> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  /** Stops what runs for it. */
  end(): void {
    this.#end.abort();
  }

  async #list(): Promise<void> {
    const { clock, timers, log } = this.#parts;
    const startedAt = steadyNow(clock);
    const limit = new AbortController();
    const cancel = timers.after(LIST_LIMIT_MS, () => limit.abort());
    try {
      const source = await this.#read(AbortSignal.any([limit.signal, this.#end.signal]));
      if (source !== this.#search?.index.source) {
        const index = await buildIndex(source, new Slices(givingWay(timers, this.#end.signal, this.#isBusy)));
        this.#search = new PathSearch(index);
      }
    } catch (error) {
      if (!this.#end.signal.aborted) log.warn({ error, folder: this.#folder }, 'a folder cannot be listed');
    } finally {
      cancel();
      this.#listedAt = startedAt;
      this.#tookMs = steadyNow(clock) - startedAt;
    }
  }

  async #read(signal: AbortSignal): Promise<string> {
    const byGit = await listByGit(this.#folder, signal);
    // A folder that git ignores as a whole has none of its files there.
    if (byGit !== undefined && byGit !== '') return byGit;
    return listByWalk(this.#folder, MAX_WALKED, signal);
  }
}
