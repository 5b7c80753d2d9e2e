import type { ChatSummary } from '../chat/state.ts';
import { patch } from '../wire/patch.ts';
import { chatPosition, chatTotals, findChat, hasFailed, isAsking } from './chats-index.ts';
import { countForPerson, needsPerson } from './needs-person.ts';
import { activityOf, withActivity } from './reducer-status.ts';
import type { SessionState } from './state.ts';
import { SessionStatus } from './status.ts';

/**
 * Derives a session's activity bits and `activity` from its chats [SESS-5]. They are those of the default
 * chat, else of the most recently modified one. A chat that needs input (or an entry of `inputNeeded`)
 * overrides them, and otherwise a chat in error does. Errors of worker chats do not count: the tool call
 * reports them, and a worker has no next turn that would clear its error. Reads `chats`, `defaultChat` and
 * `inputNeeded`; sets `status` (bits 0–4 only) and `activity`. Apply it after `sessionReducer`. Returns
 * `state` itself when nothing changes.
 */
export function aggregateSession(state: SessionState): SessionState {
  const supplied = supplier(state);
  if (supplied === undefined) return state;
  const { source, activity } = supplied;
  return patch(state, {
    status: withActivity(state.status, activity),
    activity: source.activity,
  });
}

function supplier(state: SessionState): { source: ChatSummary; activity: number } | undefined {
  const { chats, inputNeeded = [] } = state;
  const { askingCount, failedCount } = chatTotals(chats);
  const asking = askingCount > 0 ? firstWith(state, isAsking) : undefined;
  if (asking) return { source: asking, activity: SessionStatus.InputNeeded };
  const waitingCount = countForPerson(inputNeeded);
  if (waitingCount > 0) {
    // Usually all do; a filter would visit each of them at each action.
    const waiting = waitingCount === inputNeeded.length ? inputNeeded : inputNeeded.filter(needsPerson);
    // An entry of a chat that does not show it yet.
    const source = firstBlocked(state, waiting) ?? home(state);
    return source && { source, activity: SessionStatus.InputNeeded };
  }
  const failed = failedCount > 0 ? firstWith(state, hasFailed) : undefined;
  if (failed) return { source: failed, activity: SessionStatus.Error };
  const source = home(state);
  return source && { source, activity: activityOf(source.status) };
}

const defaultOf = ({ chats, defaultChat }: SessionState): ChatSummary | undefined =>
  defaultChat === undefined ? undefined : findChat(chats, defaultChat);

function firstWith(state: SessionState, test: (chat: ChatSummary) => boolean): ChatSummary | undefined {
  const main = defaultOf(state);
  return main !== undefined && test(main) ? main : firstOf(state, state.chats.filter(test));
}

const home = (state: SessionState): ChatSummary | undefined =>
  defaultOf(state) ?? firstOf(state, state.chats);

function firstBlocked(
  state: SessionState,
  inputNeeded: NonNullable<SessionState['inputNeeded']>,
): ChatSummary | undefined {
  const main = inputNeeded[0]?.chat === state.defaultChat ? defaultOf(state) : undefined;
  if (main !== undefined) return main;
  const blocked = new Set(inputNeeded.map(({ chat }) => chatPosition(state.chats, chat)));
  // In catalogue order, which decides ties.
  const positions = [...blocked].toSorted((a, b) => a - b);
  return firstOf(
    state,
    positions.flatMap((position) => state.chats[position] ?? []),
  );
}

/** The default chat first, then the most recently modified chat; catalogue order decides ties. */
function firstOf({ defaultChat }: SessionState, chats: readonly ChatSummary[]): ChatSummary | undefined {
  let first: ChatSummary | undefined;
  for (const chat of chats) {
    if (chat.resource === defaultChat) return chat;
    if (first === undefined || timeOf(chat) > timeOf(first)) first = chat;
  }
  return first;
}

const times = new WeakMap<ChatSummary, number>();

// ISO 8601 has several spellings of one moment, so strings are not compared. An invalid date counts as
// oldest.
function timeOf(chat: ChatSummary): number {
  const known = times.get(chat);
  if (known !== undefined) return known;
  const parsed = Date.parse(chat.modifiedAt);
  const time = Number.isNaN(parsed) ? 0 : parsed;
  times.set(chat, time);
  return time;
}
