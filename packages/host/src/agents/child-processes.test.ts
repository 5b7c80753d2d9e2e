import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { JournalWrite } from '../journal/journal.ts';
import type { StoredProcess } from '../journal/rows.ts';
import { ChildProcesses } from './child-processes.ts';
import { processStartTime } from './process-identity.ts';

/** The process rows of a journal, and its meta rows. */
class ProcessRows {
  readonly rows = new Map<number, StoredProcess>();
  readonly meta = new Map<string, string>();
  readonly readMeta = async (key: string): Promise<string | undefined> => this.meta.get(key);
  readonly write = async (writes: readonly JournalWrite[]): Promise<void> => {
    for (const write of writes) {
      if (write.op === 'process') {
        const { pid, startTime, command } = write;
        this.rows.set(pid, { pid, startTime, command });
      } else if (write.op === 'dropProcess') this.rows.delete(write.pid);
      else if (write.op === 'meta') this.meta.set(write.key, write.value);
    }
  };
  readonly listProcesses = async (): Promise<readonly StoredProcess[]> => [...this.rows.values()];
}

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
});

/** A child in a group of its own that prints a line when it is ready. */
async function startChild(script: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('the child has no pid');
  return Object.assign(child, { pid: child.pid });
}

async function startTimeOf(pid: number): Promise<string> {
  const startTime = await processStartTime(pid);
  if (startTime === undefined) throw new Error(`process ${pid} does not run`);
  return startTime;
}

const isRunning = async (pid: number): Promise<boolean> => (await processStartTime(pid)) !== undefined;

describe('children of a killed host', () => {
  it('a recorded child that still runs is ended at the next start, and its record is deleted', async () => {
    const rows = new ProcessRows();
    const child = await startChild('echo ready; exec sleep 60');
    await new ChildProcesses(rows).record({ pid: child.pid, command: 'sleep' });
    expect([...rows.rows.values()]).toEqual([
      { pid: child.pid, startTime: await startTimeOf(child.pid), command: 'sleep' },
    ]);

    const exit = once(child, 'exit');
    await new ChildProcesses(rows).endOrphans();
    expect(await exit).toEqual([null, 'SIGTERM']);
    expect(rows.rows.size).toBe(0);
  });

  it('a child that ignores TERM is killed after the grace period', async () => {
    const rows = new ProcessRows();
    const child = await startChild("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    const registry = new ChildProcesses({ ...rows, graceMs: 200 });
    await registry.record({ pid: child.pid, command: 'stubborn' });
    const exit = once(child, 'exit');
    await registry.endOrphans();
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  it('its whole process group ends, even when the recorded process has ended', async () => {
    const rows = new ProcessRows();
    const child = await startChild('sleep 60 & echo $!; exec sleep 60');
    const registry = new ChildProcesses(rows);
    await registry.record({ pid: child.pid, command: 'agent' });
    const members = (): Promise<readonly number[]> => groupMembers(child.pid);
    expect(await members()).toHaveLength(2);

    const exit = once(child, 'exit');
    process.kill(child.pid, 'SIGKILL');
    await exit;
    expect(await members()).toHaveLength(1);
    await registry.endOrphans();
    expect(await members()).toEqual([]);
  });

  it('another process under a recorded pid is left alone', async () => {
    const rows = new ProcessRows();
    const child = await startChild('echo ready; exec sleep 60');
    const startTime = await startTimeOf(child.pid);
    rows.rows.set(child.pid, { pid: child.pid, startTime: `${startTime}0`, command: 'sleep' });
    await new ChildProcesses(rows).endOrphans();
    expect(await isRunning(child.pid)).toBe(true);
    expect(rows.rows.size).toBe(0);
  });

  it('a child whose host still runs is left alone, since the journal is a copy', async () => {
    const rows = new ProcessRows();
    const child = await startChild('echo ready; exec sleep 60');
    const host = await startChild('echo ready; exec sleep 60');
    await new ChildProcesses(rows).record({ pid: child.pid, command: 'sleep' });
    const [key = ''] = rows.meta.keys();
    const startTime = await startTimeOf(host.pid);
    rows.meta.set(key, `${host.pid} ${startTime}`);
    await new ChildProcesses(rows).endOrphans();
    expect(await isRunning(child.pid)).toBe(true);
    expect(rows.rows.size).toBe(0);
    // Another process with that host's pid does not count as the host.
    await new ChildProcesses(rows).record({ pid: child.pid, command: 'sleep' });
    rows.meta.set(key, `${host.pid} ${startTime}0`);
    await new ChildProcesses(rows).endOrphans();
    expect(await isRunning(child.pid)).toBe(false);
  });

  it('a child that has ended loses its record', async () => {
    const rows = new ProcessRows();
    const child = await startChild('echo ready; exec sleep 60');
    const registry = new ChildProcesses(rows);
    await registry.record({ pid: child.pid, command: 'sleep' });
    registry.forget(child.pid);
    await Promise.resolve();
    expect(rows.rows.size).toBe(0);
  });
});

async function groupMembers(group: number): Promise<readonly number[]> {
  const ps = spawn('ps', ['-e', '-o', 'pid=,pgid=,state=']);
  let text = '';
  ps.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(ps, 'close');
  return text.split('\n').flatMap((line) => {
    const [pid, pgid, state] = line.trim().split(/\s+/);
    return Number(pgid) === group && state !== 'Z' ? [Number(pid)] : [];
  });
}
