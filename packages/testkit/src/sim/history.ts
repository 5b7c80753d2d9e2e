import type { Turn } from '@agenthost/protocol';
import { turnStarted } from '../builders.ts';
import { drainMicrotasks } from '../drain-microtasks.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { FAILING } from '../simulated-agent.ts';
import { dropTurnsOf } from './retention.ts';
import type { SimClient } from './sim-client.ts';
import type { World } from './world.ts';

/** The chats that a client shows. */
const chatsOf = (client: SimClient) =>
  client.mirrors().flatMap(({ uri, state }) => ('turns' in state ? [{ uri, state }] : []));

/** Starts a turn that ends at once (an empty command): windows and retention need ended turns. */
export function shortTurn(random: SeededRandom, client: SimClient): void {
  const idle = chatsOf(client).filter(({ state }) => state.activeTurn === undefined);
  if (idle.length > 0) client.dispatch(random.pick(idle).uri, turnStarted(`short-${random.hex(6)}`, '!'));
}

/** Resumes the last turn of a chat if it has failed, or starts a turn that fails at once. */
export function resume(random: SeededRandom, client: SimClient): void {
  const idle = chatsOf(client).filter(({ state }) => state.activeTurn === undefined);
  if (idle.length === 0) return;
  const { uri, state } = random.pick(idle);
  resumeIn(random, client, uri, state.turns);
}

function resumeIn(random: SeededRandom, client: SimClient, uri: string, turns: readonly Turn[]): void {
  const last = turns.at(-1);
  if (last?.state === 'error') return client.dispatch(uri, { type: 'chat/turnResume', turnId: last.id });
  client.dispatch(uri, turnStarted(`failing-${random.hex(6)}`, `${FAILING}${random.hex(4)}`));
}

/** Truncates a chat at an earlier turn, possibly outside of other clients' windows, or at its beginning. */
export function truncate(random: SeededRandom, client: SimClient): void {
  const chats = chatsOf(client).filter(({ state }) => state.turns.length > 0);
  if (chats.length === 0) return;
  const { uri, state } = random.pick(chats);
  cut(random, client, uri, state.turns);
}

/** Truncates often at the first or last turn, where windows and deleted turns end. */
function cut(random: SeededRandom, client: SimClient, uri: string, turns: readonly Turn[]): void {
  const [first, last] = [turns.at(0), turns.at(-1)];
  if (first === undefined || last === undefined || random.chance(0.1))
    return client.dispatch(uri, { type: 'chat/truncated' });
  const { id: turnId } = random.pick([first, last, random.pick(turns)]);
  client.dispatch(uri, { type: 'chat/truncated', turnId });
}

/** Unsubscribes and subscribes again with a small window, because a held window only grows. */
function lookAgain({ faults }: World, random: SeededRandom, client: SimClient, uri: string): void {
  // After unsubscribing, a client cannot tell the outcome of pending actions.
  if (client.pendingCount > 0) return;
  client.letGo(uri);
  client.hold(uri, { turns: random.pick([0, 1, 2]) }).catch((error: unknown) => {
    faults.note('fault', `${client.name} could not look again at ${uri}: ${String(error)}`);
  });
}

/** Renews the window of a client or a foreign client. A foreign client may also ask for a smaller window. */
function renewOne({ foreigners }: World, random: SeededRandom, client: SimClient, uri: string): void {
  const foreign = foreigners.filter(({ states }) => states.has(uri));
  if (foreign.length === 0 || random.chance(0.4))
    return client.renew(uri, { turns: random.pick([0, 0, 1, random.between(0, 8)]) });
  const foreigner = random.pick(foreign);
  foreigner.renew(uri);
  foreigner.link?.toHost.deliver();
}

