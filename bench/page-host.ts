// A host that serves the page, for the benchmark of the page.
import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host } from '@agenthost/host';
import { serve } from './process.ts';

interface Request {
  readonly folder: string;
  readonly page: string;
}

let host: Host | undefined;

serve<Request>(
  async ({ folder, page }) => {
    host = createHost({
      dataDir: folder,
      agents: [() => createDemoProvider()],
      listen: { port: 0, token: 'bench-token-of-forty-three-characters-long-x', page: { folder: page } },
      terminals: { keeper: false },
    });
    const address = await host.start();
    return { url: address?.url, token: address?.token };
  },
  () => host?.stop(),
);
