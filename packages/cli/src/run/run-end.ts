import { type AhpClient, ChannelLost } from '@agenthost/client';
import { CliError, EXIT } from '../process/exit.ts';
import type { Interruption } from '../process/interruption.ts';

/** A cancelled turn ends at once, unless the host is gone. */
const cancelLimitMs = 5_000;

/** Waits for the turn, but after an interruption no longer than a reachable host needs to end it. */
export async function settled(
  asking: Promise<number>,
  interruption: Interruption,
  client: AhpClient,
): Promise<number> {
  const { signal } = interruption;
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<never>((_, reject) => {
    const giveUp = (): void => {
      const isOnline = client.status.state === 'online';
      timer = setTimeout(() => reject(stopped(interruption, isOnline)), isOnline ? cancelLimitMs : 0);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([asking, givenUp]);
  } catch (error) {
    // The rest of it fails when the client closes; nobody asks any more.
    asking.catch(() => undefined);
    const { status } = client;
    if (error instanceof ChannelLost) {
      if (status.state === 'closed' || status.state === 'replaced') {
        throw new CliError(EXIT.cannotConnect, `lost the host: ${status.error.message}`, { cause: error });
      }
      throw new CliError(EXIT.error, 'another client removed the session', { cause: error });
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Why a command stops, as its end. */
export function stopped({ reason }: Interruption, isOnline = true): CliError {
  const fate = isOnline ? '' : '; the host could not be told, so the turn may go on there';
  return new CliError(
    reason?.exitCode ?? EXIT.interrupted,
    `${reason?.message ?? 'interrupted'}${reason?.exitCode === EXIT.cannotConnect ? '' : fate}`,
  );
}
