import { turnStarted } from '../builders.ts';
import { drainMicrotasks } from '../drain-microtasks.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { dropTurnsOf } from './retention.ts';
import type { SimClient } from './sim-client.ts';
import type { World } from './world.ts';

/** Chats that a client looks at, as it shows them. */
const chatsOf = (client: SimClient) =>
  client.mirrors().flatMap(({ uri, state }) => ('turns' in state ? [{ uri, state }] : []));

/** A turn that ends at once, being a command of nothing: windows and what is dropped of them need turns that have ended. */
export function shortTurn(random: SeededRandom, client: SimClient): void {
  const idle = chatsOf(client).filter(({ state }) => state.activeTurn === undefined);
  if (idle.length > 0) client.dispatch(random.pick(idle).uri, turnStarted(`short-${random.hex(6)}`, '!'));
}

/** Somebody goes back to an earlier turn, which others may not have in their windows, or to the very beginning. */
export function truncate(random: SeededRandom, client: SimClient): void {
  const chats = chatsOf(client).filter(({ state }) => state.turns.length > 0);
  if (chats.length === 0) return;
  const { uri, state } = random.pick(chats);
  cut(random, client, uri, random.pick(state.turns).id);
}

function cut(random: SeededRandom, client: SimClient, uri: string, turnId: string): void {
  client.dispatch(uri, random.chance(0.1) ? { type: 'chat/truncated' } : { type: 'chat/truncated', turnId });
}

const MEETING = { truncate: 3, renew: 3, dropTurns: 2, shortTurn: 2, drop: 0.7, failCommit: 0.7 } as const;

/**
 * Several things happen to the history of one chat before all have heard of the first: it is cut, its turns are dropped, windows are renewed,
 * clients are away, and the journal cannot be written. Now and then the host is killed in the middle of it.
 */
export async function historyMeets(world: World, random: SeededRandom): Promise<void> {
  const { steps } = world.options;
  const uris = world.clients.flatMap((client) => chatsOf(client).map(({ uri }) => uri));
  if (uris.length === 0) return;
  const uri = random.pick(uris);
  world.report.count('historyMeetings');
  for (let left = random.between(2, 5); left > 0; left -= 1) {
    const there = world.clients.flatMap((client) =>
      chatsOf(client).flatMap((chat) => (chat.uri === uri && client.isOnline ? [{ client, ...chat }] : [])),
    );
    if (there.length === 0) return;
    const { client, state } = random.pick(there);
    const what = random.weighted({ ...MEETING, failCommit: Math.min(MEETING.failCommit, steps.failCommit) });
    switch (what) {
      case 'truncate':
        if (state.turns.length > 0) cut(random, client, uri, random.pick(state.turns).id);
        break;
      case 'renew':
        client.renew(uri, { turns: random.pick([0, 0, 1, random.between(0, 8)]) });
        break;
      case 'dropTurns':
        dropTurnsOf(world, uri, random.between(1, 3));
        break;
      case 'shortTurn':
        if (state.activeTurn === undefined) client.dispatch(uri, turnStarted(`short-${random.hex(6)}`, '!'));
        break;
      case 'drop':
        client.link?.cut();
        break;
      case 'failCommit':
        world.report.count('failedCommits');
        world.life?.journal.failNextCommits(random.between(1, 2));
        break;
      default:
        what satisfies never;
    }
    if (random.chance(0.6)) client.link?.toHost.deliver();
    await drainMicrotasks();
    if (random.chance(0.4)) await world.clock.settle();
  }
  if (steps.crash > 0 && random.chance(0.1)) world.crash();
}
