import { SECOND_CHAT, SESSION } from '../deeds/act.ts';
import { checkInvariants } from './invariants.ts';
import type { Report } from './report.ts';
import { step } from './schedule.ts';
import { TERMINALS } from './terminals.ts';
import { World } from './world.ts';

/** One run of the simulator. */
export interface Run {
  readonly seed: number;
  /** Steps between two audits. */
  readonly stepCount: number;
  readonly auditCount: number;
}

/** Plays the schedule of a seed, audits it, and tells what happened. Throws what an audit finds. */
export async function simulate({ seed, stepCount, auditCount }: Run): Promise<Report> {
  const world = new World({
    seed,
    clientCount: 2 + (seed % 3),
    replayMs: 30_000,
    unloadAfterMs: 20_000,
    // Some worlds have slow disks, some hosts with short patience for slow clients, some a client of another make.
    slowDisk: [0, 0.05, 0.3][seed % 3] ?? 0,
    outbox:
      seed % 2 === 0
        ? { softBytes: 1_000_000, hardBytes: 8_000_000 }
        : { softBytes: 2_000, hardBytes: 12_000 },
    foreigner: seed % 4 === 1 ? 1 : undefined,
  });
  await world.start();
  await enter(world);
  for (let audit = 0; audit < auditCount; audit += 1) {
    for (let count = 0; count < stepCount; count += 1) await step(world);
    if (!world.isUp) await world.start();
    world.failReads(0);
    await world.quiesce();
    await checkInvariants(world);
  }
  for (const { client } of world.clients) client.close();
  await world.stop();
  return world.report;
}

/** Everybody connects, the first makes the session, and all look at everything. */
async function enter(world: World): Promise<void> {
  const connecting = Promise.all(world.clients.map(({ client }) => client.connect()));
  await world.quiesce();
  await connecting;
  const [first] = world.clients;
  if (first === undefined) throw new Error('a world needs a client');
  const creating = first.client.request('createSession', { channel: SESSION, provider: 'simulated' });
  await world.quiesce();
  await creating;
  const adding = first.client.request('createChat', { channel: SESSION, chat: SECOND_CHAT });
  await world.quiesce();
  await adding;
  for (const channel of TERMINALS) {
    const claim = { kind: 'client' as const, clientId: first.name };
    const making = first.client.request('createTerminal', { channel, claim, 'x-command': ['program'] });
    await world.quiesce();
    await making;
    world.permanent.add(channel);
  }
  for (const [index, client] of world.clients.entries()) {
    const holding = Promise.all([
      client.hold(SESSION),
      client.hold(SECOND_CHAT, index === 1 ? { turns: 2 } : {}),
      client.hold('ahp-root://'),
      ...TERMINALS.map((uri) => client.hold(uri)),
    ]);
    await world.quiesce();
    await holding;
    const chat = client.mirror(SESSION, 'session')?.state.defaultChat;
    if (chat === undefined) throw new Error('the session has no default chat');
    for (const uri of [SESSION, SECOND_CHAT, chat]) world.permanent.add(uri);
    const looking = client.hold(chat, index === 2 ? { maxLatencyMs: 50 } : {});
    await world.quiesce();
    await looking;
  }
}
