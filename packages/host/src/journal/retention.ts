import type { Journal } from './journal.ts';

/** What of the history is kept. An absent limit means: for ever. */
export interface RetentionPolicy {
  /** Newest completed turns that each chat keeps; at least 1. */
  readonly turnsPerChat?: number;
  /** Days without any change after which a session is disposed of, its files on disk aside. */
  readonly maxAgeDays?: number;
}

const pageSize = 100;
const dayMs = 24 * 60 * 60 * 1_000;

/** What is left of a chat under that limit: the last turn always. */
export const turnsKept = (turnsPerChat: number): number => Math.max(1, turnsPerChat);

/** Whether the policy ever drops anything. */
export function dropsAnything(policy: RetentionPolicy): boolean {
  return policy.turnsPerChat !== undefined || policy.maxAgeDays !== undefined;
}

/**
 * URIs of the chats that have turns beyond `turnsPerChat`, one batch for each session (empty where nothing has to go), newest session
 * first. The caller has them dropped before it asks for the next.
 */
export async function* findExcessTurns(
  journal: Journal,
  policy: RetentionPolicy,
): AsyncGenerator<readonly string[]> {
  if (policy.turnsPerChat === undefined) return;
  const keep = turnsKept(policy.turnsPerChat);
  for await (const session of sessionsFrom(journal, undefined)) {
    const channels = await journal.listChannels(session);
    const chats: string[] = [];
    for (const { uri } of channels) {
      const [newest] = await journal.readTurns(uri, { limit: 1 });
      if (newest === undefined || newest.ordinal < keep) continue;
      const to = newest.ordinal - keep + 1;
      const excess = await journal.readTurns(uri, { before: to, limit: 1 });
      if (excess.length > 0) chats.push(uri);
    }
    yield chats;
  }
}

/**
 * Sessions without a change for more than `maxAgeDays` before `now` (ms since the epoch), newest first. The caller disposes of
 * them as a client would, so that everyone hears of it.
 */
export async function* findExpiredSessions(
  journal: Journal,
  policy: RetentionPolicy,
  now: number,
): AsyncGenerator<string> {
  if (policy.maxAgeDays === undefined) return;
  const modifiedAt = new Date(now - policy.maxAgeDays * dayMs).toISOString();
  // No URI is empty, so that a session of exactly that age comes too.
  yield* sessionsFrom(journal, { modifiedAt, uri: '' });
}

/** URIs page by page: the row that a page continues after may be gone by then. */
async function* sessionsFrom(
  journal: Journal,
  start: { modifiedAt: string; uri: string } | undefined,
): AsyncGenerator<string> {
  let after = start;
  for (;;) {
    const page = await journal.listSessions({ limit: pageSize, ...(after && { after }) });
    for (const session of page) yield session.uri;
    after = page.at(-1);
    if (after === undefined) return;
  }
}
