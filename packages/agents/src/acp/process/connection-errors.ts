import * as acp from '@agentclientprotocol/sdk';
import { AgentError } from '@agenthost/host/agent';
import { isObject, textOf } from '../json.ts';
import type { AcpTimers } from '../runtime.ts';
import type { AgentProcess } from './agent-process.ts';

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
const AUTH_REQUIRED_CODE = -32000;

/** An agent that has closed a pipe gets this long to end by itself: then its exit is the reason. */
const EXIT_MS = 500;

/**
 * Waits for the end of a connection and says why it came: known then, though its process may take longer to end. Never rejects.
 */
export async function closeReason(
  agent: AgentIdentity & { readonly timers: AcpTimers },
  rpc: acp.ClientConnection,
  ended: Promise<void>,
  ending: Ending,
): Promise<AgentError> {
  const broken = ended.then(
    () => undefined,
    (error: unknown) => (error instanceof AgentError ? error : undefined),
  );
  await rpc.closed;
  const stopped = ending.stoppedBecause;
  if (stopped !== undefined) {
    await agent.process.stop();
    return new AgentError('agentExited', `${agent.name} was stopped: ${stopped}`);
  }
  const framing = await broken;
  const end = framing === undefined ? await exitWithin(agent, EXIT_MS) : undefined;
  // An agent that closes a pipe, or breaks the framing, is of no use any more. Whoever started it waits for its process.
  void agent.process.stop();
  if (framing !== undefined)
    return new AgentError(framing.errorType, `${agent.name} was ended: ${framing.message}`, {
      cause: framing,
    });
  const how = end === undefined ? 'closed its connection without ending, and was ended' : `ended (${end})`;
  return new AgentError('agentExited', `${agent.name} ${how}${stderrSuffix(agent.process)}`);
}

/** How the process ended, or `undefined` when it goes on after that time. */
async function exitWithin(
  { process, timers }: { readonly process: AgentProcess; readonly timers: AcpTimers },
  ms: number,
): Promise<string | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const cancel = timers.after(ms, () => resolve(undefined));
  const end = await Promise.race([process.exited, late]);
  cancel();
  return end;
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
  if (error.code === AUTH_REQUIRED_CODE) {
    const ways = agent.loginHint ?? 'see its documentation';
    return new AgentError('authRequired', `${agent.name} needs you to log in: ${ways} (it says: ${words})`, {
      cause: error,
    });
  }
  return new AgentError('agentError', `${agent.name} failed at ${method}: ${words}`, { cause: error });
}
