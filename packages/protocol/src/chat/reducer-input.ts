import { withFlag } from '../session/reducer-status.ts';
import { SessionStatus } from '../session/status.ts';
import { indexOfId, patch, withItem, withoutItem } from '../wire/patch.ts';
import type {
  ChatInputAnswerChangedAction,
  ChatInputCompletedAction,
  ChatInputRequestedAction,
} from './actions.ts';
import type { ChatInputAnswer, ChatInputRequest } from './input-request.ts';
import { withPartAdded } from './parts-index.ts';
import { derivedStatus, timestamp } from './reducer-status.ts';
import type { ActiveTurn, ChatState } from './state.ts';

type Answers = Record<string, ChatInputAnswer>;

/** Opens or replaces an input request. Its draft answers stay unless the action has answers [CHAT-13]. */
export function requestInput(state: ChatState, action: ChatInputRequestedAction, now: number): ChatState {
  const requests = state.inputRequests ?? [];
  const index = indexOfId(requests, action.request.id);
  const answers = action.request.answers ?? requests[index]?.answers;
  const inputRequests = withItem(requests, index, patch(action.request, { answers }));
  const status = derivedStatus({ ...state, inputRequests });
  return patch(state, {
    inputRequests,
    status: withFlag(status, SessionStatus.IsRead, false),
    modifiedAt: timestamp(now),
  });
}

/**
 * Sets one answer of an open request, or removes it when `answer` is absent. An unknown request changes
 * nothing [CHAT-13].
 */
export function answerInput(state: ChatState, action: ChatInputAnswerChangedAction, now: number): ChatState {
  const requests = state.inputRequests ?? [];
  const index = indexOfId(requests, action.requestId);
  const request = requests[index];
  if (!request) return state;
  const answers = changedAnswers(request.answers, action);
  return patch(state, {
    inputRequests: withItem(requests, index, patch(request, { answers })),
    modifiedAt: timestamp(now),
  });
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
 * Closes an open request. While a turn is active, the request, its final answers and the response become a
 * part of it [CHAT-13]. An unknown request changes nothing.
 */
export function completeInput(state: ChatState, action: ChatInputCompletedAction, now: number): ChatState {
  const requests = state.inputRequests ?? [];
  const index = indexOfId(requests, action.requestId);
  const request = requests[index];
  if (!request) return state;
  const inputRequests = requests.length > 1 ? withoutItem(requests, index) : undefined;
  const { inputRequests: _closed, ...others } = state;
  const activeTurn = state.activeTurn && recorded(state.activeTurn, request, action);
  return patch(state, {
    inputRequests,
    activeTurn,
    status: derivedStatus(inputRequests ? { ...others, inputRequests } : others),
    modifiedAt: timestamp(now),
  });
}

function recorded(
  turn: ActiveTurn,
  request: ChatInputRequest,
  { answers, response }: ChatInputCompletedAction,
): ActiveTurn {
  const all = { ...request.answers, ...answers };
  // An empty object becomes absent, as after the last answer was removed.
  const final = Object.keys(all).length > 0 ? all : undefined;
  const part = { kind: 'inputRequest' as const, request: patch(request, { answers: final }), response };
  return { ...turn, responseParts: withPartAdded(turn.responseParts, part) };
}
