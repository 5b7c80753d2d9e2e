import type { AutomationEntry } from '@agenthost/protocol';
import { metCondition } from './disabling.ts';
import { disabledEntry } from './entry-notes.ts';

/** An entry with one more run of a trigger, disabled if that was the last [AUTO-13]. */
export const counted = (entry: AutomationEntry): AutomationEntry =>
  entry.runCount === undefined
    ? entry
    : disabledIfDone({ ...entry, runCount: entry.runCount + 1 }, Number.NEGATIVE_INFINITY);

/** The entry, disabled if one of its conditions is met [AUTO-12]. `now`: ms since the epoch. */
export function disabledIfDone(entry: AutomationEntry, now: number): AutomationEntry {
  const reason = metCondition(entry.definition, entry.runCount ?? 0, now);
  return reason === undefined ? entry : disabledEntry(entry, reason);
}
