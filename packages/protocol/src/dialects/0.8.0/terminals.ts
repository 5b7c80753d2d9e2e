import { dropping, isObject, type Json, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** The exit code of a process that ended without a known one: these versions take a terminal without a code for a running one. */
const UNKNOWN_CODE = 1;

const exitCodeOf = (ended: Json): unknown => ended.exitCode ?? UNKNOWN_CODE;

/** A terminal had an exit code exactly when it had ended. */
function flattened(terminal: Json): Json {
  const { lifecycle } = terminal;
  if (!isObject(lifecycle)) return terminal;
  const rest = without(terminal, 'lifecycle');
  return lifecycle.status === 'exited' ? { ...rest, exitCode: exitCodeOf(lifecycle) } : rest;
}

function withLifecycle(terminal: Json): Json {
  if (isObject(terminal.lifecycle)) return terminal;
  const { exitCode } = terminal;
  const lifecycle = exitCode === undefined ? { status: 'running' } : { status: 'exited', exitCode };
  return { ...without(terminal, 'exitCode'), lifecycle };
}

/** A terminal had an exit code in place of a lifecycle, and claims did not name their chat. */
export const terminals: Reshaping = {
  down: {
    shapes: {
      TerminalState: flattened,
      TerminalInfo: flattened,
      TerminalClaim: dropping('chat'),
    },
    actions: {
      'terminal/exited': (action) =>
        action.exitCode === undefined ? { ...action, exitCode: UNKNOWN_CODE } : action,
    },
  },
  up: {
    shapes: {
      TerminalState: withLifecycle,
      TerminalInfo: withLifecycle,
      TerminalClaim: (claim, { chatOfClaim }) => {
        const { kind, session, toolCallId } = claim;
        if (kind !== 'session' || claim.chat !== undefined || typeof session !== 'string') return claim;
        const chat = chatOfClaim?.(session, typeof toolCallId === 'string' ? toolCallId : undefined);
        return chat === undefined ? claim : { ...claim, chat };
      },
    },
  },
};
