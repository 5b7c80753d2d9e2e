import { isObject, type Json, type Look, listOf, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** Fields that a session's state had in its `summary`. */
const SUMMARY = [
  'provider',
  'title',
  'status',
  'activity',
  'project',
  'workingDirectory',
  'annotations',
] as const;

/** The summary names the session, and has its times. Of a session that is not known, these are the times of its chats. */
function nested(state: Json, { channel = '', clientId, createdAt }: Look): Json {
  if (Object.hasOwn(state, 'summary')) return state;
  const times = listOf(state.chats).flatMap((chat) =>
    isObject(chat) && typeof chat.modifiedAt === 'string' ? [chat.modifiedAt] : [],
  );
  const born = createdAt?.(channel);
  const [first = EPOCH, ...later] = (born === undefined ? times : [born, ...times]).toSorted();
  const summary: Record<string, unknown> = {
    resource: channel,
    createdAt: born ?? first,
    modifiedAt: later.at(-1) ?? first,
  };
  for (const field of SUMMARY) if (Object.hasOwn(state, field)) summary[field] = state[field];
  const activeClient = activeClientFor(state.activeClients, clientId);
  return {
    ...without(state, 'activeClients', ...SUMMARY),
    summary,
    ...(activeClient === undefined ? {} : { activeClient }),
  };
}

const EPOCH = '1970-01-01T00:00:00.000Z';

function flat({ summary, activeClient, ...state }: Json): Json {
  if (!isObject(summary)) return state;
  const fields = Object.fromEntries(
    SUMMARY.flatMap((field) => (Object.hasOwn(summary, field) ? [[field, summary[field]]] : [])),
  );
  return { ...fields, ...state, activeClients: isObject(activeClient) ? [activeClient] : [] };
}

/** The one active client that a client saw: itself, else the first. */
export function activeClientFor(clients: unknown, clientId: string | undefined): Json | undefined {
  const present = listOf(clients).filter(isObject);
  return present.find((client) => client.clientId === clientId) ?? present[0];
}

/** Times of catalogue entries were milliseconds since the epoch. Those of chats were in ISO 8601, as today. */
const inMilliseconds = (summary: Json): Json =>
  withTimes(summary, (time) => (typeof time === 'string' ? Date.parse(time) : time));
const inIso = (summary: Json): Json =>
  withTimes(summary, (time) =>
    typeof time === 'number' && Math.abs(time) <= LAST_TIME ? new Date(time).toISOString() : time,
  );

/** The last time that a `Date` can hold. */
const LAST_TIME = 8.64e15;

function withTimes(summary: Json, convert: (time: unknown) => unknown): Json {
  let next = summary;
  for (const field of ['createdAt', 'modifiedAt'])
    if (Object.hasOwn(next, field)) next = { ...next, [field]: convert(next[field]) };
  return next;
}

/** The fields of a session lay in its summary, and it had one active client. */
export const sessions: Reshaping = {
  down: { shapes: { SessionState: nested, SessionSummary: inMilliseconds } },
  up: { shapes: { SessionState: flat, SessionSummary: inIso } },
};
