import { withActivity } from '../session/reducer-status.ts';
import { SessionStatus } from '../session/status.ts';
import { awaitsConfirmation } from './parts-index.ts';
import type { ChatState } from './state.ts';

/** What decides a chat's activity bits. */
type StatusSource = Pick<ChatState, 'status' | 'activeTurn' | 'inputRequests'>;

/** The chat's status with its activity bits derived anew, the other bits kept [CHAT-10]. */
export function derivedStatus(state: StatusSource): SessionStatus {
  if (state.inputRequests?.length || awaitsConfirmation(state.activeTurn?.responseParts ?? [])) {
    return withActivity(state.status, SessionStatus.InputNeeded);
  }
  return withActivity(state.status, state.activeTurn ? SessionStatus.InProgress : SessionStatus.Idle);
}

/** The state with its status derived anew, or `state` itself when that is what it says already. */
export function refreshed(state: ChatState): ChatState {
  const status = derivedStatus(state);
  return status === state.status ? state : { ...state, status };
}

/** `now` (milliseconds since the epoch) as `modifiedAt` says it: ISO 8601, UTC, milliseconds. */
export function timestamp(now: number): string {
  return new Date(now).toISOString();
}
