import { drainMicrotasks, type SeededRandom } from '@agenthost/testkit';
import type { SimClient, SimView } from './sim-client.ts';
import { act, PASSING_CHAT, SECOND_CHAT, SESSION } from './workload.ts';
import { MAX_LATENCY_MS, type World } from './world.ts';

/** What may happen next, each as often as its number says. */
const STEPS = {
  deliver: 40,
  act: 16,
  immediates: 24,
  timer: 14,
  pass: 4,
  drop: 2.2,
  halfOpen: 0.4,
  hold: 1.2,
  letGo: 0.5,
  fetchOlder: 0.8,
  crash: 0.12,
  stop: 0.06,
  failCommit: 0.25,
  failRead: 0.15,
  chatComes: 0.3,
  chatGoes: 0.2,
} as const;

/** Makes one thing happen, and all that follows from it without time, network or disk. */
export async function step(world: World): Promise<void> {
  const { random, report, clock } = world;
  report.count('steps');
  const client = random.pick(world.clients);
  if (!world.isUp) {
    if (random.chance(0.2)) await world.start();
    else clock.fireNext();
    await drainMicrotasks();
    return;
  }
  switch (random.weighted(STEPS)) {
    case 'deliver':
      deliver(world);
      break;
    case 'act':
      act(client);
      break;
    case 'immediates':
      clock.runImmediates();
      break;
    case 'timer':
      clock.fireNext();
      break;
    case 'pass':
      // Long enough, at times, for envelopes to leave the replay window.
      await pass(world, random.chance(0.1) ? random.int(40_000) : random.int(400));
      break;
    case 'drop':
      client.link?.cut();
      break;
    case 'halfOpen':
      if (client.link !== undefined) report.count('halfOpens');
      client.link?.loseClient();
      break;
    case 'hold':
      if (client.isOnline) hold(world, client);
      break;
    case 'letGo': {
      const mirrors = client.mirrors();
      // Only when nothing is pending there: whoever looks away is not asked whether it took effect.
      if (mirrors.length > 1 && client.pendingCount === 0) client.letGo(random.pick(mirrors).uri);
      break;
    }
    case 'fetchOlder':
      fetchOlder(world, client);
      break;
    case 'crash':
      world.crash();
      break;
    case 'stop':
      await world.stop();
      break;
    case 'failRead':
      world.trace.note('disk', 'cannot be read next');
      world.failReads(random.between(1, 2));
      break;
    case 'chatComes':
      if (client.isOnline) {
        client.command('createChat', { channel: SESSION, chat: `${PASSING_CHAT}${random.hex(4)}` });
      }
      break;
    case 'chatGoes': {
      const chat = chatsOf(world).find((uri) => uri.startsWith(PASSING_CHAT));
      if (chat !== undefined && client.isOnline) client.command('disposeChat', { channel: chat });
      break;
    }
    case 'failCommit':
      world.trace.note('disk', 'fails next');
      report.count('failedCommits');
      world.journal?.failNextCommits(random.between(1, 3));
      break;
  }
  await drainMicrotasks();
}

function deliver({ network, random, report }: World): void {
  const directions = network.links
    .flatMap(({ toHost, toClient }) => [toHost, toClient])
    .filter(({ count }) => count > 0);
  if (directions.length === 0) return;
  report.count('framesDelivered', random.pick(directions).deliver(random.between(1, 4)));
}

async function pass({ clock }: World, ms: number): Promise<void> {
  await clock.advance(ms);
}

const view = (random: SeededRandom): SimView => ({
  ...(random.chance(0.5) ? { turns: random.between(0, 6) } : {}),
  ...(random.chance(0.3) ? { maxLatencyMs: random.between(1, MAX_LATENCY_MS) } : {}),
});

/** The session's chats, as somebody sees them. */
function chatsOf({ clients }: World): string[] {
  const session = clients.flatMap((each) => each.mirror(SESSION, 'session')?.state ?? [])[0];
  return session?.chats.map(({ resource }) => resource) ?? [];
}

function hold(world: World, client: SimClient): void {
  const { random } = world;
  const uri = random.pick([SESSION, SECOND_CHAT, 'ahp-root://', ...chatsOf(world)]);
  if (client.mirrors().some((mirror) => mirror.uri === uri)) return;
  world.report.count('resubscriptions');
  const isChat = uri !== SESSION && uri !== 'ahp-root://';
  client.hold(uri, isChat ? view(random) : {}).catch((error: unknown) => {
    world.faults.push(`${client.name} could not subscribe to ${uri}: ${String(error)}`);
  });
}

function fetchOlder(world: World, client: SimClient): void {
  const mirrors = client
    .mirrors()
    .filter(({ confirmed }) => 'turns' in confirmed && confirmed.turnsNextCursor);
  if (mirrors.length === 0 || !client.isOnline) return;
  world.report.count('olderTurnsFetched');
  const ignore = (error: unknown): void => {
    // A drop, or a cursor that a truncation has made stale: nothing is lost but the answer.
    if (!(error instanceof Error)) throw error;
  };
  world.random.pick(mirrors).fetchOlderTurns().catch(ignore);
}
