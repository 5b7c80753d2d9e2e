import { annotationsUri } from '@agenthost/protocol';
import {
  type Actor,
  act,
  annotate,
  PASSING_CHAT,
  PASSING_SESSION,
  SECOND_CHAT,
  SESSION,
} from '../deeds/act.ts';
import { drainMicrotasks } from '../drain-microtasks.ts';
import { SeededRandom } from '../seeded-random.ts';
import { crowdComes } from './crowd.ts';
import { actAbroad } from './foreign-acts.ts';
import { inviteGuest, pickGuest, revokeGuest } from './guests.ts';
import { historyMeets, resume, shortTurn, truncate } from './history.ts';
import { importCopy } from './imports.ts';
import { letLivesPass } from './lives.ts';
import { channelsOf, chatsOf, chatsThatPass, forkSource, historyTerminals, terminalsOf } from './places.ts';
import { loseAnswer, renew } from './renewals.ts';
import { dropTurns } from './retention.ts';
import { searchSomething } from './searches.ts';
import type { SimClient, SimView } from './sim-client.ts';
import type { StepName } from './steps.ts';
import { endCommand, exit, output, PROGRAM, report, TERMINALS } from './terminals.ts';
import { MAX_LATENCY_MS, type World } from './world.ts';
import type { WorldOptions } from './world-options.ts';

/** Input of a step. Each step has its own random numbers, so that leaving out a step does not change others. */
interface Step {
  readonly world: World;
  readonly random: SeededRandom;
  readonly client: SimClient;
}

/** Kind and random numbers of the step with this number. They depend only on the seed. */
export function stepOf(options: WorldOptions, index: number): { name: StepName; random: SeededRandom } {
  const random = SeededRandom.of(options.seed, `step/${index}`);
  return { name: random.weighted(options.steps), random };
}

/** Performs one step, then waits until all promises that can settle have settled. */
export async function step(world: World, index: number): Promise<void> {
  const { name, random } = stepOf(world.options, index);
  const client = random.pick(world.clients);
  world.report.count('steps');
  if (!world.isUp && random.chance(0.15)) world.begin();
  if (!QUIET.has(name)) world.trace.note(`#${index}`, `${name} (${client.name})`);
  client.random = random;
  await DO[name]({ world, random, client });
  await drainMicrotasks();
}

/** Kinds of step that a trace does not record. */
const QUIET: ReadonlySet<StepName> = new Set(['deliver', 'immediates', 'timer', 'act', 'foreignActs']);

