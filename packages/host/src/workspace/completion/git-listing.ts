import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Limit of output of git: half a million paths. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Includes files of submodules, but only committed ones. */
const TRACKED = ['ls-files', '-c', '--recurse-submodules', '-z'];
const UNTRACKED = ['ls-files', '-o', '--exclude-standard', '-z'];

/**
 * The tracked and untracked files below a folder that git does not ignore, including submodules, each with a NUL behind it. Tracked files may
 * be missing on disk. `undefined` without git, outside of repositories, and in a repository of another user. The signal ends it.
 */
export async function listByGit(folder: string, signal: AbortSignal): Promise<string | undefined> {
  const lists = await Promise.all([
    runGit(folder, TRACKED, signal),
    // Two commands, since git cannot list untracked files together with submodules. Together they read no more than one would.
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
