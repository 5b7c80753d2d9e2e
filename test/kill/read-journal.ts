// Reads the replay windows of killed hosts' journals. A process of its own, so that nothing but the files can tell it
// anything: takes `{"folder", "after", "channels"}` a line, answers each with a line of envelopes as a JSON array.
import { createInterface } from 'node:readline';
import { SqliteJournal } from '@agenthost/host';

for await (const line of createInterface({ input: process.stdin })) {
  const { folder, after, channels }: { folder: string; after: number; channels: string[] } = JSON.parse(line);
  const journal = new SqliteJournal({ folder });
  const { setAside } = await journal.open();
  if (setAside !== undefined) throw new Error(`the kill damaged the journal: ${setAside.reason}`);
  const rows = await journal.readEnvelopes(channels, after, Number.MAX_SAFE_INTEGER, 512 * 1024 * 1024);
  if (rows === undefined) throw new Error('more than 512 MiB of envelopes');
  process.stdout.write(`[${rows.map(({ json }) => json).join()}]\n`);
  await journal.close();
}
