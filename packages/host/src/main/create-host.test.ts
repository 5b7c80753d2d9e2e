import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JournalError, MemoryJournal } from '@agenthost/host';
import { SimulatedClock } from '@agenthost/testkit';
import { describe, expect, it, vi } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../test/host-fixture.ts';
import { PuppetAgent } from '../../test/puppet-agent.ts';
import type { ChildRegistry } from '../agents/provider.ts';
import { hashToken } from '../auth/verify.ts';
import { silentLog } from '../lib/log.ts';
import { createHost } from './create-host.ts';
import type { HostOptions, ListenOptions } from './options.ts';

const turn = (turnId: string) => ({
  type: 'chat/turnStarted',
  startedAt: '2026-06-01T00:00:00.000Z',
  turnId,
  message: { text: 'go', origin: { kind: 'user' } },
});

/** Whether a promise settles while the fixture's time passes. */
async function settled(host: HostFixture, promise: Promise<unknown>, limitMs = 60_000): Promise<boolean> {
  const state = { isSettled: false };
  const settle = (): void => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  for (let waited = 0; waited < limitMs && !state.isSettled; waited += 1_000) await host.advance(1_000);
  return state.isSettled;
}

describe('a host that starts', () => {
  it('fails clearly when its journal does not open, and can be stopped', async () => {
    const journal = new MemoryJournal();
    journal.open = () => Promise.reject(new JournalError('locked', 'in use by another host'));
    const host = createHost({ journal, agents: [() => new PuppetAgent()], log: silentLog });
    await expect(host.start()).rejects.toMatchObject({ code: 'locked' });
    await host.stop();
    await expect(host.start()).rejects.toThrow('start only once');
  });

  it('leaves the folder of another host alone', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'agenthost-two-'));
    try {
      const options = { dataDir, agents: [() => new PuppetAgent()], log: silentLog };
      const first = createHost(options);
      await first.start();
      const second = createHost(options);
      await expect(second.start()).rejects.toMatchObject({ code: 'locked' });
      // The first host still holds the lock.
      await expect(createHost(options).start()).rejects.toMatchObject({ code: 'locked' });
      await first.core.sync.commitRows([{ op: 'meta', key: 'x', value: 'y' }]);
      expect(await first.core.sync.journal.readMeta('x')).toBe('y');
      await first.stop();
      const third = createHost(options);
      await third.start();
      expect(await third.core.sync.journal.readMeta('x')).toBe('y');
      await third.stop();
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  it('is stopped by a stop during its start', async () => {
    const clock = new SimulatedClock();
    const journal = new MemoryJournal();
    const host = createHost({
      journal,
      agents: [() => new PuppetAgent()],
      log: silentLog,
      clock,
      timers: clock,
    });
    const started = host.start();
    const stopped = host.stop();
    for (let round = 0; round < 50; round += 1) await clock.settle();
    await Promise.all([started, stopped]);
    expect(() => host.core).toThrow('not running');
    expect(clock.timerCount).toBe(0);
  });

  it('[ROOT-1] reports its build, also on a data folder of another build', async () => {
    const host = await startHost({ serverInfo: { name: 'agenthost', version: '1.0.0' } });
    const disk = host.journal.disk;
    await host.stop();
    const newer = createHost({
      journal: new MemoryJournal(disk),
      agents: [() => new PuppetAgent()],
      log: silentLog,
      serverInfo: { name: 'agenthost', version: '2.0.0' },
    });
    await newer.start();
    expect(newer.core.sync.root.state._meta).toMatchObject({ hostBuild: 'agenthost 2.0.0' });
    await newer.stop();
  });
});

describe("the owner's token", () => {
  it('[AUTH-1] comes from the options: reading the environment is up to the caller', async () => {
    vi.stubEnv('AGENTHOST_TOKEN', 'a-token-of-the-environment');
    try {
      const host = createHost({
        journal: new MemoryJournal(),
        agents: [() => new PuppetAgent()],
        log: silentLog,
        listen: { port: 0 },
      });
      const address = await host.start();
      expect(address?.token).toMatch(/^[\w-]{43}$/);
      await host.stop();
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('a host that stops', () => {
  it('stops although its journal cannot be written and an agent waits for it', async () => {
    let children: ChildRegistry | undefined;
    const agent = new PuppetAgent();
    const waiting = Promise.withResolvers<void>();
    agent.dispose = () => waiting.promise;
    const host = await startHost({
      agents: [
        (services) => {
          ({ children } = services);
          return agent;
        },
      ],
    });
    const client = await host.client();
    await host.session(client);
    host.journal.failNextCommits(10_000);
    await client.act(SESSION, { type: 'session/titleChanged', title: 'x' });
    // Another process: the test's own.
    children?.record({ pid: process.pid, command: 'x' }).then(waiting.resolve, () => waiting.resolve());
    await host.run();
    expect(await settled(host, host.host.stop())).toBe(true);
    host.kill();
  });

  it('[CONN-8] leaves open no turn that a client begins meanwhile', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await client.act(chat, turn('a'));
    const { disk } = host.journal;
    const stopped = host.host.stop();
    await host.run();
    // The agent takes a while to end the first turn.
    client.dispatch(chat, turn('b'));
    expect(await settled(host, stopped)).toBe(true);
    expect(host.agent.turns).toHaveLength(1);
    expect([...disk.open]).toStrictEqual([]);
    host.kill();
  });

  it('releases its journal although an agent cannot be ended', async () => {
    const host = await startHost();
    host.agent.dispose = () => Promise.reject(new Error('stuck'));
    const { disk } = host.journal;
    await host.stop();
    expect(disk.isLocked).toBe(false);
    expect(host.logged).toContain('a feature did not stop cleanly');
  });

  it('ends once, however often it is asked', async () => {
    const host = await startHost();
    const both = Promise.all([host.host.stop(), host.host.stop()]);
    expect(await settled(host, both)).toBe(true);
    host.kill();
  });
});

describe('agents of idle chats', () => {
  it('are closed after ten minutes without a subscriber, and opened again with their memory', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    host.agent.opened[0]?.host.saveMemory({ id: 7 });
    await host.advance(30 * 60_000);
    // A client is subscribed.
    expect(host.agent.closeCount).toBe(0);
    client.link.cut();
    await host.advance(5 * 60_000);
    expect(host.agent.closeCount).toBe(0);
    await host.advance(10 * 60_000);
    expect(host.agent.closeCount).toBe(1);
    const again = await host.client();
    await again.act(chat, turn('a'));
    await host.run();
    expect(host.agent.opened.at(-1)?.memory).toStrictEqual({ id: 7 });
    expect(host.agent.turns).toHaveLength(1);
  });
});

describe("the owner's token", () => {
  it('[AUTH-1] hands its client ids on when it is replaced', async () => {
    const options: Partial<HostOptions> & { listen: ListenOptions } = {
      listen: { port: 0, token: 'first-token-0123456789' },
    };
    const host = await startHost(options);
    const first = { tokenHash: hashToken('first-token-0123456789'), scope: 'admin' as const };
    const second = { tokenHash: hashToken('second-token-0123456789'), scope: 'admin' as const };
    await host.client('mine', {}, first);
    await expect(host.client('mine', {}, second)).rejects.toMatchObject({ code: -32009 });
    await host.stop();
    options.listen = { port: 0, token: 'second-token-0123456789' };
    await host.start();
    await host.client('mine', {}, second);
    // Another token than the owner's does not get the client id.
    await expect(host.client('mine', {}, first)).rejects.toMatchObject({ code: -32009 });
  });
});
