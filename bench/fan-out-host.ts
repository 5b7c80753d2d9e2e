// The host of the fan-out benchmark, with the options of `serve` and its journal on disk or in PostgreSQL.
import { type Host, PostgresJournal } from '@agenthost/host';
import { benchHost, startAt } from './host.ts';
import { serve } from './process.ts';

type Request =
  /** `journal`: a database and a cell in PostgreSQL. Absent: a file in the folder. */
  | { kind: 'start'; folder: string; journal?: { url: string; cell: string } }
  /** Counts the frames of each tick of a chat from now on. */
  | { kind: 'count'; chat: string }
  | { kind: 'batches' };

let host: Host | undefined;
let stopCounting = (): number[] => [];

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'start') {
    const { folder, journal } = request;
    host = benchHost(`${folder}/data`, {
      roots: [folder],
      ...(journal && { journal: new PostgresJournal(journal) }),
    });
    return { wsUrl: await startAt(host) };
  }
  if (request.kind === 'count') stopCounting = count(request.chat);
  return { batches: request.kind === 'batches' ? stopCounting() : [] };
}

/** Counts frames of a chat through a subscription of its own. */
function count(uri: string): () => number[] {
  if (host === undefined) throw new Error('start first');
  const { sync } = host.core;
  const channel = sync.registry.get(uri);
  const batches: number[] = [];
  let frames = 0;
  const sink = {
    envelope: () => {
      frames += 1;
    },
    frame: () => undefined,
    notification: () => undefined,
  };
  channel?.subscriptions.set(sink, {
    sink,
    view: undefined,
    delivery: undefined,
    since: 0,
    fromOrdinal: 0,
    takesTurns: true,
    isRealigned: false,
  });
  sync.path.onPublished(() => {
    if (frames > 0) batches.push(frames);
    frames = 0;
  });
  return () => {
    channel?.subscriptions.delete(sink);
    return batches;
  };
}

serve(answer, () => host?.stop());
