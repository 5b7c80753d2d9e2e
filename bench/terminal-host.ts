// The host of the terminal benchmarks: as `serve` makes it, journal on disk, ptys in a keeper or in the host itself.
import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host } from '@agenthost/host';
import { serve } from './process.ts';

type Request = { kind: 'start'; folder: string; keeper: boolean } | { kind: 'memory' };

let host: Host | undefined;

async function answer(request: Request): Promise<unknown> {
  // In bytes, and the highest so far: memory that was given back must not hide a flood.
  if (request.kind === 'memory') return { peakBytes: process.resourceUsage().maxRSS * 1024 };
  host = createHost({
    dataDir: `${request.folder}/data`,
    agents: [() => createDemoProvider()],
    listen: { port: 0, token: 'bench-token-of-forty-three-characters-long-x' },
    roots: [request.folder],
    terminals: { keeper: request.keeper },
  });
  const address = await host.start();
  return { wsUrl: `${address?.wsUrl}?token=${address?.token}` };
}

serve(answer, () => host?.stop());
