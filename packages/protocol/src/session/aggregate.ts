import type { ChatSummary } from '../chat/state.ts';
import { patch } from '../wire/patch.ts';
import { activityOf, isError, isInputNeeded, withActivity } from './reducer-status.ts';
import type { SessionState } from './state.ts';
import { SessionStatus } from './status.ts';

/**
 * Derives a session's activity bits and `activity` from its chats [SESS-5]: those of the default chat, else of the
 * most recently modified one, overruled by a chat that needs input (or an entry of `inputNeeded`) and, failing
 * that, by a chat in error. A worker's error does not count: the call that it worked for tells it, and a worker has no next
 * turn that would end it. Reads `chats`, `defaultChat` and `inputNeeded`; sets `status` (bits 0–4 only) and
 * `activity`. Apply it after `sessionReducer`. Returns `state` itself when nothing changes, so for no chats too.
 */
export function aggregateSession(state: SessionState): SessionState {
  const byPrecedence = chatsByPrecedence(state);
  const [home] = byPrecedence;
  if (!home) return state;
  const { source, activity } = supplier(state, byPrecedence, home);
  return patch(state, {
    status: withActivity(state.status, activity),
    activity: source.activity,
  });
}

function supplier(
  state: SessionState,
  chats: readonly ChatSummary[],
  home: ChatSummary,
): { source: ChatSummary; activity: number } {
  const asking = chats.find((chat) => isInputNeeded(chat.status));
  if (asking) return { source: asking, activity: SessionStatus.InputNeeded };
  if (state.inputNeeded?.length) {
    // A block that does not show in its chat's own status: a tool that a client has to run.
    const blocked = new Set(state.inputNeeded.map((request) => request.chat));
    const source = chats.find((chat) => blocked.has(chat.resource)) ?? home;
    return { source, activity: SessionStatus.InputNeeded };
  }
  const failed = chats.find((chat) => isError(chat.status) && chat.origin?.kind !== 'tool');
  if (failed) return { source: failed, activity: SessionStatus.Error };
  return { source: home, activity: activityOf(home.status) };
}

/** The default chat first, then by `modifiedAt`, newest first; catalogue order decides ties. */
function chatsByPrecedence(state: SessionState): ChatSummary[] {
  const isDefault = (chat: ChatSummary) => (chat.resource === state.defaultChat ? 1 : 0);
  return state.chats.toSorted(
    (a, b) => isDefault(b) - isDefault(a) || timeOf(b.modifiedAt) - timeOf(a.modifiedAt),
  );
}

// ISO 8601 allows several spellings of one moment, so strings are not compared. What is no date counts as oldest.
function timeOf(modifiedAt: string): number {
  const time = Date.parse(modifiedAt);
  return Number.isNaN(time) ? 0 : time;
}
