// One start of a host in a process of its own.
import type { Host } from '@agenthost/host';
import { benchHost } from './host.ts';
import { serve } from './process.ts';

let host: Host | undefined;

async function answer({ folder }: { folder: string }): Promise<unknown> {
  host = benchHost(folder);
  const startedAt = performance.now();
  await host.start();
  const ms = performance.now() - startedAt;
  globalThis.gc?.();
  return { ms, heapBytes: process.memoryUsage().heapUsed };
}

serve(answer, () => host?.stop());
