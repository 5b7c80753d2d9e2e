import { isObject, type Json, type Look, listOf, StateNeeded } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/**
 * A turn that is resumed is removed, and started again with all that it had [CHAT-23]. The host makes sure that every window has the turn
 * before it.
 */
export const resumedTurns: Reshaping = {
  down: {
    actions: {
      'chat/turnResume': (action, look) => {
        const { turn, previous } = turnsOf(action, look);
        if (turn === undefined) return [];
        const { id: turnId, message, startedAt, usage } = turn;
        return [
          { type: 'chat/truncated', ...(previous === undefined ? {} : { turnId: previous.id }) },
          { type: 'chat/turnStarted', turnId, startedAt, message },
          ...keptParts(turn).map((part) => ({ type: 'chat/responsePart', turnId, part })),
          ...(usage === undefined ? [] : [{ type: 'chat/usage', turnId, usage }]),
        ];
      },
    },
  },
  envelopes: {
    'chat/turnResume': (_, before) => {
      const turn = isObject(before) ? listOf(before.turns).at(-1) : undefined;
      return isObject(turn) ? 3 + listOf(turn.responseParts).length : 1;
    },
  },
};

/** The resumed turn, and the one before it. */
function turnsOf(
  action: Json,
  { before, after }: Look,
): { readonly turn: Json | undefined; readonly previous: Json | undefined } {
  if (!isObject(before) || !isObject(after)) throw new StateNeeded();
  const { activeTurn } = after;
  const turn = isObject(activeTurn) && activeTurn.id === action.turnId ? activeTurn : undefined;
  return { turn, previous: listOf(before.turns).filter(isObject).at(-2) };
}

const keptParts = (turn: Json): unknown[] =>
  listOf(turn.responseParts).filter((part) => isObject(part) && part.kind !== 'error');
