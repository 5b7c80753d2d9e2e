import { annotationsUri } from '@agenthost/protocol';
import { turnStarted } from '../builders.ts';
import { SECOND_CHAT, SESSION } from '../deeds/act.ts';
import { inviteGuest, letGuestsGo } from './guests.ts';
import { checkInvariants } from './invariants.ts';
import { checkNothingLeft } from './leftovers.ts';
import { withoutRealWorld } from './real-world.ts';
import type { Report } from './report.ts';
import { step, stepOf } from './schedule.ts';
import type { SimClient } from './sim-client.ts';
import { PROGRAM, SHELL, TERMINALS, unseenTerminal } from './terminals.ts';
import { Trace } from './trace.ts';
import { World } from './world.ts';
import { type WorldOptions, worldOptionsOf } from './world-options.ts';

/** Options of one run. */
export interface Run {
  readonly seed: number;
  /** Steps between two audits. */
  readonly stepCount: number;
  /** Number of audits. Default 1. */
  readonly auditCount?: number;
  /** Numbers of steps to leave out. Default: none. */
  readonly without?: ReadonlySet<number>;
  /** Default: nothing is recorded. */
  readonly trace?: Trace;
}

/** Number of steps between two checks for faults. */
const CHECK_EVERY = 20;

/**
 * Plays the schedule of a seed and audits it. Resolves with the counts of events. Rejects with a `Violation`
 * or another error.
 */
export function simulate(run: Run): Promise<Report> {
  const options = worldOptionsOf(run.seed);
  return withoutRealWorld((files) => play(new World(options, run.trace ?? new Trace(), files), run));
}

async function play(world: World, { stepCount, auditCount = 1, without = new Set() }: Run): Promise<Report> {
  world.begin();
  await enter(world);
  for (let audit = 0; audit < auditCount; audit += 1) {
    const end = (audit + 1) * stepCount;
    for (let index = audit * stepCount; index < end; index += 1) {
      if (!without.has(index)) await step(world, index);
      if (index % CHECK_EVERY === 0) world.faults.check();
    }
    await world.settleDown();
    letGuestsGo(world);
    await checkInvariants(world);
  }
  await checkNothingLeft(world);
  return world.report;
}

/** The numbers of a run's steps by kind. */
export function stepNumbers(options: WorldOptions, count: number): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  for (let index = 0; index < count; index += 1) {
    const { name } = stepOf(options, index);
    numbers.set(name, [...(numbers.get(name) ?? []), index]);
  }
  return numbers;
}

/** Connects all clients, creates the session and its channels, and subscribes all clients to them. */
async function enter(world: World): Promise<void> {
  await world.clock.runUntilSettled(world.life?.started ?? Promise.resolve());
  await meanwhile(world, Promise.all(world.clients.map(({ client }) => client.connect())));
  const [first] = world.clients;
  if (first === undefined) throw new Error('a world needs a client');
  await meanwhile(world, first.client.request('createSession', { channel: SESSION, provider: 'simulated' }));
  const claim = { kind: 'client' as const, clientId: first.name };
  const making = [
    first.client.request('createChat', { channel: SESSION, chat: SECOND_CHAT }),
    ...TERMINALS.map((channel) =>
      first.client.request('createTerminal', { channel, claim, ...(channel === SHELL ? {} : PROGRAM) }),
    ),
    ...Array.from({ length: world.options.unseenTerminals }, (_, index) =>
      first.client.request('createTerminal', { channel: unseenTerminal(index), claim, ...PROGRAM }),
    ),
  ];
  await meanwhile(world, Promise.all(making));
  for (const uri of [SESSION, annotationsUri(SESSION), SECOND_CHAT, ...TERMINALS]) world.permanent.add(uri);
  for (const foreigner of world.foreigners) {
    for (const uri of [SESSION, SECOND_CHAT, TERMINALS[0], 'ahp-root://']) foreigner.hold(uri);
  }
  await meanwhile(world, Promise.all(world.clients.map((client, index) => lookAround(world, client, index))));
  for (let turn = 0; turn < world.options.history; turn += 1) {
    // An empty command, which ends at once.
    first.dispatch(SECOND_CHAT, turnStarted(`before-${turn}`, '!'));
    await world.quiesce();
  }
  if (!world.options.hasGuest) return;
  inviteGuest(world, first);
  await world.quiesce();
}

/** Runs the world until it is idle, then awaits `promise`. Rejects when `promise` rejects. */
async function meanwhile(world: World, promise: Promise<unknown>): Promise<void> {
  const settled = Promise.allSettled([promise]);
  await world.quiesce();
  const [{ status, ...rest }] = await settled;
  if (status === 'rejected') throw new Error('the world could not be entered', { cause: rest });
}

async function lookAround(world: World, client: SimClient, index: number): Promise<void> {
  await Promise.all([
    client.hold(SESSION),
    client.hold(SECOND_CHAT, index === 1 ? { turns: world.options.viewTurns } : {}),
    client.hold('ahp-root://'),
    ...TERMINALS.map((uri) => client.hold(uri)),
  ]);
  if (world.options.annotates) await client.hold(annotationsUri(SESSION));
  const chat = client.mirror(SESSION, 'session')?.state.defaultChat;
  if (chat === undefined) throw new Error('the session has no default chat');
  world.permanent.add(chat);
  await client.hold(chat, index === 2 ? { maxLatencyMs: 50 } : {});
}
