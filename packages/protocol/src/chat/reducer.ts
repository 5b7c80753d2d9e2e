import { withFlag } from '../session/reducer-status.ts';
import { SessionStatus } from '../session/status.ts';
import { directoriesAfter } from '../wire/directories.ts';
import type { StateAction } from '../wire/envelope.ts';
import { patch } from '../wire/patch.ts';
import type { ChatAction } from './actions.ts';
import { removeBackgroundWork, setBackgroundWork } from './reducer-background.ts';
import { answerInput, completeInput, requestInput } from './reducer-input.ts';
import { appendPart, appendText, reduceToolCall, startToolCall } from './reducer-parts.ts';
import { removePending, reorderQueue, setPending } from './reducer-pending.ts';
import { refreshed } from './reducer-status.ts';
import { endTurn, loadTurns, resumeTurn, startTurn, truncate } from './reducer-turn.ts';
import type { ChatState } from './state.ts';

/**
 * Reduces one action of a chat channel [CHAT-3]…[CHAT-29]. Uses no clock [CHAT-21]. Returns `state` itself when nothing
 * changes.
 */
export function chatReducer(state: ChatState, action: StateAction): ChatState {
  switch (action.type) {
    case 'chat/turnStarted':
      return startTurn(state, action);
    case 'chat/turnComplete':
      return endTurn(state, action, 'complete');
    case 'chat/turnCancelled':
      return endTurn(state, action, 'cancelled', { cancelledBy: action['x-by'] });
    case 'chat/error':
      return endTurn(state, action, 'error', { error: action.part });
    case 'chat/turnResume':
      return resumeTurn(state, action.turnId);
    case 'chat/truncated':
      return truncate(state, action.turnId);
    case 'chat/turnsLoaded':
      return loadTurns(state, action);
    case 'chat/delta':
      return appendText(state, 'markdown', action);
    case 'chat/reasoning':
      return appendText(state, 'reasoning', action);
    case 'chat/responsePart':
      // Errors come by `chat/error` alone [CHAT-22].
      return action.part.kind === 'error' ? state : appendPart(state, action.turnId, action.part);
    case 'chat/usage': {
      const turn = state.activeTurn;
      if (turn?.id !== action.turnId) return state;
      return patch(state, { activeTurn: patch(turn, { usage: action.usage }) });
    }
    case 'chat/toolCallStart':
      return startToolCall(state, action);
    case 'chat/toolCallDelta':
    case 'chat/toolCallContentChanged':
      return reduceToolCall(state, action);
    case 'chat/toolCallReady':
    case 'chat/toolCallConfirmed':
    case 'chat/toolCallComplete':
    case 'chat/toolCallResultConfirmed':
    case 'chat/toolCallAuthRequired':
    case 'chat/toolCallAuthResolved':
      return refreshed(reduceToolCall(state, action));
    case 'chat/inputRequested':
      return requestInput(state, action);
    case 'chat/inputAnswerChanged':
      return answerInput(state, action);
    case 'chat/inputCompleted':
      return completeInput(state, action);
    case 'chat/pendingMessageSet':
      return setPending(state, action);
    case 'chat/pendingMessageRemoved':
      return removePending(state, action.kind, action.id);
    case 'chat/queuedMessagesReordered':
      return reorderQueue(state, action.order);
    case 'chat/draftChanged':
      return patch(state, { draft: action.draft });
    case 'chat/isReadChanged':
      return patch(state, { status: withFlag(state.status, SessionStatus.IsRead, action.isRead) });
    case 'chat/isArchivedChanged':
      return patch(state, { status: withFlag(state.status, SessionStatus.IsArchived, action.isArchived) });
    case 'chat/movableChanged':
      return patch(state, { movable: action.movable });
    case 'chat/changesetsChanged':
      return patch(state, { changesets: action.changesets });
    case 'chat/backgroundWorkSet':
      return setBackgroundWork(state, action.work);
    case 'chat/backgroundWorkRemoved':
      return removeBackgroundWork(state, action.id);
    case 'chat/canvasesChanged':
      return patch(state, { canvases: action.canvases });
    case 'chat/workingDirectorySet':
    case 'chat/workingDirectoryRemoved':
      return patch(state, {
        workingDirectories: directoriesAfter(state.workingDirectories, action),
      });
    case 'chat/activityChanged':
      return patch(state, { activity: action.activity });
    default:
      action satisfies Exclude<StateAction, ChatAction>;
      return state;
  }
}
