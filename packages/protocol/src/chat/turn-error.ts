import type { ErrorInfo } from '../wire/basics.ts';
import type { ChatState, ErrorResponsePart, Turn } from './state.ts';

/** The part with the error that ended a turn: its last part, if its state is `error` [CHAT-22]. */
export function errorPartOf(turn: Turn): ErrorResponsePart | undefined {
  if (turn.state !== 'error') return undefined;
  const last = turn.responseParts.at(-1);
  return last?.kind === 'error' ? last : undefined;
}

/** The error that ended a turn [CHAT-22]. */
export const errorOf = (turn: Turn): ErrorInfo | undefined => errorPartOf(turn)?.error;

/** The turn that `chat/turnResume` may name now: the last one, if it failed with a resumable error and no turn is active [CHAT-23]. */
export function resumableTurn(state: Pick<ChatState, 'turns' | 'activeTurn'>): Turn | undefined {
  const last = state.turns.at(-1);
  if (state.activeTurn !== undefined || last === undefined) return undefined;
  return errorPartOf(last)?.resumable === true ? last : undefined;
}
