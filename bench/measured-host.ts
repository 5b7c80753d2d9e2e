// A host that reports its memory, with the options of `serve`, its journal on disk and terminals in keepers. Run with `--expose-gc`.
import { readdirSync, statSync } from 'node:fs';
import { writeHeapSnapshot } from 'node:v8';
import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host } from '@agenthost/host';
import { failingKeywords } from '@agenthost/testkit/failing-keywords';
import { serve } from './process.ts';
import { WorkCount } from './work-count.ts';

type Request =
  /** `isShort`: idle channels leave memory within seconds, so that a run of a minute reaches a steady state. */
  | {
      kind: 'start';
      folder: string;
      isShort: boolean;
      port?: number;
      allowedHosts?: string[];
    }
  | { kind: 'sample' }
  /** Counts the work of the host from now on. */
  | { kind: 'countWork' }
  /** Answers with the work counted since the last answer. */
  | { kind: 'workDone' }
  | { kind: 'snapshot'; file: string };

/** Resources of a host at one moment, after garbage collection. */
export interface Sample {
  readonly heapBytes: number;
  /** Memory outside V8's heap, such as buffers. */
  readonly externalBytes: number;
  readonly rssBytes: number;
  /** The peak since the start of the process. */
  readonly peakRssBytes: number;
  readonly descriptors: number;
  /** Active timers. */
  readonly timers: number;
  /** Database and write-ahead log together. */
  readonly journalBytes: number;
  /** Channels in memory. */
  readonly channels: number;
  /** Terminals among these channels. */
  readonly terminals: number;
}

let host: Host | undefined;
let dataDir = '';
const work = new WorkCount();

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'start': {
      dataDir = `${request.folder}/data`;
      host = createHost({
        dataDir,
        agents: [() => createDemoProvider({ keywords: failingKeywords })],
        listen: {
          port: request.port ?? 0,
          token: 'bench-token-of-forty-three-characters-long-x',
          allowedHosts: request.allowedHosts ?? [],
        },
        roots: [request.folder],
        defaultDirectory: request.folder,
        ...(request.isShort ? { unloadAfterMs: 5_000, graceMs: 2_000 } : {}),
      });
      const startedAt = performance.now();
      const address = await host.start();
      return {
        url: `${address?.wsUrl}?token=${address?.token}`,
        port: address?.port,
        pid: process.pid,
        startMs: performance.now() - startedAt,
        terminals: terminalCount(),
      };
    }
    case 'sample':
      return sample();
    case 'countWork':
      return work.start();
    case 'workDone':
      return work.take();
    case 'snapshot':
      await collect();
      writeHeapSnapshot(request.file);
      return {};
    default:
      return request satisfies never;
  }
}

async function sample(): Promise<Sample> {
  await collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    heapBytes: heapUsed,
    externalBytes: external,
    rssBytes: rss,
    peakRssBytes: process.resourceUsage().maxRSS * 1_024,
    descriptors: readdirSync('/proc/self/fd').length,
    timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
    journalBytes: ['journal.db', 'journal.db-wal'].reduce(
      (sum, name) => sum + (statSync(`${dataDir}/${name}`, { throwIfNoEntry: false })?.size ?? 0),
      0,
    ),
    channels: [...(host?.core.sync.registry.all() ?? [])].length,
    terminals: terminalCount(),
  };
}

const terminalCount = (): number => [...(host?.core.sync.registry.ofKind('terminal') ?? [])].length;

/** Collects twice: the second pass frees what finalizers of the first released. */
async function collect(): Promise<void> {
  if (globalThis.gc === undefined) throw new Error('start it with --expose-gc');
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

serve(answer, () => host?.stop());
