import { createDemoProvider } from '@agenthost/agents';
import { createHost, JournalError, MemoryJournal } from '@agenthost/host';
import { expect, test } from 'vitest';
import { tellTroubles } from './start.ts';

test('a journal that cannot be written is reported in one line, and its recovery in another', async () => {
  const journal = new MemoryJournal();
  const host = createHost({ journal, agents: [() => createDemoProvider()] });
  const lines: string[] = [];
  tellTroubles(host, (line) => lines.push(line));
  const recovered = new Promise<void>((resolve) => void host.on('journalRecovered', () => resolve()));
  await host.start();
  const commit = journal.commit.bind(journal);
  let failures = 1;
  journal.commit = async (writes) => {
    if (failures-- > 0) throw new JournalError('full', 'no room on\nthe disk');
    await commit(writes);
  };
  await host.core.sync.commitRows([{ op: 'meta', key: 'x', value: 'y' }]);
  await recovered;
  await host.stop();
  expect(lines).toStrictEqual([
    'the host cannot save data now, and refuses changes; it tries again every second: no room on the disk',
    'the journal can be written again',
  ]);
});
