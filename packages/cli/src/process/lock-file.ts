import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { hasCode } from '@agenthost/protocol/values';

/** A lock that another process holds. */
export class LockHeld extends Error {
  override readonly name = 'LockHeld';
  /** Process id of the holder. */
  readonly pid: number;

  constructor(pid: number) {
    super(`the process ${pid} holds the lock`);
    this.pid = pid;
  }
}

/** How a lock tells processes apart. */
export interface LockProcesses {
  /** Id of this process. */
  readonly pid: number;
  /** A text that changes when a process id is used again. `undefined`: no such process runs. */
  startOf(pid: number): Promise<string | undefined>;
}

/** A lock that this process holds. */
export interface LockFile {
  /** Process id of an earlier holder that ended without releasing it. Absent: there was none. */
  readonly stalePid?: number;
  /** Removes the lock. */
  release(): Promise<void>;
}

/**
 * Creates a lock file, whose folder must exist. A lock of a process that has ended is replaced. Rejects with `LockHeld` while its process
 * runs.
 */
export async function lockFile(file: string, processes: LockProcesses): Promise<LockFile> {
  const { pid } = processes;
  const own = `${pid} ${(await processes.startOf(pid)) ?? ''}\n`;
  let stalePid: number | undefined;
  for (;;) {
    if (await isCreated(file, own)) {
      const release = (): Promise<void> => rm(file, { force: true });
      return stalePid === undefined ? { release } : { stalePid, release };
    }
    const held = await contentOf(file);
    if (held === undefined) continue;
    const [, holder = '', start = ''] = /^(\d+) (.*)\n$/.exec(held) ?? [];
    const runningSince = holder === '' ? undefined : await processes.startOf(Number(holder));
    if (runningSince !== undefined && runningSince === start) throw new LockHeld(Number(holder));
    if (await isRemoved(file, held)) stalePid = Number(holder);
  }
}

/** Writes the content before the file has its name, so that nobody reads half of it. */
async function isCreated(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await link(draft, file);
    return true;
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) return false;
    throw cause;
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw cause;
  }
}

/** Removes a lock if it still has this content. Another process may have replaced it meanwhile: its lock is put back. */
async function isRemoved(file: string, content: string): Promise<boolean> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return false;
    throw cause;
  }
  const isSame = (await contentOf(aside)) === content;
  if (!isSame) await rename(aside, file);
  else await rm(aside, { force: true });
  return isSame;
}
