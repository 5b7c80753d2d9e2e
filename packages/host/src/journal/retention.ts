import type { Journal } from './journal.ts';

/** Limits of history. An absent limit means that nothing expires. */
export interface RetentionPolicy {
  /** Number of newest completed turns that each chat keeps; at least 1. */
  readonly turnsPerChat?: number;
  /** Days without a change after which the host disposes of a session. Files in its working directory stay. */
  readonly maxAgeDays?: number;
}

const PAGE_SIZE = 100;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The number of turns that a chat keeps under that limit: always at least one. */
export const turnsKept = (turnsPerChat: number): number => Math.max(1, turnsPerChat);

/** Whether the policy has a limit. */
export function dropsAnything(policy: RetentionPolicy): boolean {
  return policy.turnsPerChat !== undefined || policy.maxAgeDays !== undefined;
}

/**
 * URIs of the chats with more turns than `turnsPerChat`: one batch for each session, possibly empty, newest session first. The caller
 * drops the turns before it asks for the next batch.
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
 * them as a client would, so that subscribers are told.
 */
export async function* findExpiredSessions(
  journal: Journal,
  policy: RetentionPolicy,
  now: number,
): AsyncGenerator<string> {
  if (policy.maxAgeDays === undefined) return;
  const modifiedAt = new Date(now - policy.maxAgeDays * DAY_MS).toISOString();
  // The empty URI sorts before all others, so a session of exactly that age is included.
  yield* sessionsFrom(journal, { modifiedAt, uri: '' });
}

/** URIs, page by page. A page may continue after a row that was deleted meanwhile. */
async function* sessionsFrom(
  journal: Journal,
  start: { modifiedAt: string; uri: string } | undefined,
): AsyncGenerator<string> {
  let after = start;
  for (;;) {
    const page = await journal.listSessions({ limit: PAGE_SIZE, ...(after && { after }) });
    for (const session of page) yield session.uri;
    after = page.at(-1);
    if (after === undefined) return;
  }
}
