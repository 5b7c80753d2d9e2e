import { isObject, type Json, listOf, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

const isOpen = (part: unknown): part is Json =>
  isObject(part) && part.kind === 'inputRequest' && part.response === undefined;

/** Open input requests stood beside the turns; a request became a part of its turn when it was answered. */
export const inputRequests: Reshaping = {
  down: {
    shapes: {
      ChatState: (chat) => {
        const turn = isObject(chat.activeTurn) ? chat.activeTurn : undefined;
        const requests = listOf(turn?.responseParts).flatMap((part) => (isOpen(part) ? [part.request] : []));
        return requests.length === 0 ? chat : { ...chat, inputRequests: requests };
      },
      ResponsePart: (part) => (isOpen(part) ? undefined : part),
    },
    actions: {
      // The part of a turn that goes on.
      'chat/responsePart': (action) =>
        isOpen(action.part) ? { type: 'chat/inputRequested', request: action.part.request } : action,
    },
  },
  up: {
    shapes: {
      ChatState: (chat) => {
        const requests = listOf(chat.inputRequests).filter(isObject);
        const next = without(chat, 'inputRequests');
        const turn = next.activeTurn;
        if (requests.length === 0 || !isObject(turn)) return next;
        const open = requests.map((request) => ({ kind: 'inputRequest', request }));
        const responseParts = [...listOf(turn.responseParts), ...open];
        return { ...next, activeTurn: { ...turn, responseParts } };
      },
    },
  },
};
