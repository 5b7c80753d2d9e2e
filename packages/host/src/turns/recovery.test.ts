import { expect, test } from 'vitest';
import { MemoryDisk } from '../journal/memory/disk.ts';
import { MemoryJournal } from '../journal/memory/memory-journal.ts';
import { memoryLog } from '../lib/log.ts';
import { createHost } from '../main/create-host.ts';

test('[CONN-8] an unreadable channel does not prevent a start, and is read again later', async () => {
  const disk = new MemoryDisk();
  const before = new MemoryJournal(disk);
  await before.open();
  const uri = 'ahp-session:/torn';
  await before.commit([
    { op: 'channel', uri, kind: 'session', seq: 0, state: '{"torn', local: '{}' },
    { op: 'markOpen', uri },
  ]);
  await before.close();

  const log = memoryLog();
  const journal = new MemoryJournal(disk);
  const host = createHost({ journal, agents: [], log });
  await host.start();
  expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([{ fields: { uri } }]);
  expect(await journal.listOpen()).toEqual([uri]);
  await host.stop();
});
