import { alternate, type Measured, median } from './bar.ts';
import { benchHost, withHost } from './host.ts';
import { withFolder } from './process.ts';
import { type StoredChat, storeSessions } from './stored-sessions.ts';
import type { WireClient } from './wire.ts';

const LONG = { session: 'ahp-session:/long', chat: 'ahp-chat:/long', turnCount: 2_000 };
const SHORT = { session: 'ahp-session:/short', chat: 'ahp-chat:/short', turnCount: 20 };
const TIMES = 40;
const FORK = 'ahp-session:/fork';

/**
 * `createSession.fork` at the last turn of a session of 2,000 turns, against one of 20 turns, over a WebSocket. The host answers when the
 * fork is on disk.
 */
export async function fork(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    await storeSessions(folder, [LONG, SHORT]);
    return withHost(benchHost(folder), async ({ client }) => {
      for (const source of [LONG, SHORT]) await millisecondsEach(client, source);
      const { ours, baseline, ratio } = await alternate(
        () => millisecondsEach(client, LONG),
        () => millisecondsEach(client, SHORT),
      );
      const text = (ms: number): string => `${ms.toFixed(2)} ms`;
      return [
        {
          name: `fork a session of ${LONG.turnCount} turns, not ${SHORT.turnCount}`,
          figure: text(ours),
          baseline: text(baseline),
          ratio,
          bar: { atMost: 3 },
        },
      ];
    });
  });
}

async function millisecondsEach(client: WireClient, { session, turnCount }: StoredChat): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < TIMES; index += 1) {
    const source = { session, turnId: `turn-${turnCount - 1}` };
    const startedAt = performance.now();
    await client.request('createSession', { channel: FORK, fork: source });
    times.push(performance.now() - startedAt);
    await check(client, turnCount);
    await client.request('disposeSession', { channel: FORK });
  }
  return median(times);
}

/** Checks that all turns are there, the oldest and the newest included. */
async function check(client: WireClient, turnCount: number): Promise<void> {
  const page = (before: string): Promise<{ turns: { id: string }[]; hasMore: boolean }> =>
    client.request('fetchTurns', { channel: FORK, before, limit: 1 });
  const last = await page(`turn-${turnCount - 1}`);
  const first = await page('turn-1');
  if (last.turns[0]?.id !== `turn-${turnCount - 2}` || first.turns[0]?.id !== 'turn-0' || first.hasMore)
    throw new Error('The copy does not have the turns of its source');
}
