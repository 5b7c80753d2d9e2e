import { withActivity } from '../session/reducer-status.ts';
import { SessionStatus } from '../session/status.ts';
import { awaitsPerson } from './parts-index.ts';
import type { ChatState } from './state.ts';

/** The state that determines a chat's activity bits. */
type StatusSource = Pick<ChatState, 'status' | 'activeTurn'>;

/** The chat's status with newly derived activity bits; other bits stay [CHAT-10]. */
export function derivedStatus(state: StatusSource): SessionStatus {
  if (awaitsPerson(state.activeTurn?.responseParts ?? [])) {
    return withActivity(state.status, SessionStatus.InputNeeded);
  }
  return withActivity(state.status, state.activeTurn ? SessionStatus.InProgress : SessionStatus.Idle);
}

/** The state with its status derived again, or `state` itself when it is unchanged. */
export function refreshed(state: ChatState): ChatState {
  const status = derivedStatus(state);
  return status === state.status ? state : { ...state, status };
}
