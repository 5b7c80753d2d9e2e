import type { ChatSummary } from '@agenthost/protocol';
import { act, PASSING_CHAT, PASSING_SESSION, SECOND_CHAT, SESSION } from '../deeds/act.ts';
import { drainMicrotasks } from '../drain-microtasks.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimClient, SimView } from './sim-client.ts';
import { exit, output, TERMINALS } from './terminals.ts';
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
  output: 1.5,
  exit: 0.01,
  failRead: 0.15,
  chatComes: 0.3,
  chatGoes: 0.25,
  chatForks: 0.3,
  sessionForks: 0.2,
  forkGoes: 0.6,
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
        client.command('createChat', 'createChat', {
          channel: SESSION,
          chat: `${PASSING_CHAT}${random.hex(4)}`,
        });
      }
      break;
    case 'chatGoes': {
      const passing = entriesOf(world).filter(isPassing);
      if (passing.length === 0 || !client.isOnline) break;
      client.command('disposeChat', 'disposeChat', { channel: random.pick(passing).resource });
      break;
    }
    case 'chatForks': {
      const source = forkSource(world, client);
      if (source === undefined || !client.isOnline) break;
      const chat = `${PASSING_CHAT}${random.hex(4)}`;
      client.command('fork of a chat', 'createChat', { channel: SESSION, chat, source });
      break;
    }
    case 'sessionForks': {
      const source = forkSource(world, client);
      if (source === undefined || !client.isOnline || world.forks.size > 4) break;
      const channel = `${PASSING_SESSION}${random.hex(4)}`;
      const params = { channel, fork: { session: SESSION, turnId: source.turnId } };
      client.command('fork of a session', 'createSession', params, () => world.forks.add(channel));
      break;
    }
    case 'forkGoes': {
      const [channel] = world.forks;
      if (channel === undefined || !client.isOnline) break;
      client.command('disposeSession', 'disposeSession', { channel }, () => world.forks.delete(channel));
      break;
    }
    case 'output':
      output(world);
      break;
    case 'exit':
      exit(world);
      break;
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
function entriesOf({ clients }: World): ChatSummary[] {
  const session = clients.flatMap((each) => each.mirror(SESSION, 'session')?.state ?? [])[0];
  return session?.chats ?? [];
}

const isWorker = ({ origin }: ChatSummary): boolean => origin?.kind === 'tool';
const isPassing = (entry: ChatSummary): boolean => isWorker(entry) || entry.resource.startsWith(PASSING_CHAT);

/** What there is to look at: of the many workers the latest, and of copies of the session their chats too. */
function channelsOf(world: World): string[] {
  const entries = entriesOf(world);
  const worker = entries.findLast(isWorker);
  const forks = [...world.forks].flatMap((uri) => {
    const [session] = world.clients.flatMap((each) => each.mirror(uri, 'session')?.state ?? []);
    return [uri, ...(session?.chats ?? []).map(({ resource }) => resource)];
  });
  return [
    ...entries.filter((entry) => !isWorker(entry)).map(({ resource }) => resource),
    ...(worker === undefined ? [] : [worker.resource]),
    ...forks,
  ];
}

/** Where somebody might fork what they look at: mostly at a turn that has ended. */
function forkSource({ random }: World, client: SimClient): { chat: string; turnId: string } | undefined {
  const states = client.mirrors().flatMap(({ uri, state }) => ('turns' in state ? [{ uri, state }] : []));
  if (states.length === 0) return undefined;
  const { uri, state } = random.pick(states);
  const ids = [...state.turns.map(({ id }) => id), state.activeTurn?.id ?? 'none'];
  return { chat: uri, turnId: random.pick(ids) };
}

function hold(world: World, client: SimClient): void {
  const { random } = world;
  const uri = random.pick([SESSION, SECOND_CHAT, 'ahp-root://', ...TERMINALS, ...channelsOf(world)]);
  if (client.mirrors().some((mirror) => mirror.uri === uri)) return;
  world.report.count('resubscriptions');
  const isView = uri.startsWith('ahp-chat:') || uri.startsWith('ahp-terminal:');
  client.hold(uri, isView ? view(random) : {}).catch((error: unknown) => {
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
