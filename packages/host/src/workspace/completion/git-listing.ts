import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** More than this is not read: half a million paths. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Files of submodules too. What has no commit there yet is not found. */
const TRACKED = ['ls-files', '-c', '--recurse-submodules', '-z'];
const UNTRACKED = ['ls-files', '-o', '--exclude-standard', '-z'];

/**
 * The files below a folder that git tracks or would, submodules included, each with a NUL behind it; what is tracked may be gone from disk.
 * `undefined` where git has no answer: not there, no repository, one of somebody else. The signal ends it.
 */
export async function listByGit(folder: string, signal: AbortSignal): Promise<string | undefined> {
  const lists = await Promise.all([
    runGit(folder, TRACKED, signal),
    // Together they read no more than one of both would, and git cannot list submodules with untracked files.
    runGit(folder, UNTRACKED, signal),
  ]);
  const [tracked, untracked] = lists;
  return tracked === undefined || untracked === undefined ? undefined : tracked + untracked;
}

/** What git puts out, as far as there is room for it; `undefined` when it fails. */
async function runGit(
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  // The repository is somebody's: its settings may not run a program for being looked at.
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
