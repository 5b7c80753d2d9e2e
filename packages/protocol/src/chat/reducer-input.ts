import { withFlag } from '../session/reducer-status.ts';
import { SessionStatus } from '../session/status.ts';
import { patch } from '../wire/patch.ts';
import type {
  ChatInputAnswerChangedAction,
  ChatInputCompletedAction,
  ChatInputRequestedAction,
} from './actions.ts';
import type { ChatInputAnswer } from './input-request.ts';
import { openRequestPosition, withPartAdded, withPartAt } from './parts-index.ts';
import { derivedStatus } from './reducer-status.ts';
import type { ChatState, InputRequestResponsePart } from './state.ts';

type Answers = Record<string, ChatInputAnswer>;

/**
 * Adds an open request to the active turn, or replaces the open one with this id in place. Its present answers
 * stay unless the action has answers [CHAT-28]. Without an active turn nothing changes.
 */
export function requestInput(state: ChatState, { request }: ChatInputRequestedAction): ChatState {
  const turn = state.activeTurn;
  if (turn === undefined) return state;
  const open = openPart(state, request.id);
  const answers = request.answers ?? open?.part.request.answers;
  const part: InputRequestResponsePart = { kind: 'inputRequest', request: patch(request, { answers }) };
  const parts = turn.responseParts;
  const responseParts =
    open === undefined ? withPartAdded(parts, part) : withPartAt(parts, open.position, part);
  const next: ChatState = { ...state, activeTurn: { ...turn, responseParts } };
  return patch(next, { status: withFlag(derivedStatus(next), SessionStatus.IsRead, false) });
}

/** Sets one answer of an open request, or removes it when `answer` is absent. An unknown request changes nothing [CHAT-28]. */
export function answerInput(state: ChatState, action: ChatInputAnswerChangedAction): ChatState {
  const open = openPart(state, action.requestId);
  if (open === undefined) return state;
  const { request } = open.part;
  const changed = patch(request, { answers: changedAnswers(request.answers, action) });
  return changed === request ? state : withOpenPart(state, open.position, { ...open.part, request: changed });
}

function changedAnswers(
  answers: Answers | undefined,
  { questionId, answer }: ChatInputAnswerChangedAction,
): Answers | undefined {
  // The rest pattern and the computed key define own members, also for a question with the id __proto__.
  const { [questionId]: _old, ...others } = answers ?? {};
  if (answer) return { ...answers, [questionId]: answer };
  return Object.keys(others).length > 0 ? others : undefined;
}

/**
 * Closes an open request in place: its part gets the final answers and the response [CHAT-28]. An unknown request changes
 * nothing.
 */
export function completeInput(state: ChatState, action: ChatInputCompletedAction): ChatState {
  const open = openPart(state, action.requestId);
  if (open === undefined) return state;
  const { request } = open.part;
  const all = { ...request.answers, ...action.answers };
  // An empty object becomes absent, as after the last answer was removed.
  const answers = Object.keys(all).length > 0 ? all : undefined;
  const part = patch<InputRequestResponsePart>(
    { ...open.part, request: patch(request, { answers }), response: action.response },
    { 'x-answeredBy': action['x-by'] },
  );
  const next = withOpenPart(state, open.position, part);
  return patch(next, { status: derivedStatus(next) });
}

function openPart(
  { activeTurn }: ChatState,
  requestId: string,
): { readonly position: number; readonly part: InputRequestResponsePart } | undefined {
  const parts = activeTurn?.responseParts ?? [];
  const position = openRequestPosition(parts, requestId);
  const part = parts[position];
  return part?.kind === 'inputRequest' ? { position, part } : undefined;
}

function withOpenPart(state: ChatState, position: number, part: InputRequestResponsePart): ChatState {
  const turn = state.activeTurn;
  if (turn === undefined) return state;
  return { ...state, activeTurn: { ...turn, responseParts: withPartAt(turn.responseParts, position, part) } };
}
