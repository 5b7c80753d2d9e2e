import type { Host } from '@agenthost/host';
import { alternate, type Measured, median } from './bar.ts';
import { benchHost, withHost } from './host.ts';
import { withFolder } from './process.ts';
import { storeSessions } from './stored-sessions.ts';
import type { WireClient } from './wire.ts';

const TURNS = 20;
const LONG = { session: 'ahp-session:/long', chat: 'ahp-chat:/long', turnCount: 10_000 };
const SHORT = { session: 'ahp-session:/short', chat: 'ahp-chat:/short', turnCount: 50 };
const TIMES = 40;

/** `subscribe` with `view.turns: 20` to a chat on disk of 10,000 turns, against one of 50 turns, over a WebSocket. */
export async function turnWindow(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    await storeSessions(folder, [LONG, SHORT]);
    return withHost(benchHost(folder), async ({ host, client }) => {
      const open = ({ chat }: { chat: string }): Promise<number> => millisecondsEach(host, client, chat);
      for (const chat of [LONG, SHORT]) await open(chat);
      const { ours, baseline, ratio } = await alternate(
        () => open(LONG),
        () => open(SHORT),
      );
      const text = (ms: number): string => `${ms.toFixed(2)} ms`;
      return [
        {
          name: `open the last ${TURNS} of ${LONG.turnCount} turns, not ${SHORT.turnCount}`,
          figure: text(ours),
          baseline: text(baseline),
          ratio,
          bar: { atMost: 1.5 },
        },
      ];
    });
  });
}

async function millisecondsEach(host: Host, client: WireClient, channel: string): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < TIMES; index += 1) {
    await unload(host, channel);
    const startedAt = performance.now();
    const { snapshot } = await client.request<{ snapshot: { state: { turns: unknown[] } } }>('subscribe', {
      channel,
      view: { turns: TURNS },
    });
    times.push(performance.now() - startedAt);
    if (snapshot.state.turns.length !== TURNS) throw new Error(`${snapshot.state.turns.length} turns came`);
    client.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel } }));
    // The host answers this request after the `unsubscribe` [WIRE-4].
    await client.request('ping', { channel: 'ahp-root://' });
  }
  return median(times);
}

/** Unloads the chat and its session, in this order. */
async function unload(host: Host, channel: string): Promise<void> {
  const { sync } = host.core;
  for (let round = 0; round < 2; round += 1) {
    sync.registry.unloadIdle(Number.POSITIVE_INFINITY);
    await sync.path.drain();
  }
  if (sync.registry.get(channel) !== undefined) throw new Error(`${channel} is still in memory`);
}
