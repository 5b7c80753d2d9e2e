import type { DispatchOutcome } from '@agenthost/client';
import { messageOf } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { showError } from '../ui/toasts.tsx';

/** Runs something and tells the person when it fails. `what` names it. Resolves with the result, or with `undefined` after a failure. */
export async function reporting<T>(what: string, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    showError(text.chat.actionFailed(what, messageOf(error)));
    return undefined;
  }
}

/** Waits for the host's answer to an action and tells the person when it was not accepted. */
export async function reportOutcome(what: string, dispatched: Promise<DispatchOutcome>): Promise<void> {
  await reporting(what, async () => {
    const outcome = await dispatched;
    if (outcome.outcome === 'rejected' || outcome.outcome === 'dropped') throw new Error(outcome.reason);
  });
}
