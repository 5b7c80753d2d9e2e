import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processStartTime } from '../../agents/process-identity.ts';
import { memoryLog } from '../../lib/log.ts';
import type { Pty, PtySpec } from '../pty.ts';
import { KeeperPtyOwner, type KeeperPtyOwnerOptions } from './keeper-client.ts';

/** A data folder for tests, and every keeper and pty that was met in it: `end` leaves no process behind. */
export class TestKeepers {
  readonly root = mkdtempSync(join(tmpdir(), 'keepers-'));
  readonly dataDir: string;
  readonly log = memoryLog();
  readonly #owners: KeeperPtyOwner[] = [];
  readonly #pids = new Set<number>();

  /** @param dataDir Below the temporary folder. */
  constructor(dataDir = 'data') {
    this.dataDir = join(this.root, dataDir);
    mkdirSync(this.dataDir, { recursive: true });
  }

  /** What a host of version 1.0.0 has, unless told otherwise. */
  owner(options: Partial<KeeperPtyOwnerOptions> = {}): KeeperPtyOwner {
    const owner = new KeeperPtyOwner({ dataDir: this.dataDir, build: '1.0.0', log: this.log, ...options });
    this.#owners.push(owner);
    return owner;
  }

  /** Pids of the keepers that were started or found, oldest first. */
  get keeperPids(): readonly number[] {
    const pids = this.log.lines.flatMap(({ level, fields }) =>
      level === 'info' && hasPid(fields) ? [fields.keeperPid] : [],
    );
    return [...new Set(pids)];
  }

  /** The keeper that was met last. */
  get keeperPid(): number {
    const pid = this.keeperPids.at(-1);
    if (pid === undefined) throw new Error('no keeper was met');
    return pid;
  }

  /** A pty's process must be gone at the end, too. */
  watch(pty: Pty): Pty {
    this.#pids.add(pty.pid);
    return pty;
  }

  /** Lets go, ends every keeper (and so its ptys), and rejects when a process is left. */
  async end(): Promise<void> {
    await Promise.all(this.#owners.map((owner) => owner.close()));
    for (const pid of this.keeperPids) {
      if ((await processStartTime(pid)) !== undefined) process.kill(pid, 'SIGTERM');
    }
    for (const pid of [...this.keeperPids, ...this.#pids]) await untilGone(pid);
    rmSync(this.root, { recursive: true, force: true });
  }
}

function hasPid(fields: unknown): fields is { keeperPid: number } {
  return (
    typeof fields === 'object' &&
    fields !== null &&
    'keeperPid' in fields &&
    typeof fields.keeperPid === 'number'
  );
}

/** Resolves when the condition holds; rejects after 20 s. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let triesLeft = 1_000; !(await holds()); triesLeft -= 1) {
    if (triesLeft === 0) throw new Error(`${what}: still not so`);
    await wait(20);
  }
}

/** Resolves when a process has ended. */
export async function untilGone(pid: number): Promise<void> {
  await until(`process ${pid} is gone`, async () => (await processStartTime(pid)) === undefined);
}

/** `sh -c script`, in a quiet terminal. */
export function shell(id: string, script: string): PtySpec {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', TERM: 'xterm-256color' };
  return { id, command: ['/bin/sh', '-c', script], cwd: '/', env, cols: 80, rows: 24 };
}

/** What somebody who reads a pty has heard. */
export interface Heard {
  /** Everything, from the first byte handed over on. */
  readonly output: () => string;
  /** Offset of the first byte handed over. */
  readonly start: () => number | undefined;
  /** Resolves at its end. */
  readonly exitCode: Promise<number>;
  /** Resolves when the output holds the text. */
  readonly shows: (text: string) => Promise<void>;
}

/** Reads a pty from `offset` on, and acknowledges all of it unless told not to. Throws into the pty on a gap. */
export function read(pty: Pty, offset = 0, { acknowledges = true } = {}): Heard {
  const pieces: Buffer[] = [];
  const exit = Promise.withResolvers<number>();
  let start: number | undefined;
  let next = offset;
  pty.read(offset, {
    data: (bytes, at) => {
      start ??= at;
      if (pieces.length > 0 && at !== next) throw new Error(`output at ${at}, expected ${next}`);
      pieces.push(Buffer.from(bytes));
      next = at + bytes.length;
      if (acknowledges) pty.acknowledge(next);
    },
    exit: ({ exitCode }) => exit.resolve(exitCode),
  });
  const output = () => Buffer.concat(pieces).toString();
  return {
    output,
    start: () => start,
    exitCode: exit.promise,
    shows: (text) => until(`the output holds ${text}`, () => output().includes(text)),
  };
}
