import type { SessionState } from '@agenthost/protocol';
import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { JournalError } from '../journal/journal.ts';
import { MemoryDisk } from '../journal/memory/disk.ts';
import { MemoryJournal } from '../journal/memory/memory-journal.ts';
import { memoryLog } from '../lib/log.ts';
import { createHost } from '../main/create-host.ts';

const SESSION = 'ahp-session:/read-late';

/** A journal that cannot read that session at first. Default: once. */
class StumblingJournal extends MemoryJournal {
  stumbles = 1;

  override async readChannel(uri: string): ReturnType<MemoryJournal['readChannel']> {
    if (uri !== SESSION || this.stumbles === 0) return super.readChannel(uri);
    this.stumbles -= 1;
    throw new JournalError('io', 'this read fails');
  }
}

/** A journal whose disk is full until the test says otherwise. */
class FullJournal extends MemoryJournal {
  isFull = true;

  override async commit(...args: Parameters<MemoryJournal['commit']>): Promise<void> {
    if (this.isFull) throw new JournalError('full', 'no room');
    return super.commit(...args);
  }
}

/** A disk with a session whose creation the end of the host interrupted. `more` changes the session's state. */
async function interrupted(more: Partial<SessionState> = {}): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const before = new MemoryJournal(disk);
  await before.open();
  const state = {
    provider: 'none',
    title: '',
    status: 1,
    lifecycle: 'creating',
    activeClients: [],
    chats: [],
    ...more,
  };
  await before.commit([
    {
      op: 'channel',
      uri: SESSION,
      kind: 'session',
      seq: 0,
      state: JSON.stringify(state),
      local: JSON.stringify({ titledBy: 'nobody' }),
    },
    { op: 'markOpen', uri: SESSION },
  ]);
  await before.close();
  return disk;
}

test('[CONN-8] a host that cannot journal the turns that it ends does not start, with a reason', async () => {
  const disk = await interrupted();
  const full = createHost({ journal: new FullJournal(disk), agents: [], log: memoryLog() });
  await expect(full.start()).rejects.toMatchObject({ name: 'JournalError', code: 'full' });
  const journal = new MemoryJournal(disk);
  const host = createHost({ journal, agents: [], log: memoryLog() });
  await host.start();
  expect(await journal.listOpen()).toEqual([]);
  await host.stop();
});

test('[CONN-8] a session that could not be read at the start is ended when a client needs it and it is readable', async () => {
  const disk = await interrupted();
  const journal = new StumblingJournal(disk);
  const host = createHost({ journal, agents: [], log: memoryLog() });
  await host.start();
  expect(await journal.listOpen()).toEqual([SESSION]);
  const { sync } = host.core;
  const session = await sync.registry.openOf('session', SESSION);
  expect(session?.state).toMatchObject({
    lifecycle: 'failed',
    creationError: { errorType: 'hostRestarted' },
  });
  await sync.path.drain();
  expect(await journal.listOpen()).toEqual([]);
  await host.stop();
});

test('[SESS-8] [CONN-8] clients of a session that could not be read at the start are removed when it is readable', async () => {
  const disk = await interrupted({ lifecycle: 'ready', activeClients: [{ clientId: 'gone', tools: [] }] });
  const clock = new SimulatedClock();
  const journal = new StumblingJournal(disk);
  // Two reads fail: that of recovery, and that of active clients.
  journal.stumbles = 2;
  const host = createHost({ journal, agents: [], log: memoryLog(), clock, timers: clock });
  await clock.runUntilSettled(host.start());
  const { sync } = host.core;
  const session = await sync.registry.openOf('session', SESSION);
  expect(session?.state.activeClients).toHaveLength(1);
  await clock.advance(31_000);
  expect(session?.state.activeClients).toEqual([]);
  await clock.runUntilSettled(host.stop());
});
