import { invalidParam } from '@agenthost/protocol';
import type { Sink } from '../../sync/subscription.ts';
import type { Drain } from '../../turns/drain.ts';
import type { Feature } from '../feature.ts';

const MAX_SECONDS = 86_400;

/** `x-drainHost`: for admins. Keeps new turns from starting, and waits for running turns. The drain ends with the connection. */
export const drainFeature = (
  drain: Drain,
  hub: { onClosed(listener: (connection: Sink) => void): void },
): Feature => ({
  name: 'drain',
  commands: {
    'x-drainHost': async ({ timeoutSeconds }, { sink }, signal) => {
      if (!(timeoutSeconds >= 0 && timeoutSeconds <= MAX_SECONDS))
        throw invalidParam('timeoutSeconds', `expected a number from 0 to ${MAX_SECONDS}`);
      // A connection that has closed ends no drain.
      if (signal.aborted) return { runningTurns: drain.runningCount };
      return { runningTurns: await drain.begin(sink, timeoutSeconds * 1_000) };
    },
  },
  observe: () => hub.onClosed((connection) => drain.end(connection)),
  stop: () => drain.stop(),
});
