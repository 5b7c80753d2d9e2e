// Some hosts of the fleet benchmark in one process, each with a cell of its own.
import { type Host, PostgresJournal } from '@agenthost/host';
import { benchHost } from './host.ts';
import { serve } from './process.ts';

interface Request {
  readonly url: string;
  readonly folder: string;
  readonly cells: readonly string[];
  readonly token: string;
}

const hosts: Host[] = [];

async function answer({ url, folder, cells, token }: Request): Promise<void> {
  for (const cell of cells) {
    const journal = new PostgresJournal({ url, cell });
    const host = benchHost(`${folder}/${cell}`, {
      roots: [folder],
      journal,
      listen: { port: 0, token, trustProxy: true },
    });
    hosts.push(host);
    const address = await host.start();
    await journal.announce(() => ({ url: address?.url ?? '', labels: [], ...host.load }));
  }
}

serve(answer, async () => {
  await Promise.all(hosts.map((host) => host.stop()));
});
