import { withActivity, withFlag } from '../session/reducer-status.ts';
import { SessionStatus } from '../session/status.ts';
import { indexOfId, patch } from '../wire/patch.ts';
import type { ChatTurnEndActionBase, ChatTurnStartedAction, ChatTurnsLoadedAction } from './actions.ts';
import type { Author } from './author.ts';
import { removePending } from './reducer-pending.ts';
import { derivedStatus } from './reducer-status.ts';
import { skippedToolCall } from './reducer-tool-call.ts';
import type { ActiveTurn, ChatState, ErrorResponsePart, ResponsePart, Turn, TurnState } from './state.ts';
import { resumableTurn } from './turn-error.ts';

/** Opens a turn without parts and removes the pending message that it came from [CHAT-3]. */
export function startTurn(state: ChatState, action: ChatTurnStartedAction): ChatState {
  const { turnId, startedAt, message, queuedMessageId } = action;
  const activeTurn = patch<ActiveTurn>(
    { id: turnId, startedAt, message, responseParts: [] },
    { 'x-by': action['x-by'] },
  );
  const status = derivedStatus({ ...state, activeTurn });
  const next = patch(state, {
    activeTurn,
    status: withFlag(status, SessionStatus.IsRead, false),
    modifiedAt: startedAt,
  });
  if (queuedMessageId === undefined) return next;
  return removePending(removePending(next, 'steering', queuedMessageId), 'queued', queuedMessageId);
}

/**
 * Moves the active turn with this id to the history. Its unanswered requests stay without a response [CHAT-5] [CHAT-29]. `error` becomes its
 * last part [CHAT-22]. `cancelledBy`: the author of the cancellation.
 */
export function endTurn(
  state: ChatState,
  action: ChatTurnEndActionBase,
  outcome: TurnState,
  { error, cancelledBy }: { error?: ErrorResponsePart; cancelledBy?: Author | undefined } = {},
): ChatState {
  const active = state.activeTurn;
  if (active?.id !== action.turnId) return state;
  const duration = Math.max(0, action.duration);
  const settled = settledParts(active.responseParts);
  const responseParts = error === undefined ? settled : settled.concat([error]);
  const turn = patch<Turn>(
    { ...active, responseParts, duration, state: outcome },
    { 'x-cancelledBy': cancelledBy },
  );
  return patch(state, {
    turns: state.turns.concat([turn]),
    activeTurn: undefined,
    status: withActivity(state.status, outcome === 'error' ? SessionStatus.Error : SessionStatus.Idle),
    modifiedAt: endOf(active.startedAt, duration) ?? state.modifiedAt,
  });
}

/** The end of a turn as ISO 8601 in UTC with milliseconds [CHAT-21]; `undefined` when it is no point in time. */
function endOf(startedAt: string, duration: number): string | undefined {
  const end = new Date(Date.parse(startedAt) + duration);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}

/** The failed last turn with this id becomes the active turn again, with all its parts [CHAT-23]. */
export function resumeTurn(state: ChatState, turnId: string): ChatState {
  const turn = resumableTurn(state);
  if (turn?.id !== turnId) return state;
  const {
    state: _state,
    duration: _duration,
    'x-cancelledBy': _cancelledBy,
    startedAt = state.modifiedAt,
    ...kept
  } = turn;
  const activeTurn: ActiveTurn = { ...kept, startedAt };
  const status = withFlag(derivedStatus({ ...state, activeTurn }), SessionStatus.IsRead, false);
  return patch(state, { turns: state.turns.slice(0, -1), activeTurn, status });
}

function settledParts(parts: ResponsePart[]): ResponsePart[] {
  let settled = parts;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part?.kind !== 'toolCall') continue;
    const toolCall = skippedToolCall(part.toolCall);
    if (toolCall === part.toolCall) continue;
    if (settled === parts) settled = parts.slice();
    settled[index] = { ...part, toolCall };
  }
  return settled;
}

/** Removes all turns after `turnId`, or all turns. An unknown id changes nothing [CHAT-6]. */
export function truncate(state: ChatState, turnId: string | undefined): ChatState {
  const kept = turnId === undefined ? 0 : indexOfId(state.turns, turnId) + 1;
  if (turnId !== undefined && kept === 0) return state;
  return patch(state, {
    turns: kept === state.turns.length ? state.turns : state.turns.slice(0, kept),
    activeTurn: undefined,
    turnsNextCursor: kept === 0 ? undefined : state.turnsNextCursor,
    status: withActivity(state.status, SessionStatus.Idle),
  });
}

/**
 * Adds older turns (oldest first) in front of the window, replaces the cursor, and removes turns that the
 * chat no longer has [CHAT-15].
 */
export function loadTurns(state: ChatState, action: ChatTurnsLoadedAction): ChatState {
  const { 'x-from': from } = action;
  const dropped = from === undefined ? 0 : Math.max(0, indexOfId(state.turns, from));
  const turns = dropped === 0 ? state.turns : state.turns.slice(dropped);
  const known = new Set<string>();
  for (const turn of turns) known.add(turn.id);
  const older: Turn[] = [];
  for (const turn of action.turns) {
    if (known.has(turn.id)) continue;
    known.add(turn.id);
    older.push(turn);
  }
  return patch(state, {
    turns: older.length === 0 ? turns : older.concat(turns),
    turnsNextCursor: action.turnsNextCursor,
  });
}
