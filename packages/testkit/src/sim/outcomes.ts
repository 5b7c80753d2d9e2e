import type { SimClient } from './sim-client.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/**
 * Checks that every action was applied once, rejected with a reason, ignored, or never reached the host. Throws
 * a `Violation`.
 */
export function checkOutcomes(world: World): void {
  for (const client of [...world.clients, ...world.guests.map((guest) => guest.client)])
    checkClient(world, client);
  world.guests.length = 0;
}

function checkClient(world: World, client: SimClient): void {
  const { name, dispatched, resends, wasReplaced, isGuest, mayOnlyLook } = client;
  for (const { outcome, channel, action, clientSeq } of dispatched) {
    const what = `${name}: dispatch ${clientSeq}, ${action.type} on ${channel}`;
    if (outcome === undefined) throw new Violation('outcome', `${what} has none`);
    if (mayOnlyLook && outcome.outcome === 'accepted')
      throw new Violation('access', `${what} was accepted of one who may only look`);
    // On a permanent channel no action is ignored. A client that resends and was never replaced drops no action.
    if (outcome.outcome === 'ignored' && world.permanent.has(channel))
      throw new Violation('outcome', `${what} was ignored`);
    if (outcome.outcome === 'dropped' && resends && !wasReplaced && !isGuest)
      throw new Violation('outcome', `${what} was dropped: ${outcome.reason}`);
    if (!resends || clientSeq === 0) continue;
    const times = world.archive.timesApplied(client.clientId, client.epoch, clientSeq);
    if (!isFit(outcome, action.type, times))
      throw new Violation('once', `${what} is ${outcome.outcome} and was applied ${times} times`);
  }
}

function isFit(
  outcome: NonNullable<SimClient['dispatched'][number]['outcome']>,
  type: string,
  times: number,
) {
  switch (outcome.outcome) {
    case 'accepted':
      return times === (type === 'terminal/input' ? 0 : 1);
    case 'rejected':
      return times === 0 || (outcome.code === 'outcomeExpired' && times === 1);
    case 'ignored':
      // Its channel was disposed meanwhile, or its answer was lost with a connection.
      return times <= 1;
    case 'dropped':
      return times <= 1;
    default:
      return outcome satisfies never;
  }
}
