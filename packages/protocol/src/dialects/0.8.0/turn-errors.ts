import { isObject, type Json, listOf, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

const isError = (part: unknown): part is Json => isObject(part) && part.kind === 'error';

/** The error of a failed turn was a field of the turn and of the action that ended it; there were no error parts [CHAT-22]. */
export const turnErrors: Reshaping = {
  down: {
    shapes: {
      Turn: (turn) => {
        if (turn.state !== 'error') return turn;
        const last = listOf(turn.responseParts).findLast(isError);
        return last === undefined ? turn : { ...turn, error: last.error };
      },
      ResponsePart: (part) => (isError(part) ? undefined : part),
    },
    actions: {
      'chat/error': (action) =>
        isError(action.part) ? { ...without(action, 'part'), error: action.part.error } : action,
    },
  },
  up: {
    shapes: {
      Turn: (turn) => {
        if (!isObject(turn.error)) return turn;
        const responseParts = [...listOf(turn.responseParts), { kind: 'error', error: turn.error }];
        return { ...without(turn, 'error'), responseParts };
      },
    },
    actions: {
      'chat/error': (action) =>
        isObject(action.error)
          ? { ...without(action, 'error'), part: { kind: 'error', error: action.error } }
          : action,
    },
  },
};
