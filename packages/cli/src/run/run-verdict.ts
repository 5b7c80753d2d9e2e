import type { ToolCallState, Turn } from '@agenthost/protocol';
import { EXIT } from '../process/exit.ts';
import type { Interruption } from '../process/interruption.ts';
import { commandEnd } from '../render/tool-call.ts';
import { errorText } from '../render/turn-printer.ts';

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
      return { exitCode: EXIT.error, message: errorText(turn) };
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
