import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SqliteJournal } from './sqlite-journal.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-process-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const prelude = `
import { SqliteJournal } from ${JSON.stringify(new URL('sqlite-journal.ts', import.meta.url).href)};
const folder = process.argv[1];
const journal = new SqliteJournal({ folder });
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
`;

function nodeArgs(program: string): string[] {
  return ['-C', '@agenthost/source', '--input-type=module', '-e', prelude + program, folder];
}

/** Starts a process that runs `program` with a `journal` on the folder that is not open yet. */
function start(program: string): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, nodeArgs(program), { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function kill(child: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Reserves numbers, then commits batches of ten envelopes and a counter until it is killed, and prints each resolved batch. */
const writeForEver = `
const start = await journal.open();
let seq = start.reservedSeq;
let reserved = seq;
for (;;) {
  if (seq + 10 > reserved) {
    reserved = seq + 500;
    await journal.reserveSeq(reserved);
  }
  const writes = [];
  for (let n = 0; n < 10; n++) {
    seq++;
    writes.push({ op: 'envelope', seq, channel: 'ahp-chat:/c' + (n % 3), time: seq, json: JSON.stringify({ seq, text: 'x'.repeat(seq % 700) }) });
  }
  writes.push({ op: 'turn', chat: 'ahp-chat:/c0', ordinal: seq, id: 't' + seq, json: '{}' });
  writes.push({ op: 'meta', key: 'last', value: String(seq) });
  await journal.commit(writes);
  say(seq);
}
`;

describe('a killed host', () => {
  test('[CONN-4] [CONN-6] leaves every resolved batch, only whole batches, and never assigns a number twice', async () => {
    const acknowledged = new Set<number>();
    for (let round = 1; round <= 4; round++) {
      const child = start(writeForEver);
      let count = 0;
      for await (const line of createInterface(child.stdout)) {
        acknowledged.add(Number(line));
        count++;
        if (count === 37 * round) child.kill('SIGKILL');
      }
      const journal = new SqliteJournal({ folder });
      const start2 = await journal.open();
      const newest = Math.max(...acknowledged);
      expect(start2.lastSeq).toBeGreaterThanOrEqual(newest);
      expect(start2.reservedSeq).toBeGreaterThanOrEqual(start2.lastSeq);
      expect(start2.mayHaveLostTail).toBe(false);
      expect(await journal.readMeta('last')).toBe(String(start2.lastSeq));
      const held = await journal.readEnvelopes(
        [0, 1, 2].map((n) => `ahp-chat:/c${n}`),
        0,
        start2.lastSeq,
        1e9,
      );
      const numbers = new Set(held?.map(({ seq }) => seq));
      for (const last of acknowledged) {
        for (let seq = last - 9; seq <= last; seq++) expect(numbers).toContain(seq);
      }
      expect(numbers.size % 10).toBe(0);
      expect(held?.every(({ seq, json }) => json.startsWith(`{"seq":${seq},`))).toBe(true);
      const turns = await journal.readTurns('ahp-chat:/c0', {});
      expect(turns).toHaveLength(numbers.size / 10);
      await journal.close();
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(37 * 10);
  });

  test('frees its journal, which refuses every other process until then', async () => {
    const child = start(`await journal.open(); say('open'); setInterval(() => {}, 1_000);`);
    await once(child.stdout, 'data');
    const journal = new SqliteJournal({ folder });
    const refusal = journal.open();
    await expect(refusal).rejects.toMatchObject({ name: 'JournalError', code: 'locked' });
    await expect(refusal).rejects.toThrow(/journal\.db is in use by another host/);
    await kill(child);
    expect(await journal.open()).toMatchObject({ lastSeq: 0 });
    await journal.close();
  });
});

/** Whether this user may mount a file system: Linux with user namespaces. */
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()], { stdio: 'ignore' }).status === 0;

/** Runs `program` with `folder` on a file system of 3 MiB. Returns the printed values. */
function runOnSmallDisk(program: string): unknown[] {
  const script = 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"';
  const result = spawnSync(
    'unshare',
    ['-rm', 'sh', '-c', script, folder, process.execPath, ...nodeArgs(program)],
    {
      encoding: 'utf8',
      timeout: 15_000,
    },
  );
  if (result.status !== 0) throw new Error(`the program failed: ${result.stderr}`);
  return result.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

describe.skipIf(!canMount)('a disk that cannot be written (needs unshare and tmpfs)', () => {
  test('a full disk refuses commits and reservations, still reads, and accepts them again with free space', () => {
    const said = runOnSmallDisk(`
      import { rmSync, writeFileSync } from 'node:fs';
      writeFileSync(folder + '/ballast', Buffer.alloc(1_500_000));
      await journal.open();
      let ordinal = 0;
      const next = () => ({ op: 'turn', chat: 'c', ordinal, id: 't' + ordinal, json: JSON.stringify('x'.repeat(50_000)) });
      const failure = async (call) => call.then(() => 'none', (error) => error.code);
      const write = () => failure(journal.commit([next()]));
      let code = 'none';
      for (; code === 'none'; ordinal++) code = await write();
      ordinal--;
      say({ wrote: ordinal > 5, code, again: await write(), reserve: await failure(journal.reserveSeq(1e6)) });
      say({ readable: (await journal.readTurns('c', {})).length === ordinal });
      rmSync(folder + '/ballast');
      say({ withRoom: await write(), count: (await journal.readTurns('c', {})).length - ordinal });
      say({ reserved: await failure(journal.reserveSeq(2e6)) });
      await journal.close();
      const next2 = new SqliteJournal({ folder });
      const { reservedSeq, mayHaveLostTail } = await next2.open();
      say({ reservedSeq, mayHaveLostTail });
    `);
    expect(said).toEqual([
      { wrote: true, code: 'full', again: 'full', reserve: 'full' },
      { readable: true },
      { withRoom: 'none', count: 1 },
      { reserved: 'none' },
      { reservedSeq: 2_000_000, mayHaveLostTail: false },
    ]);
  });

  test('a disk that is full at the start is refused with a message', () => {
    const said = runOnSmallDisk(`
      import { writeFileSync } from 'node:fs';
      try { writeFileSync(folder + '/ballast', Buffer.alloc(3_200_000)); } catch (error) { say(error.code); }
      await journal.open().catch((error) => say([error.code, error.message.includes(folder)]));
    `);
    expect(said).toEqual(['ENOSPC', ['full', true]]);
  });

  test('a read-only disk is refused with a message, with or without a database', () => {
    const said = runOnSmallDisk(`
      import { spawnSync } from 'node:child_process';
      const refusal = () => new SqliteJournal({ folder }).open().catch((error) => say([error.code, error.message.includes(folder)]));
      const remount = (how) => spawnSync('mount', ['-o', 'remount,' + how, folder]).status;
      say(remount('ro'));
      await refusal();
      say(remount('rw'));
      await journal.open();
      await journal.close();
      say(remount('ro'));
      await refusal();
    `);
    expect(said).toEqual([0, ['readOnly', true], 0, 0, ['readOnly', true]]);
  });
});
