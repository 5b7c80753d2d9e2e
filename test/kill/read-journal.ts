// Reads the replay windows in the journals of killed hosts, in a process of its own, so that it knows only the files. Takes `{"folder",
// "after", "channels"}` on each line, and answers each with a line of envelopes as a JSON array.
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
