// The host of the memory benchmark. Run with `--expose-gc`.
import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from '@agenthost/host';
import { benchHost, startAt } from './host.ts';
import { serve } from './process.ts';

type Request = { kind: 'start'; folder: string } | { kind: 'heap' };

let host: Host | undefined;

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'start') {
    host = benchHost(`${request.folder}/data`, { roots: [request.folder] });
    return { wsUrl: await startAt(host) };
  }
  if (host === undefined) throw new Error('start first');
  const { sync, turns } = host.core;
  // Unloads idle channels, chats before their sessions, and closes their agents, as after a while without clients.
  for (let round = 0; round < 2; round += 1) {
    sync.registry.unloadIdle(Number.POSITIVE_INFINITY);
    await sync.path.drain();
  }
  turns.closeIdle(Number.POSITIVE_INFINITY);
  return { heapBytes: await settledHeap() };
}

/** The heap once collections shrink it no more: some resources of closed channels are freed later. */
async function settledHeap(): Promise<number> {
  let heapBytes = Number.POSITIVE_INFINITY;
  for (;;) {
    await pause(100);
    globalThis.gc?.();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed > heapBytes - 10_000) return heapUsed;
    heapBytes = heapUsed;
  }
}

serve(answer, () => host?.stop());
