import { dropping, isObject, type Json } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** Their actions are not sent to older versions, whose copies would go stale. */
const OF_CHATS = ['changes', 'movable', 'changesets', 'backgroundWork', 'canvases'];
/** In entries of sessions. Each change of a chat would send the whole list. */
const OF_SESSIONS = ['chats', 'defaultChat'];
/** Of changesets. Older reducers would keep the list of before. */
const LEFT_OUT = 'x-leftOut';

/** Fields that came with 1.0. Changes that consist of them alone are not sent. */
export const newFields: Reshaping = {
  down: {
    shapes: {
      ChatState: dropping(...OF_CHATS),
      ChatSummary: dropping(...OF_CHATS),
      SessionSummary: dropping(...OF_SESSIONS),
      ChangesetState: dropping(LEFT_OUT),
    },
    actions: {
      'changeset/contentChanged': dropping(LEFT_OUT),
      'session/chatUpdated': (action) => (isOnly(action.changes, OF_CHATS) ? [] : action),
    },
    notifications: {
      'root/sessionSummaryChanged': (params) => (isOnly(params.changes, OF_SESSIONS) ? undefined : params),
    },
  },
};

const isOnly = (changes: unknown, fields: readonly string[]): boolean =>
  isObject(changes) && keysOf(changes).length > 0 && keysOf(changes).every((key) => fields.includes(key));

const keysOf = (value: Json): readonly string[] => Object.keys(value);
