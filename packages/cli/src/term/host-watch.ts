import type { AhpClient } from '@agenthost/client';
import { oneLine } from '../render/plain-text.ts';

/** A host that is started again is back sooner. */
const hostPatienceMs = 120_000;

/** Who is told of the host. */
export interface HostWatcher {
  /** It has gone for the moment, or is back. */
  notice(text: string): void;
  /** It does not let us in any more, or did not come back in time; in one line. */
  lost(message: string): void;
}

/** Tells when the host goes and comes back, and gives it up after two minutes. The result ends that. */
export function watchHost(client: AhpClient, { notice, lost }: HostWatcher): () => void {
  let patience: NodeJS.Timeout | undefined;
  const stop = client.onStatus((status) => {
    if (status.state === 'closed' || status.state === 'replaced') {
      lost(`lost the host: ${oneLine(status.error.message)}`);
    } else if (status.state === 'waiting' && patience === undefined) {
      notice('lost the host; reconnecting');
      patience = setTimeout(
        () => lost(`the host did not come back within ${hostPatienceMs / 1_000} s`),
        hostPatienceMs,
      );
    } else if (status.state === 'online' && patience !== undefined) {
      clearTimeout(patience);
      patience = undefined;
      notice('reached the host again');
    }
  });
  return () => {
    clearTimeout(patience);
    stop();
  };
}