const DO: Readonly<Record<StepName, (step: Step) => Promise<void> | void>> = {
  deliver: ({ world, random }) => {
    const waiting = world.network.links
      .flatMap(({ toHost, toClient }) => [toHost, toClient])
      .filter(({ count }) => count > 0);
    if (waiting.length > 0)
      world.report.count('framesDelivered', random.pick(waiting).deliver(random.between(1, 4)));
  },
  part: ({ world, random }) => {
    const { links } = world.network;
    if (links.length === 0) return;
    const { toHost, toClient } = random.pick(links);
    random.pick([toHost, toClient]).deliverPart(random.between(1, 200));
  },
  act: ({ world, random, client }) =>
    world.options.annotates && random.chance(0.15) ? annotate(actorOf(client)) : act(actorOf(client)),
  foreignActs: ({ world, random }) => {
    if (world.foreigners.length === 0) return undefined;
    const foreigner = random.pick(world.foreigners);
    foreigner.connect();
    if (!random.chance(0.1)) return actAbroad(foreigner, random, world.trace);
    foreigner.renew(SECOND_CHAT);
    return random.chance(0.4) ? loseAnswer(world, foreigner) : undefined;
  },
  immediates: ({ world }) => void world.clock.runImmediates(),
  timer: ({ world }) => void world.clock.fireNext(),
  // Sometimes long enough for envelopes to leave the replay window.
  pass: ({ world, random }) => world.clock.advance(random.chance(0.1) ? random.int(40_000) : random.int(400)),
  drop: ({ world, random, client }) => {
    const foreigner =
      world.foreigners.length > 0 && random.chance(0.1) ? random.pick(world.foreigners) : undefined;
    (foreigner ?? client).link?.cut();
  },
  cutInside: ({ world, random, client: { link } }) => {
    if (link === undefined) return;
    const hasBegun = random.pick([link.toHost, link.toClient]).deliverPart(random.between(1, 5_000));
    if (hasBegun) world.report.count('cutFrames');
    link.cut();
  },
  halfOpen: ({ world, client: { link } }) => {
    if (link === undefined) return;
    world.report.count('halfOpens');
    link.loseClient();
  },
  hostLoses: ({ world, client: { link } }) => {
    if (link === undefined) return;
    world.report.count('halfOpens');
    link.loseHost();
    world.hasDeadWays = true;
  },
  wayBackDies: ({ world, client: { link } }) => {
    if (link === undefined) return;
    world.report.count('halfOpens');
    link.toClient.swallow();
    world.hasDeadWays = true;
  },
  wayThereDies: ({ world, client: { link } }) => {
    if (link === undefined) return;
    world.report.count('halfOpens');
    link.toHost.swallow();
    world.hasDeadWays = true;
  },
  strayHandshake: ({ world, client: { link } }) => {
    if (link === undefined) return;
    world.report.count('strays');
    link.leaveClient();
  },
  loseAnswer: ({ world, random, client }) => {
    const foreigner =
      world.foreigners.length > 0 && random.chance(0.3) ? random.pick(world.foreigners) : undefined;
    return loseAnswer(world, foreigner ?? client);
  },
  renew: ({ world, random, client }) => renew(world, random, client),
  livesPass: ({ world, random, client }) => letLivesPass(world, random, client),
  dropTurns: ({ world, random }) => dropTurns(world, random),
  crowdComes: ({ world, random }) => crowdComes(world, random),
  truncate: ({ random, client }) => truncate(random, client),
  shortTurn: ({ random, client }) => shortTurn(random, client),
  resume: ({ random, client }) => resume(random, client),
  historyMeets: ({ world, random }) => historyMeets(world, random),
  rivalComes: ({ world, client }) => {
    if (!world.isUp || !client.resends || world.rivals.length > 1) return;
    const rival = world.makeClient(world.newName('rival'), {
      clientId: client.clientId,
      credential: client.credential,
      mayOnlyLook: client.mayOnlyLook,
    });
    world.rivals.push(rival);
    world.report.count('rivals');
    // Refusals and lost connections are part of the schedule; the client is then closed.
    rival.client.connect().catch(() => undefined);
    hold(world, rival, SESSION);
  },
  rivalActs: ({ world, random }) => {
    if (world.rivals.length === 0) return;
    const rival = random.pick(world.rivals);
    rival.random = random;
    if (rival.mirrors().length === 0 || random.chance(0.1)) {
      if (rival.isOnline) hold(world, rival, random.pick([SESSION, SECOND_CHAT, ...channelsOf(world)]));
      else rival.client.reconnectNow();
    } else act(actorOf(rival));
  },
  takeBack: ({ client }) => {
    if (client.isReplaced) client.client.reconnectNow();
  },
  hold: ({ world, random, client }) => {
    if (!client.isOnline) return;
    const uri = random.pick([
      SESSION,
      SECOND_CHAT,
      'ahp-root://',
      ...TERMINALS,
      ...terminalsOf(world),
      ...historyTerminals(world),
      ...channelsOf(world),
      ...(world.options.annotates ? [annotationsUri(SESSION)] : []),
    ]);
    hold(world, client, uri, viewOf(random, uri));
  },
  letGo: ({ random, client }) => {
    const mirrors = client.mirrors();
    // Only without pending actions, because their outcome would be unknown after unsubscribing.
    if (mirrors.length > 1 && client.pendingCount === 0) client.letGo(random.pick(mirrors).uri);
  },
  fetchOlder: ({ world, random, client }) => {
    const mirrors = client
      .mirrors()
      .filter(({ confirmed }) => 'turns' in confirmed && confirmed.turnsNextCursor);
    if (mirrors.length === 0 || !client.isOnline) return;
    world.report.count('olderTurnsFetched');
    // A lost connection or a cursor made stale by a truncation is not a fault.
    random.pick(mirrors).fetchOlderTurns().catch(onlyErrors);
  },
  search: ({ world, random, client }) => searchSomething(world, random, client),
  crash: ({ world }) => world.crash(),
  crashSoon: ({ world, random }) => {
    if (world.life === undefined) return;
    world.mood.killIn = random.between(1, 12);
  },
  stop: ({ world }) => world.stop(),
  failCommit: ({ world, random }) => {
    world.report.count('failedCommits');
    world.life?.journal.failNextCommits(random.between(1, 3));
  },
  diskFills: ({ world }) => {
    world.report.count('fullDisks');
    world.mood.isFull = true;
  },
  diskEmpties: ({ world }) => {
    world.mood.isFull = false;
  },
  failRead: ({ world, random }) => {
    const count = random.between(1, 2);
    world.report.count('failedReads', count);
    world.mood.failingReads = count;
  },
  output: ({ world, random }) => output(world, random),
  exit: ({ world, random }) => exit(world, random),
  shellReports: ({ world, random }) => report(world, random),
  commandEnds: ({ world, random }) => endCommand(world, random),
  chatComes: ({ random, client }) => {
    if (!client.isOnline) return;
    const chat = `${PASSING_CHAT}${random.hex(4)}`;
    client.command('createChat', 'createChat', { channel: SESSION, chat });
  },
  chatGoes: ({ world, random, client }) => {
    const passing = chatsThatPass(world);
    if (passing.length === 0 || !client.isOnline) return;
    client.command('disposeChat', 'disposeChat', { channel: random.pick(passing) });
  },
  chatForks: ({ random, client }) => {
    const source = forkSource(random, client);
    if (source === undefined || !client.isOnline) return;
    const chat = `${PASSING_CHAT}${random.hex(4)}`;
    const isSide = random.chance(0.4);
    const [deed, kind] = isSide
      ? (['side chat', 'sideChat'] as const)
      : (['fork of a chat', 'fork'] as const);
    client.command(deed, 'createChat', { channel: SESSION, chat, source: { kind, ...source } });
  },
  chatMoves: ({ world, random, client }) => {
    const passing = chatsThatPass(world);
    if (passing.length === 0 || !client.isOnline) return;
    if (random.chance(0.4)) {
      const after = random.chance(0.2) ? {} : { after: random.pick([...chatsOf(world), SECOND_CHAT]) };
      const destination = { kind: 'session' as const, session: SESSION, ...after };
      client.command('reorder of chats', 'moveChat', { channel: random.pick(passing), destination });
      return;
    }
    const session = random.pick([SESSION, ...world.passing]);
    const destination =
      world.passing.size <= 4 && random.chance(0.2)
        ? { kind: 'newSession' as const }
        : { kind: 'session' as const, session };
    client.command('moveChat', 'moveChat', { channel: random.pick(passing), destination }, (moved) =>
      moved.session === SESSION ? undefined : world.passing.add(moved.session),
    );
  },
  sessionComes: ({ world, random, client }) => {
    if (!client.isOnline || world.passing.size > 4) return;
    const channel = `${PASSING_SESSION}${random.hex(4)}`;
    client.command('createSession', 'createSession', { channel }, () => world.passing.add(channel));
  },
  sessionForks: ({ world, random, client }) => {
    const source = forkSource(random, client);
    if (source === undefined || !client.isOnline || world.passing.size > 4) return;
    const channel = `${PASSING_SESSION}${random.hex(4)}`;
    const params = { channel, 'x-fork': { session: SESSION, turnId: source.turnId } };
    client.command('fork of a session', 'createSession', params, () => world.passing.add(channel));
  },
  sessionImports: ({ world, client }) => importCopy(world, client),
  guestComes: ({ world, client }) => inviteGuest(world, client),
  guestActs: ({ world, random }) => {
    const guest = pickGuest(world, random);
    if (guest !== undefined) act(actorOf(guest));
  },
  guestIsRevoked: ({ world, client }) => revokeGuest(world, client),
  forkGoes: ({ world, client }) => {
    const [channel] = world.passing;
    if (channel === undefined || !client.isOnline) return;
    client.command('disposeSession', 'disposeSession', { channel }, () => world.passing.delete(channel));
  },
  terminalComes: ({ world, random, client }) => {
    if (!client.isOnline || world.terminals.size > 3) return;
    const channel = `ahp-terminal:/passing-${random.hex(4)}`;
    const session = random.pick([SESSION, ...world.passing]);
    const shown = client.mirrors().find(({ uri }) => uri === session)?.confirmed;
    const chat = shown !== undefined && 'defaultChat' in shown ? shown.defaultChat : undefined;
    const claim = random.chance(0.7)
      ? { kind: 'client' as const, clientId: client.clientId }
      : { kind: 'session' as const, session, chat: chat ?? SECOND_CHAT };
    const program = random.chance(0.5) ? PROGRAM : {};
    client.ask('createTerminal', { channel, claim, ...program }, () => {
      world.terminals.add(channel);
      world.report.count('terminals');
    });
  },
  terminalGoes: ({ world, random, client }) => {
    if (!client.isOnline || world.terminals.size === 0) return;
    const channel = random.pick([...world.terminals]);
    client.ask('disposeTerminal', { channel }, () => world.terminals.delete(channel));
  },
};

