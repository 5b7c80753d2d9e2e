import { ACTIVITY_MASK, SessionStatus, type SessionSummary } from '@agenthost/protocol';

/** The needs of sessions, the most urgent first. */
export const NEEDS = ['asks', 'running', 'unread', 'done', 'archived'] as const;

/** One of {@link NEEDS}. */
export type Need = (typeof NEEDS)[number];

/** The signs in front of sessions. */
export type StatusSign = 'asks' | 'running' | 'failed' | 'unread' | 'done' | 'archived';

type Rated = Pick<SessionSummary, 'status' | 'x-asks'>;

const hasBit = ({ status }: Rated, bit: number): boolean => (status & bit) !== 0;
const activityOf = ({ status }: Rated): number => status & ACTIVITY_MASK;

/** Whether a person has to answer something. */
export const isAsking = (summary: Rated): boolean =>
  activityOf(summary) === SessionStatus.InputNeeded || (summary['x-asks']?.count ?? 0) > 0;

/** Whether a turn runs, also one that waits for an answer. */
export const isRunning = (summary: Rated): boolean => hasBit(summary, SessionStatus.InProgress);

/** Whether the last turn failed. */
export const hasFailed = (summary: Rated): boolean => activityOf(summary) === SessionStatus.Error;

/** Whether somebody has read the last answer. */
export const isRead = (summary: Rated): boolean => hasBit(summary, SessionStatus.IsRead);

/** Whether it is in the archive. */
export const isArchived = (summary: Rated): boolean => hasBit(summary, SessionStatus.IsArchived);

/** The group of a session on the board. */
export function needOf(summary: Rated): Need {
  if (isArchived(summary)) return 'archived';
  if (isAsking(summary)) return 'asks';
  if (isRunning(summary)) return 'running';
  return isRead(summary) ? 'done' : 'unread';
}

/** The sign of a session. */
export function signOf(summary: Rated): StatusSign {
  if (isAsking(summary)) return 'asks';
  if (isRunning(summary)) return 'running';
  if (hasFailed(summary)) return 'failed';
  if (isArchived(summary)) return 'archived';
  return isRead(summary) ? 'done' : 'unread';
}
