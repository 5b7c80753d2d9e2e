import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ContractPty } from '../contract-pty.ts';
import { contractSpec } from '../contract-spec.ts';
import { NodePtyOwner } from '../node-pty.ts';
import type { PtySpec } from '../pty.ts';
import { describePtyOwner } from '../pty-contract.ts';
import { RunningPty } from '../running-pty.ts';
import { FloodReader, type FloodReaderOptions } from './flood-reader.ts';
import { SharedRing } from './shared-ring.ts';

const threadOf = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

/** What scripted threads begin with. */
const RING = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { SharedRing } from '${new URL('./shared-ring.ts', import.meta.url).href}';
  const ring = new SharedRing(workerData.memory);
`;

/** Lends what is never read. */
const nobody = { take: () => true, returned: () => undefined };

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What `seq 1 <count>` puts out on a terminal. */
const linesUpTo = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index + 1}\r\n`).join('');

/** Looks once in each turn of the event loop. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}

/** Fails the test that does not expect it. */
const unexpected = (error: unknown): void => {
  throw error;
};

describePtyOwner(
  'NodePtyOwner with a thread for whatever is longer than a read',
  async (limits) => new NodePtyOwner(limits, new FloodReader({ failed: unexpected, floodBytes: 1 })),
);

describe('a flood', () => {
  let floods: FloodReader;
  let owner: NodePtyOwner;
  let ptys: ContractPty[] = [];
  let loanCount = 0;
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agenthost-flood-'));
  });

  afterEach(async () => {
    await Promise.all(ptys.map((pty) => pty.dispose()));
    ptys = [];
    await owner.close();
    rmSync(folder, { recursive: true });
  });

  function start(options: Partial<FloodReaderOptions> = {}): void {
    floods = new FloodReader({ failed: unexpected, ...options });
    loanCount = 0;
    const lend = floods.lend.bind(floods);
    floods.lend = (fd, borrower) => {
      const isLent = lend(fd, borrower);
      if (isLent) loanCount += 1;
      return isLent;
    };
    owner = new NodePtyOwner({}, floods);
  }

  async function spawn(command: string | PtySpec['command']): Promise<ContractPty> {
    const pty = new ContractPty(await owner.spawn(contractSpec(command)));
    ptys.push(pty);
    return pty.read();
  }

  /** Puts out lines without pause, and has been lent. */
  async function flood(): Promise<ContractPty> {
    const before = loanCount;
    const pty = await spawn(['yes', 'a line of a flood']);
    await pty.waitUntil(() => loanCount > before);
    return pty;
  }

  it.runIf(process.platform === 'linux')('leaves no thread behind that was not needed', async () => {
    start({ idleMs: 1 });
    const before = threadCount();
    expect(floods.lend(-1, nobody)).toBe(false);
    await until(() => threadCount() > before);
    await until(() => threadCount() <= before);
    // The next one is another.
    expect(floods.lend(-1, nobody)).toBe(false);
  });

  it('is over when the program pauses, and what comes then is as it was put out', async () => {
    start({ floodBytes: 1 });
    const pty = await spawn('seq 1 500000; read key; seq 1 500000; read key; echo end; exit 3');
    const lines = linesUpTo(500_000);
    await pty.waitUntil(() => pty.length === lines.length);
    // Another one can be lent only when this one is back.
    const other = await flood();
    other.pty.signal('SIGINT');
    await other.exit;
    const before = loanCount;
    pty.pty.write('x\r');
    await pty.waitUntil(() => pty.length >= 2 * lines.length);
    expect(loanCount).toBeGreaterThan(before);
    pty.pty.write('y\r');
    expect(await pty.exit).toEqual({ exitCode: 3 });
    expect(pty.text === `${lines}x\r\n${lines}y\r\nend\r\n`).toBe(true);
  });

  it('hears keys, and ends by one', async () => {
    start();
    const pty = await flood();
    pty.pty.write('\x03');
    expect(await pty.exit).toEqual({ exitCode: 130 });
    expect(pty.text).toMatch(/^(a line of a flood\r\n)+/);
  });

  it('that is closed in its middle takes nothing of what opens after it', async () => {
    start();
    const lines = linesUpTo(20_000);
    for (let round = 0; round < 10; round += 1) {
      const pty = await flood();
      // Whoever lets go of a pty hangs up.
      pty.pty.release();
      ptys = ptys.filter((each) => each !== pty);
      const next = await spawn('seq 1 20000');
      await next.exit;
      expect(next.text === lines, `all of what came in round ${round}`).toBe(true);
    }
    expect(loanCount).toBeGreaterThanOrEqual(10);
  });

  it('that is closed is not lent any more', async () => {
    start({ program: threadOf('setInterval(() => {}, 1_000)'), floodBytes: 1 });
    const pty = await spawn('while :; do echo; done');
    await pty.waitUntil(() => loanCount === 1);
    pty.pty.release();
    ptys = [];
    expect(floods.lend(-1, nobody)).toBe(true);
    expect(floods.lend(-1, nobody)).toBe(false);
    floods.takeBack();
  });

  it('is read no further than its reader has acknowledged it', async () => {
    start({ floodBytes: 1 });
    const limits = { highWater: 65_536 };
    const pty = await RunningPty.start(contractSpec(['yes']), limits, { floodReader: floods });
    pty.attach(0, { data: () => undefined, exit: () => undefined });
    await until(() => {
      pty.acknowledge(pty.end);
      return loanCount > 0;
    });
    await until(() => pty.end - pty.start >= 65_536);
    // As long as this takes, it could have gone on.
    await (await spawn('seq 1 500000')).exit;
    expect(pty.end - pty.start).toBeLessThan(65_536 + 192 * 1024);
    pty.detach();
    await pty.endSession();
    pty.release();
  });

  it('does not hold up a second one', async () => {
    start();
    await flood();
    const second = await spawn('seq 1 500000');
    expect(await second.exit).toEqual({ exitCode: 0 });
    expect(second.length).toBe(3_888_895);
  });

  it('has a thread again after it was ended', async () => {
    start();
    const first = await flood();
    first.pty.signal('SIGINT');
    await first.exit;
    await floods.close();
    await flood();
    expect(loanCount).toBe(2);
  });

  it.each([
    ['ends at once', "throw new Error('broken')"],
    [
      'dies as soon as it is lent one',
      "import { workerData } from 'node:worker_threads'; Atomics.wait(new Int32Array(workerData.memory, 0, 1), 0, 0); throw new Error('broken')",
    ],
  ])('comes without the thread when that %s, which is told once', async (_, code) => {
    const failures: unknown[] = [];
    start({ program: threadOf(code), floodBytes: 1, failed: (error) => failures.push(error) });
    const isOver = join(folder, 'over');
    const pty = await spawn(`until [ -e '${isOver}' ]; do seq 1 100000; done`);
    await pty.waitUntil(() => failures.length > 0);
    writeFileSync(isOver, '');
    expect(await pty.exit).toEqual({ exitCode: 0 });
    const lines = linesUpTo(100_000);
    expect(pty.text === lines.repeat(pty.length / lines.length)).toBe(true);
    expect(failures).toMatchObject([{ message: 'broken' }]);
  });

  it('comes without the thread when the system has none', async () => {
    const failures: unknown[] = [];
    start({ program: new URL('none:'), floodBytes: 1, failed: (error) => failures.push(error) });
    const pty = await spawn('seq 1 500000');
    expect(await pty.exit).toEqual({ exitCode: 0 });
    expect(pty.length).toBe(3_888_895);
    expect(failures).toHaveLength(1);
  });

  it('is not lost as far as the thread had read it when it died', async () => {
    const program = threadOf(`${RING}
      ring.awaitLoan();
      ring.beginRead();
      ring.room().set([1, 2, 3]);
      ring.endRead(3);
      throw new Error('broken');
    `);
    const heard: unknown[] = [];
    const returned = Promise.withResolvers<void>();
    start({ program, failed: (error) => heard.push(error) });
    const lender = {
      take: (bytes: Uint8Array) => {
        heard.push([...bytes]);
        // As an owner does who closes it then.
        floods.takeBack();
        return true;
      },
      returned: () => {
        heard.push('returned');
        returned.resolve();
      },
    };
    await until(() => floods.lend(-1, lender));
    await returned.promise;
    expect(heard).toMatchObject([{ message: 'broken' }, [1, 2, 3], 'returned']);
    expect(floods.lend(-1, lender)).toBe(false);
  });

  it('is taken in pieces, with everything else that has to be done between two of them', async () => {
    const program = threadOf(`${RING}
      for (;;) {
        while (ring.beginRead() === undefined) ring.awaitLoan();
        const mustTell = ring.endRead(ring.room().length);
        if (mustTell) parentPort.postMessage(undefined);
        ring.awaitRoom();
      }
    `);
    start({ program });
    const taken = { inTurn: 0, most: 0, inAll: 0 };
    const lender = {
      take: (bytes: Uint8Array) => {
        taken.inAll += bytes.length;
        taken.inTurn += bytes.length;
        taken.most = Math.max(taken.most, taken.inTurn);
        // Meanwhile the thread has more.
        for (const until = performance.now() + 1; performance.now() < until; );
        return true;
      },
      returned: () => undefined,
    };
    await until(() => floods.lend(-1, lender));
    await until(() => {
      taken.inTurn = 0;
      return taken.inAll > 5_000_000;
    });
    expect(taken.most).toBe(56 * 1024);
    floods.takeBack();
  });

  it('does not keep the thread while nobody takes it', async () => {
    start({ floodBytes: 1 });
    const pty = await spawn('while :; do echo; done');
    await pty.waitUntil(() => loanCount === 1);
    pty.read({ isAcknowledging: false });
    await until(() => floods.lend(-1, nobody));
    floods.takeBack();
    pty.acknowledge();
    // Nor does it go without from then on.
    await pty.waitUntil(() => loanCount > 2);
    // A read may end between the two.
    expect(pty.text).toMatch(/^(\r\n)+\r?$/);
  });

  it('is taken back from a thread that does not come back from a read', async () => {
    const failures: unknown[] = [];
    const program = threadOf(`${RING} ring.awaitLoan(); ring.beginRead(); for (;;);`);
    start({ program, failed: (error) => failures.push(error) });
    let memory = new SharedArrayBuffer(4);
    const lend = vi.spyOn(SharedRing.prototype, 'lend').mockImplementation(function (this: SharedRing, fd) {
      ({ memory } = this);
      lend.mockRestore();
      this.lend(fd);
    });
    await until(() => floods.lend(-1, nobody));
    // Who holds it: the thread, in a read.
    await until(() => new Int32Array(memory, 0, 1)[0] === 2);
    floods.takeBack();
    expect(failures).toMatchObject([{ message: 'the thread did not come back from a read' }]);
    expect(floods.lend(-1, nobody)).toBe(false);
  });
});

const threadCount = (): number => readdirSync('/proc/self/task').length;
