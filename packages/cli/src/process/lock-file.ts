import { createHash, randomUUID } from 'node:crypto';
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

/** How a lock identifies processes. */
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
 * runs, or while another process replaces a lock.
 */
export async function lockFile(file: string, processes: LockProcesses): Promise<LockFile> {
  const { pid } = processes;
  const own = `${pid} ${(await processes.startOf(pid)) ?? ''}\n`;
  for (;;) {
    if (await isPlaced(file, own, link)) return heldLock(file);
    const held = await contentOf(file);
    if (held === undefined) continue;
    const [, holder = '', start = ''] = /^(\d+) (.*)\n$/.exec(held) ?? [];
    const runningSince = holder === '' ? undefined : await processes.startOf(Number(holder));
    if (runningSince !== undefined && runningSince === start) throw new LockHeld(Number(holder));
    if (await isReplaced(file, { held, own, processes })) return heldLock(file, Number(holder));
  }
}

function heldLock(file: string, stalePid?: number): LockFile {
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (isHeld) await rm(file, { force: true });
    isHeld = false;
  };
  return stalePid === undefined ? { release } : { stalePid, release };
}

/**
 * Replaces a stale lock if it still has this content. Only the process that holds a lock for this content may do so: otherwise a slow process could
 * replace a new lock.
 */
async function isReplaced(
  file: string,
  { held, own, processes }: { held: string; own: string; processes: LockProcesses },
): Promise<boolean> {
  const name = createHash('sha256').update(held).digest('hex').slice(0, 16);
  const right = await lockFile(`${file}.${name}`, processes);
  try {
    return (await contentOf(file)) === held && (await isPlaced(file, own, rename));
  } finally {
    await right.release();
  }
}

/** Writes the content before the file has its name, so that no process reads half of it. Resolves with whether `place` gave it the name. */
async function isPlaced(
  file: string,
  content: string,
  place: (draft: string, file: string) => Promise<void>,
): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await place(draft, file);
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
