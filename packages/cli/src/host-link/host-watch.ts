import type { AhpClient } from '@agenthost/client';
import { EXIT } from '../process/exit.ts';
import type { StopReason } from '../process/interruption.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** How long a client waits for a lost host. A host that is restarted is back sooner. */
const RECONNECT_LIMIT_MS = 120_000;

/** Notes on stderr when the connection is lost and when it is back, and stops the command if it stays lost. */
export function watchConnection(
  client: AhpClient,
  screen: Screen,
  stop: (reason: StopReason) => void,
): () => void {
  let patience: NodeJS.Timeout | undefined;
  const leave = client.onStatus((status) => {
    if (status.state === 'waiting' && patience === undefined) {
      screen.note(`lost the connection to the host (${oneLine(status.reason)}); reconnecting`);
      // The status shows what the agent does, which is unknown now.
      screen.holdStatus(true);
      patience = setTimeout(() => {
        const message = `the host did not come back within ${RECONNECT_LIMIT_MS / 1_000} s`;
        stop({ exitCode: EXIT.cannotConnect, message });
      }, RECONNECT_LIMIT_MS);
    } else if (status.state === 'online' && patience !== undefined) {
      screen.note('reconnected to the host');
      screen.holdStatus(false);
      clearTimeout(patience);
      patience = undefined;
    }
  });
  return () => {
    leave();
    screen.holdStatus(false);
    clearTimeout(patience);
  };
}

/** Listener of `watchHost`. */
export interface HostWatcher {
  /** The connection is lost or back. */
  notice(text: string): void;
  /** The connection is closed for good, or did not come back in time. One line. */
  lost(message: string): void;
}

/** Reports when the connection is lost and when it is back, and reports the host as lost after two minutes. Returns a function that ends the watch. */
export function watchHost(client: AhpClient, { notice, lost }: HostWatcher): () => void {
  let patience: NodeJS.Timeout | undefined;
  const stop = client.onStatus((status) => {
    if (status.state === 'closed' || status.state === 'replaced') {
      lost(`lost the connection to the host: ${oneLine(status.error.message)}`);
    } else if (status.state === 'waiting' && patience === undefined) {
      notice('lost the connection to the host; reconnecting');
      patience = setTimeout(
        () => lost(`the host did not come back within ${RECONNECT_LIMIT_MS / 1_000} s`),
        RECONNECT_LIMIT_MS,
      );
    } else if (status.state === 'online' && patience !== undefined) {
      clearTimeout(patience);
      patience = undefined;
      notice('reconnected to the host');
    }
  });
  return () => {
    clearTimeout(patience);
    stop();
  };
}
