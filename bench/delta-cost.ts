import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host } from '@agenthost/host';
import type { ChatState } from '@agenthost/protocol';
import { alternate, type Measured } from './bar.ts';
import { withFolder } from './process.ts';

/** Deltas in one tick, as from an agent that never pauses. */
const BATCH = 512;
const DELTAS = 25 * BATCH;
const CASES = [
  { parts: 1_000, atMost: 2, atMostLookedAt: 3 },
  { parts: 5_000, atMost: 3, atMostLookedAt: 10 },
] as const;

/**
 * Cost of one delta (reduce, encode, journal) in a turn of many parts, against a turn of one part. Measures processor time, garbage
 * collection included, so that other load on the machine does not count. The host reduces neighbouring deltas together when something reads
 * the state. A second case reads the state after each delta, the worst case: every delta then copies the list of parts.
 */
export async function deltaCost(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const host = createHost({ dataDir: folder, agents: [() => createDemoProvider()] });
    await host.start();
    try {
      const single = openTurn(host, 1);
      const results: Measured[] = [];
      for (const { parts, atMost, atMostLookedAt } of CASES) {
        const many = openTurn(host, parts);
        for (const isLookedAt of [false, true]) {
          const cost = (chat: string) => (): Promise<number> => microsecondsEach(host, chat, isLookedAt);
          for (const chat of [many, single, many, single]) await cost(chat)();
          const { ours, baseline, ratio } = await alternate(cost(many), cost(single));
          results.push({
            name: `delta on ${parts} parts${isLookedAt ? ', each looked at' : ''}`,
            figure: `${ours.toFixed(1)} µs`,
            baseline: `${baseline.toFixed(1)} µs`,
            ratio,
            bar: { atMost: isLookedAt ? atMostLookedAt : atMost },
          });
        }
      }
      return results;
    } finally {
      await host.stop();
    }
  });
}

const turnId = 'turn';
const lastPart = (parts: number): string => `part-${parts}`;

/** Starts a turn with this many parts. Returns the URI of its chat. */
function openTurn(host: Host, parts: number): string {
  const { sync } = host.core;
  const uri = `ahp-chat:/${crypto.randomUUID()}`;
  const state: ChatState = {
    resource: uri,
    title: '',
    status: 1,
    modifiedAt: new Date().toISOString(),
    turns: [],
  };
  sync.transact('host', (tx) => {
    const chat = sync.registry.create(
      tx,
      { uri, kind: 'chat', state, hostData: { turnCount: 0 } },
      sync.emittedSeq,
    );
    const message = { text: 'a long turn', origin: { kind: 'user' as const } };
    tx.emit(chat, { type: 'chat/turnStarted', turnId, startedAt: state.modifiedAt, message });
    for (let number = 1; number <= parts; number += 1) {
      const part = { kind: 'markdown' as const, id: lastPart(number), content: 'Text of this part.' };
      tx.emit(chat, { type: 'chat/responsePart', turnId, part });
    }
  });
  return uri;
}

/** `isLookedAt`: reads the state after each delta, so that the host cannot join deltas before it reduces them. */
async function microsecondsEach(host: Host, uri: string, isLookedAt: boolean): Promise<number> {
  const { sync } = host.core;
  const chat = sync.registry.getOf('chat', uri);
  const partId = chat?.state.activeTurn?.responseParts.length;
  if (chat === undefined || partId === undefined) throw new Error(`${uri} has no turn open`);
  const action = {
    type: 'chat/delta',
    turnId,
    partId: lastPart(partId),
    content: 'and on it goes. ',
  } as const;
  const before = process.cpuUsage();
  for (let done = 0; done < DELTAS; done += BATCH) {
    for (let index = 0; index < BATCH; index += 1) {
      sync.transact('host', (tx) => tx.emit(chat, { ...action }));
      if (isLookedAt && chat.state.activeTurn === undefined) throw new Error(`${uri} has no turn open`);
    }
    await sync.path.drain();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / DELTAS;
}
