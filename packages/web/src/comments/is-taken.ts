import type { DispatchOutcome } from '@agenthost/client';
import { reporting } from '../chat/report-outcome.ts';

/** Resolves with whether the host took an action; the person is told when it did not. `what` names the action. */
export async function isTaken(what: string, dispatched: Promise<DispatchOutcome>): Promise<boolean> {
  const taken = await reporting(what, async () => {
    const outcome = await dispatched;
    if (outcome.outcome === 'rejected' || outcome.outcome === 'dropped') throw new Error(outcome.reason);
    return true;
  });
  return taken === true;
}
