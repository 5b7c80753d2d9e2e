import type { BoardSession } from '../board/board-session.ts';
import { isArchived, isAsking } from '../board/session-need.ts';

/** The sessions that wait for an answer of a person. */
export const askingSessions = (sessions: readonly BoardSession[]): readonly BoardSession[] =>
  sessions.filter(({ summary }) => isAsking(summary) && !isArchived(summary));

/** Keys of sessions. */
export const keysOf = (sessions: readonly Pick<BoardSession, 'key'>[]): ReadonlySet<string> =>
  new Set(sessions.map(({ key }) => key));

/** Those that did not wait before and are not shown. */
export const newlyAsking = <T extends Pick<BoardSession, 'key'>>(
  asking: readonly T[],
  before: ReadonlySet<string>,
  shownKey: string | undefined,
): T[] => asking.filter(({ key }) => !before.has(key) && key !== shownKey);