/** A client as an actor; some of its prompts are commands for the host [CHAT-17]. */
const actorOf = (client: SimClient): Actor => ({
  name: client.clientId,
  random: client.random,
  mirrors: () => client.mirrors(),
  dispatch: (channel, action) => client.dispatch(channel, action),
  prompt: () => promptOf(client.random),
});

const promptOf = (random: SeededRandom): string =>
  random.chance(0.88) ? random.hex(6) : `!${random.chance(0.1) ? '' : `make ${random.hex(4)}`}`;

function hold(world: World, client: SimClient, uri: string, view: SimView = {}): void {
  if (client.mirrors().some((mirror) => mirror.uri === uri)) return;
  world.report.count('resubscriptions');
  client.hold(uri, view).catch((error: unknown) => {
    world.faults.note('fault', `${client.name} could not subscribe to ${uri}: ${String(error)}`);
  });
}

function viewOf(random: SeededRandom, uri: string): SimView {
  if (!/^ahp-(?:chat|terminal):/.test(uri)) return {};
  return {
    ...(random.chance(0.5) ? { turns: random.pick([0, 0, 1, random.between(0, 6)]) } : {}),
    ...(random.chance(0.3) ? { maxLatencyMs: random.between(1, MAX_LATENCY_MS) } : {}),
  };
}

function onlyErrors(error: unknown): void {
  if (!(error instanceof Error)) throw error;
}
