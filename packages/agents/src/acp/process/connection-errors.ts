import * as acp from '@agentclientprotocol/sdk';
import { AgentError } from '@agenthost/host/agent';
import { isObject, textOf } from '../json.ts';
import type { AcpTimers } from '../runtime.ts';
import type { AgentProcess } from './agent-process.ts';

/** An agent as named in error messages. */
export interface AgentIdentity {
  readonly process: AgentProcess;
  readonly name: string;
  /** How to log in. */
  readonly loginHint: string | undefined;
}

/** Why this host closed a connection, if it did. */
export interface Ending {
  stoppedBecause: string | undefined;
}

/** The SDK's code for "authentication required". */
const AUTH_REQUIRED_CODE = -32000;

/** Time for an agent that closed a pipe to exit; its exit is then the reason. Milliseconds. */
const EXIT_MS = 500;

/**
 * Waits for the end of a connection and returns the reason, possibly before its process has ended. Never
 * rejects.
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
  // An agent that closes a pipe or breaks the framing is unusable. The owner of the process waits for its
  // end.
  void agent.process.stop();
  if (framing !== undefined)
    return new AgentError(framing.errorType, `${agent.name} was stopped: ${framing.message}`, {
      cause: framing,
    });
  const how =
    end === undefined
      ? 'closed its connection without exiting, and was stopped'
      : `exited unexpectedly (${end})`;
  return new AgentError('agentExited', `${agent.name} ${how}${stderrSuffix(agent.process)}`);
}

/** The kind of exit, or `undefined` when the process does not exit in time. */
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

/** The end of the agent's stderr, to append to a message about its exit. */
export function stderrSuffix(process: AgentProcess): string {
  const tail = process.stderrTail();
  return tail === '' ? '' : `; its last stderr output:\n${tail}`;
}

/** The error of a turn for a failed request. */
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
    return new AgentError(
      'authRequired',
      `${agent.name} needs you to log in: ${ways} (its message: ${words})`,
      {
        cause: error,
      },
    );
  }
  return new AgentError('agentError', `${agent.name} failed at ${method}: ${words}`, { cause: error });
}
