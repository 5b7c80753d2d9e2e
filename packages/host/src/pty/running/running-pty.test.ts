import { afterEach, describe, expect, it } from 'vitest';
import { contractSpec } from '../contract/contract-spec.ts';
import type { PtySink } from '../pty.ts';
import { KeepBudget } from './keep-budget.ts';
import { RunningPty, type RunningPtyOptions } from './running-pty.ts';

const READ_BYTES = 64 * 1024;
let started: RunningPty[] = [];

afterEach(async () => {
  for (const pty of started) {
    pty.detach();
    await pty.endSession();
    pty.release();
  }
  started = [];
});

async function start(script: string, options: RunningPtyOptions = {}): Promise<RunningPty> {
  const pty = await RunningPty.start(contractSpec(script), options);
  started.push(pty);
  return pty;
}

/** Reads a pty until `isEnough`, then releases it. Resolves with the output and its first offset. */
function hear(
  pty: RunningPty,
  offset: number,
  isEnough: (text: string) => boolean,
  isAcknowledging = false,
): Promise<{ readonly from: number; readonly text: string; readonly exitCode?: number }> {
  return new Promise((resolve) => {
    let text = '';
    let from = -1;
    const sink: PtySink = {
      data: (bytes, at) => {
        if (from < 0) from = at;
        text += Buffer.from(bytes).toString('latin1');
        if (isAcknowledging) pty.acknowledge(at + bytes.length);
        if (!isEnough(text)) return;
        pty.detach();
        resolve({ from, text });
      },
      exit: ({ exitCode }) => resolve({ from, text, exitCode }),
    };
    pty.attach(offset, sink);
  });
}

const never = (): boolean => false;

describe('a pty whose readers come and go', () => {
  it('gives the next reader the unacknowledged output, from the offset that it requests', async () => {
    const pty = await start('echo first; read key; echo "second $key"; exit 3');
    expect(await hear(pty, 0, (text) => text.includes('first\r\n'))).toEqual({ from: 0, text: 'first\r\n' });
    expect(await hear(pty, 2, (text) => text.includes('\n'))).toEqual({ from: 2, text: 'rst\r\n' });
    pty.write('x\r');
    expect(await hear(pty, 7, never)).toEqual({ from: 7, text: 'x\r\nsecond x\r\n', exitCode: 3 });
    // A reader after the end gets it too.
    expect(await hear(pty, 10, never)).toEqual({ from: 10, text: 'second x\r\n', exitCode: 3 });
  });

  it('sends nothing more to a reader that released it or was replaced', async () => {
    const pty = await start('read key; echo done');
    const heard: string[] = [];
    const sink: PtySink = { data: () => heard.push('data'), exit: () => heard.push('exit') };
    pty.attach(0, sink);
    const replaced = hear(pty, 0, never);
    pty.write('\r');
    await replaced;
    expect(heard).toEqual([]);
  });

  it('runs on without a reader, and keeps its newest output from a line start, and its exit', async () => {
    const pty = await start('seq 1 300000; exit 4', { highWater: 65_536, detachedKeep: 100_000 });
    await untilEnded(pty);
    const { from, text, exitCode } = await hear(pty, 0, never, true);
    expect(exitCode).toBe(4);
    expect(from + text.length).toBe(2_288_895);
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text.length).toBeGreaterThan(99_980);
    const first = Number(text.slice(0, text.indexOf('\r')));
    expect(text).toBe(Array.from({ length: 300_001 - first }, (_, index) => `${first + index}\r\n`).join(''));
  });

  it('keeps unread output within a shared budget, and all output of a reader', async () => {
    const keepBudget = new KeepBudget(100_000);
    const [read, flood] = [
      await start('read key; seq 1 60000', { keepBudget }),
      await start('seq 1 60000', { keepBudget }),
    ];
    read.attach(0, { data: () => undefined, exit: () => undefined });
    read.write('\r');
    await Promise.all([read, flood].map(untilEnded));
    const kept = ({ start: from, end }: RunningPty): number => end - from;
    expect([kept(read), read.end, flood.end]).toEqual([408_896, 408_896, 408_894]);
    expect(kept(flood)).toBeLessThanOrEqual(100_000);
    expect(kept(flood)).toBeGreaterThan(99_980);
    read.detach();
    expect(kept(read) + kept(flood)).toBeLessThanOrEqual(100_000);
    expect(Math.min(kept(read), kept(flood))).toBeGreaterThan(0);
  });

  it('gives a reader the kept output no faster than it acknowledges, and the exit last', async () => {
    const pty = await start('seq 1 100000; exit 8', { highWater: 65_536 });
    await untilEnded(pty);
    let length = 0;
    const exits: number[] = [];
    pty.attach(0, {
      data: (bytes) => (length += bytes.length),
      exit: ({ exitCode }) => exits.push(exitCode),
    });
    for (let acknowledged = 0; acknowledged < 688_895; acknowledged = length) {
      expect(exits).toEqual(length < 688_895 ? [] : [8]);
      pty.acknowledge(acknowledged);
      expect(length - acknowledged).toBeGreaterThanOrEqual(Math.min(65_536, 688_895 - acknowledged));
      expect(length - acknowledged).toBeLessThan(65_536 + READ_BYTES);
    }
    expect(exits).toEqual([8]);
  });

  it('is not read, and keeps no more, while its reader acknowledges nothing', async () => {
    const pty = await start('yes', { highWater: 65_536, detachedKeep: 200_000 });
    let length = 0;
    const isFull = Promise.withResolvers<void>();
    pty.attach(0, {
      data: (bytes) => {
        length += bytes.length;
        if (length >= 65_536) isFull.resolve();
      },
      exit: () => undefined,
    });
    await isFull.promise;
    // In this time it could have gone on.
    await untilEnded(await start('seq 1 300000'));
    expect(pty.end - pty.start).toBeLessThan(65_536 + READ_BYTES);
    // A reader that releases it lets it go on, within the other limit.
    const { end } = pty;
    pty.detach();
    while (pty.end <= end + 200_000) await nextLook();
    expect(pty.end - pty.start).toBeLessThanOrEqual(200_000);
  });

  it('keeps no acknowledged output, even if it was never read from its start', async () => {
    const pty = await start('seq 1 100000');
    await hear(pty, 0, never, true);
    expect(pty.start).toBe(pty.end);
  });
});

/** Resolves when a pty without a reader has put out everything. */
async function untilEnded(pty: RunningPty): Promise<void> {
  while (pty.exit === undefined) await nextLook();
}

const nextLook = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