/** Loads older turns, if the client's window has a cursor. */
function fetchOlder({ report }: World, client: SimClient, uri: string): void {
  const mirror = client.mirror(uri, 'chat');
  if (mirror?.confirmed.turnsNextCursor === undefined) return;
  report.count('olderTurnsFetched');
  // A lost connection or a cursor made stale by a truncation is not a fault.
  mirror.fetchOlderTurns().catch(() => undefined);
}

const MEETING = {
  truncate: 3,
  fetchOlder: 3,
  renew: 2,
  lookAgain: 2,
  dropTurns: 3,
  shortTurn: 2,
  resume: 2,
  drop: 0.7,
  failCommit: 0.7,
} as const;

/**
 * Gives some clients a small window, whose first turns may be deleted. Some clients then load older turns or
 * reconnect.
 */
async function startNarrow(world: World, random: SeededRandom, uri: string): Promise<void> {
  for (const client of world.clients) {
    const isThere = client.isOnline && client.mirrors().some((mirror) => mirror.uri === uri);
    if (isThere && random.chance(0.4)) lookAgain(world, random, client, uri);
  }
  if (random.chance(0.3)) dropTurnsOf(world, uri, random.between(1, 3));
  await hearAll(world);
  for (const client of world.clients) if (random.chance(0.5)) fetchOlder(world, client, uri);
  await hearAll(world);
  for (const client of world.clients) if (random.chance(0.5)) comeBack(client);
  await hearAll(world);
  // The turns loaded last are the oldest and are deleted first.
  if (random.chance(0.5)) dropTurnsOf(world, uri, random.between(1, 3));
}

/** Cuts a client's connection and reconnects at once. */
function comeBack({ link, client }: SimClient): void {
  if (link === undefined) return;
  link.cut();
  client.reconnectNow();
}

async function hearAll(world: World): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await world.clock.settle();
    for (const link of world.network.links) link.deliverAll();
  }
}

/**
 * Overlaps several changes of one chat's history: truncations, deleted turns, renewed windows, lost connections
 * and failed commits. Sometimes kills the host at the end.
 */
export async function historyMeets(world: World, random: SeededRandom): Promise<void> {
  const { steps } = world.options;
  const known = world.clients
    .flatMap((client) => chatsOf(client))
    .filter(({ state }) => state.turns.length > 1);
  if (!world.isUp || known.length === 0) return;
  const { uri } = random.pick(known);
  world.report.count('historyMeetings');
  let hasFailed = false;
  if (random.chance(0.7)) await startNarrow(world, random, uri);
  for (let left = random.between(2, 5); left > 0; left -= 1) {
    const there = world.clients.flatMap((client) =>
      chatsOf(client).flatMap((chat) => (chat.uri === uri && client.isOnline ? [{ client, ...chat }] : [])),
    );
    if (there.length === 0) return;
    const { client, state } = random.pick(there);
    const what = random.weighted({ ...MEETING, failCommit: Math.min(MEETING.failCommit, steps.failCommit) });
    switch (what) {
      case 'truncate':
        if (state.turns.length > 0) cut(random, client, uri, state.turns);
        break;
      case 'renew':
        renewOne(world, random, client, uri);
        break;
      case 'fetchOlder':
        fetchOlder(world, client, uri);
        break;
      case 'lookAgain':
        lookAgain(world, random, client, uri);
        break;
      case 'dropTurns':
        dropTurnsOf(world, uri, random.between(1, 3));
        break;
      case 'shortTurn':
        if (state.activeTurn === undefined) client.dispatch(uri, turnStarted(`short-${random.hex(6)}`, '!'));
        break;
      case 'resume':
        if (state.activeTurn === undefined) resumeIn(random, client, uri, state.turns);
        break;
      case 'drop':
        client.link?.cut();
        break;
      case 'failCommit':
        hasFailed = true;
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
  if (steps.crash === 0 || !random.chance(hasFailed ? 0.5 : 0.1)) return;
  // Before the kill, clients receive everything that the host has sent.
  await world.clock.settle();
  for (const link of world.network.links) link.deliverAll();
  world.crash();
}
