import { dropping, isObject, type Json, type Look } from '../reshape.ts';
import type { ConvertAction, Reshaping } from '../step.ts';

/** Turns had no times: the receivers' clocks set them [CHAT-20]. */
export const turnTimes: Reshaping = {
  down: {
    shapes: { Turn: dropping('startedAt', 'duration') },
    actions: {
      'chat/turnStarted': dropping('startedAt'),
      'chat/turnComplete': dropping('duration'),
      'chat/turnCancelled': dropping('duration'),
      'chat/error': dropping('duration'),
    },
  },
  up: {
    shapes: {
      ChatState: (chat) => {
        const { activeTurn, modifiedAt } = chat;
        if (!isObject(activeTurn) || Object.hasOwn(activeTurn, 'startedAt')) return chat;
        return { ...chat, activeTurn: { ...activeTurn, startedAt: modifiedAt } };
      },
      // Only its import knows when it ends: it counts as just started.
      ExportedOpenTurn: (open, { now }) =>
        now === undefined || !isObject(open.turn) || Object.hasOwn(open.turn, 'startedAt')
          ? open
          : { ...open, turn: { ...open.turn, startedAt: new Date(now).toISOString() } },
    },
    actions: {
      'chat/turnStarted': (action, { now }) =>
        now === undefined || Object.hasOwn(action, 'startedAt')
          ? action
          : { ...action, startedAt: new Date(now).toISOString() },
      'chat/turnComplete': timed,
      'chat/turnCancelled': timed,
      'chat/error': timed,
    },
  },
};

/** The end of a turn, with the time since its start. */
function timed(...[action, look]: Parameters<ConvertAction>): Json {
  return Object.hasOwn(action, 'duration') ? action : { ...action, duration: durationOf(action, look) };
}

/** 0 for a turn that is not the active one: its end changes nothing. */
function durationOf({ turnId }: Json, { before, now = Number.NaN }: Look): number {
  const turn = isObject(before) && isObject(before.activeTurn) ? before.activeTurn : {};
  const duration = turn.id === turnId ? now - Date.parse(String(turn.startedAt)) : 0;
  return Math.max(0, Number.isNaN(duration) ? 0 : duration);
}
