import {
  type AhpClient,
  ChannelLost,
  ClientClosed,
  ConnectionLost,
  DispatchRejected,
  Replaced,
  type SessionHandle,
} from '@agenthost/client';
import { errorOf, type ToolCallState, type Turn } from '@agenthost/protocol';
import { CliError, EXIT } from '../process/exit.ts';
import type { Interruption } from '../process/interruption.ts';
import { commandEnd } from '../render/tool-call.ts';
import { errorText } from '../render/turn-printer.ts';

/** A cancelled turn ends at once, unless the host is gone. */
const CANCEL_TIMEOUT_MS = 5_000;

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
      timer = setTimeout(() => reject(stopped(interruption, isOnline)), isOnline ? CANCEL_TIMEOUT_MS : 0);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([asking, givenUp]);
  } catch (error) {
    // The remaining work fails when the client closes. The failure is expected.
    asking.catch(() => undefined);
    const { status } = client;
    if (error instanceof ChannelLost) {
      if (status.state === 'closed' || status.state === 'replaced') {
        throw new CliError(EXIT.cannotConnect, `lost the connection to the host: ${status.error.message}`, {
          cause: error,
        });
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
  const fate = isOnline ? '' : '; the host could not be reached, so the turn may continue there';
  return new CliError(
    reason?.exitCode ?? EXIT.interrupted,
    `${reason?.message ?? 'interrupted'}${reason?.exitCode === EXIT.cannotConnect ? '' : fate}`,
  );
}

/** The exit code of a turn that has ended, and what to say about it. */
export function verdict(
  turn: Turn,
  {
    reason,
    wasRemoved,
    wasWorkerDenied,
  }: Pick<Interruption, 'reason'> & { readonly wasRemoved: boolean; readonly wasWorkerDenied: boolean },
): { readonly exitCode: number; readonly message?: string } {
  switch (turn.state) {
    case 'complete':
      return {
        exitCode: wasDenied(turn) || wasWorkerDenied ? EXIT.denied : (commandExitCode(turn) ?? EXIT.done),
      };
    case 'error':
      return { exitCode: EXIT.error, message: errorText(errorOf(turn)) };
    default:
      if (reason === undefined) {
        const what = wasRemoved ? 'removed the session' : 'cancelled the turn';
        return { exitCode: EXIT.error, message: `another client ${what}` };
      }
      return {
        exitCode: reason.exitCode,
        message: `${reason.message ?? 'interrupted'}; the turn is cancelled`,
      };
  }
}

/** Whether somebody, or a setting, has said no to a tool call. */
export const isDenied = (call: ToolCallState): boolean =>
  call.status === 'cancelled' && call.reason !== 'skipped';

const wasDenied = ({ responseParts }: Turn): boolean =>
  responseParts.some((part) => part.kind === 'toolCall' && isDenied(part.toolCall));

/** That of the command which the message was [CHAT-17], once it has ended. */
function commandExitCode({ responseParts }: Turn): number | undefined {
  const [part] = responseParts;
  return part?.kind === 'toolCall' ? commandEnd(part.toolCall)?.exitCode : undefined;
}

const EXPECTED = [ChannelLost, ClientClosed, ConnectionLost, DispatchRejected, Replaced];

/**
 * Marks a session as read after its answer was shown. A session that is gone and a connection that is lost are no failures: the answer is out,
 * and nobody waits for the connection to come back. Rejects with any other error.
 */
export async function markRead(
  client: Pick<AhpClient, 'status' | 'onStatus'>,
  session: Pick<SessionHandle, 'setRead'>,
): Promise<void> {
  if (client.status.state !== 'online') return;
  let stop = (): void => undefined;
  const isCutOff = new Promise<void>((resolve) => {
    stop = client.onStatus(({ state }) => {
      if (state !== 'online') resolve();
    });
  });
  try {
    await Promise.race([session.setRead(true), isCutOff]);
  } catch (error) {
    if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
  } finally {
    stop();
  }
}
