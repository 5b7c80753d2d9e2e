import { expect, test } from 'vitest';
import { JournalError } from '../journal/journal.ts';
import { MemoryDisk } from '../journal/memory-disk.ts';
import { MemoryJournal } from '../journal/memory-journal.ts';
import { memoryLog } from '../lib/memory-log.ts';
import { createHost } from '../main/create-host.ts';

const SESSION = 'ahp-session:/read-late';

/** A journal that cannot read that session the first time. */
class StumblingJournal extends MemoryJournal {
  #hasStumbled = false;

  override async readChannel(uri: string): ReturnType<MemoryJournal['readChannel']> {
    if (uri !== SESSION || this.#hasStumbled) return super.readChannel(uri);
    this.#hasStumbled = true;
    throw new JournalError('io', 'this read fails');
  }
}

test('[CONN-8] what could not be read at the start is ended as soon as somebody needs it and it can be', async () => {
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
  const journal = new StumblingJournal(disk);
  const host = createHost({ journal, agents: [], log: memoryLog() });
  await host.start();
  expect(await journal.listOpen()).toEqual([SESSION]);
  const { sync } = host.core;
  const session = await sync.registry.openOf('session', SESSION);
  expect(session?.state).toMatchObject({
    lifecycle: 'creationFailed',
    creationError: { errorType: 'hostRestarted' },
  });
  await sync.path.drain();
  expect(await journal.listOpen()).toEqual([]);
  await host.stop();
});
