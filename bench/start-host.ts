// One start of a host in a process of its own.
import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host } from '@agenthost/host';
import { serve } from './process.ts';

let host: Host | undefined;

async function answer({ folder }: { folder: string }): Promise<unknown> {
  host = createHost({
    dataDir: folder,
    agents: [() => createDemoProvider()],
    listen: { port: 0, token: 'bench-token-of-forty-three-characters-long-x' },
  });
  const startedAt = performance.now();
  await host.start();
  const ms = performance.now() - startedAt;
  globalThis.gc?.();
  return { ms, heapBytes: process.memoryUsage().heapUsed };
}

serve(answer, () => host?.stop());
