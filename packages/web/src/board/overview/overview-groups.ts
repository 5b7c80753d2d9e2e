import type { BoardSession } from '../board-session.ts';
import { needOf } from '../session-need.ts';

/** The sessions of the overview, by the next step of a person. */
export interface OverviewGroups {
  /** The latest first, as in the list. */
  readonly asks: readonly BoardSession[];
  /** The newest first. Their order does not change while they run. */
  readonly running: readonly BoardSession[];
  /** Finished and not read, the latest first. */
  readonly unread: readonly BoardSession[];
  /** Finished and read, the latest first. */
  readonly done: readonly BoardSession[];
}

/** Groups sessions. Archived ones are in no group. `sessions`: the most recently modified first. */
export function overviewGroups(sessions: readonly BoardSession[]): OverviewGroups {
  const of = (need: string): BoardSession[] => sessions.filter(({ summary }) => needOf(summary) === need);
  return {
    asks: of('asks'),
    running: of('running').sort((a, b) => (a.summary.createdAt < b.summary.createdAt ? 1 : -1)),
    unread: of('unread'),
    done: of('done'),
  };
}
