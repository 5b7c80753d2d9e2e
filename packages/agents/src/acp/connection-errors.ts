import * as acp from '@agentclientprotocol/sdk';
import { AgentError } from '@agenthost/host';
import type { AgentProcess } from './agent-process.ts';
import { isObject, textOf } from './json.ts';

/** What messages say of an agent. */
export interface AgentIdentity {
  readonly process: AgentProcess;
  readonly name: string;
  /** How to log in. */
  readonly loginHint: string | undefined;
}

/** Why we ended a connection ourselves, if we did. */
export interface Ending {
  stoppedBecause: string | undefined;
}

/** The SDK's code for "authentication required". */
const authRequiredCode = -32000;

/** Waits for the end of a connection and its process, and says why it came. Never rejects. */
export async function closeReason(
  agent: AgentIdentity,
  rpc: acp.ClientConnection,
  ended: Promise<void>,
  ending: Ending,
): Promise<AgentError> {
  const broken = ended.then(
    () => undefined,
    (error: unknown) => (error instanceof AgentError ? error : undefined),
  );
  // An agent that closes its output, or breaks the framing, is of no use any more: its process ends in any case.
  await rpc.closed;
  await agent.process.stop();
  const [framing, end] = await Promise.all([broken, agent.process.exited]);
  if (framing !== undefined) return framing;
  return ending.stoppedBecause === undefined
    ? new AgentError('agentExited', `${agent.name} ended (${end})${stderrSuffix(agent.process)}`)
    : new AgentError('agentExited', `${agent.name} was stopped: ${ending.stoppedBecause}`);
}

/** What to add to a message about an agent's end. */
export function stderrSuffix(process: AgentProcess): string {
  const tail = process.stderrTail();
  return tail === '' ? '' : `; the end of its error output:\n${tail}`;
}

/** What a failed request means for a turn. */
export function requestError(
  agent: AgentIdentity,
  method: string,
  error: unknown,
  closed: AgentError | undefined,
): AgentError {
  if (!(error instanceof acp.RequestError)) {
    return (
      closed ?? new AgentError('agentError', `${agent.name}: ${method}: ${String(error)}`, { cause: error })
    );
  }
  const details = isObject(error.data)
    ? (textOf(error.data['details']) ?? textOf(error.data['message']))
    : textOf(error.data);
  const words = details === undefined ? error.message : `${error.message}: ${details}`;
  if (error.code === authRequiredCode) {
    const ways = agent.loginHint ?? 'see its documentation';
    return new AgentError('authRequired', `${agent.name} needs you to log in: ${ways} (it says: ${words})`, {
      cause: error,
    });
  }
  return new AgentError('agentError', `${agent.name} failed at ${method}: ${words}`, { cause: error });
}
