import type { StateAction } from '../wire/envelope.ts';
import { patch } from '../wire/patch.ts';
import type {
  TerminalAction,
  TerminalCommandExecutedAction,
  TerminalCommandFinishedAction,
  TerminalExitedAction,
} from './actions.ts';
import type { TerminalContentPart, TerminalLifecycle, TerminalState, TrimmedOutput } from './state.ts';

/** Reduces one action of a terminal channel [TERM-2]. Returns `state` itself when nothing changes. */
export function terminalReducer(state: TerminalState, action: StateAction): TerminalState {
  switch (action.type) {
    case 'terminal/data':
      return appendOutput(state, action.data);
    case 'terminal/resized':
      return patch(state, { cols: action.cols, rows: action.rows });
    case 'terminal/claimed':
      return patch(state, { claim: action.claim });
    case 'terminal/titleChanged':
      return patch(state, { title: action.title });
    case 'terminal/cwdChanged':
      return patch(state, { cwd: action.cwd });
    case 'terminal/exited':
      return exit(state, action);
    case 'terminal/cleared':
      return clear(state);
    case 'terminal/commandDetectionAvailable':
      return patch(state, { supportsCommandDetection: true });
    case 'terminal/commandExecuted':
      return startCommand(state, action);
    case 'terminal/commandFinished':
      return finishCommand(state, action);
    // Input goes to the pty only; it may be a password.
    case 'terminal/input':
      return state;
    default:
      action satisfies Exclude<StateAction, TerminalAction>;
      return state;
  }
}

/** The lifecycle is replaced as a whole, by a second exit too [TERM-20]. */
function exit(state: TerminalState, { exitCode }: TerminalExitedAction): TerminalState {
  const lifecycle: TerminalLifecycle = { status: 'exited', ...(exitCode === undefined ? {} : { exitCode }) };
  return patch(state, { lifecycle });
}

/** Cleared output counts as trimmed, wherever each side has trimmed. */
function clear(state: TerminalState): TerminalState {
  const { 'x-trimmed': trimmed } = state;
  if (trimmed === undefined) return patch(state, { content: [] });
  const units = trimmed.units + outputLength(state);
  return patch(state, { content: [], 'x-trimmed': { units, isFolded: false } });
}

function appendOutput(state: TerminalState, data: string): TerminalState {
  const tail = state.content.at(-1);
  if (tail?.type === 'command' && !tail.isComplete) {
    return withTail(state, patch(tail, { output: tail.output + data }));
  }
  if (tail?.type === 'unclassified') return withTail(state, patch(tail, { value: tail.value + data }));
  return { ...state, content: state.content.concat({ type: 'unclassified', value: data }) };
}

function withTail(state: TerminalState, part: TerminalContentPart): TerminalState {
  const index = state.content.length - 1;
  if (state.content[index] === part) return state;
  const content = state.content.slice();
  content[index] = part;
  return { ...state, content };
}

function startCommand(state: TerminalState, action: TerminalCommandExecutedAction): TerminalState {
  const { commandId, commandLine, timestamp } = action;
  const content = state.content.concat({
    type: 'command',
    commandId,
    commandLine,
    output: '',
    timestamp,
    isComplete: false,
  });
  return { ...state, content, supportsCommandDetection: true };
}

function finishCommand(state: TerminalState, action: TerminalCommandFinishedAction): TerminalState {
  for (let index = state.content.length - 1; index >= 0; index--) {
    const part = state.content[index];
    if (part?.type !== 'command' || part.commandId !== action.commandId) continue;
    const finished = patch(part, {
      isComplete: true,
      exitCode: action.exitCode,
      durationMs: action.durationMs,
    });
    if (finished === part) return state;
    const content = state.content.slice();
    content[index] = finished;
    return { ...state, content };
  }
  return state;
}

/** Whether the process of a terminal has ended [TERM-20]. */
export const hasExited = ({ lifecycle }: { readonly lifecycle: TerminalLifecycle }): boolean =>
  lifecycle.status === 'exited';

/** The part of a terminal's state that holds output. */
interface Shown {
  readonly content: readonly TerminalContentPart[];
  readonly 'x-trimmed'?: TrimmedOutput;
}

/** The output of a part, with escape sequences. */
export const outputOf = (part: TerminalContentPart): string =>
  part.type === 'command' ? part.output : part.value;

/** The parts with output, without the screen that is folded at the front [TERM-4]. */
export const outputParts = ({ content, 'x-trimmed': trimmed }: Shown): TerminalContentPart[] =>
  content.slice(trimmed?.isFolded === true ? 1 : 0);

/** Length of the output in a terminal's content without that screen, in UTF-16 code units. */
export const outputLength = (state: Shown): number =>
  outputParts(state).reduce((length, part) => length + outputOf(part).length, 0);
