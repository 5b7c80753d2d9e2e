import {
  type AutomationEntry,
  automationNotes,
  type DisabledBecause,
  MAX_COUNTED_MISSES,
  type MissedOccurrences,
} from '@agenthost/protocol';
import type { Schedule } from '@agenthost/protocol/schedule';

/** An entry that tells of missed occurrences, or no longer does. */
export function withMissed(entry: AutomationEntry, missed: MissedOccurrences | undefined): AutomationEntry {
  const { missed: _, ...rest } = automationNotes(entry);
  return withMeta(entry, missed === undefined ? rest : { ...rest, missed });
}

/** An entry that the host has disabled, with the reason for people. */
export const disabledEntry = (entry: AutomationEntry, disabledBecause: DisabledBecause): AutomationEntry => ({
  ...withMeta(entry, { ...automationNotes(entry), disabledBecause }),
  definition: { ...entry.definition, enabled: false },
});

function withMeta({ _meta: _, ...entry }: AutomationEntry, notes: object): AutomationEntry {
  return Object.keys(notes).length === 0 ? entry : { ...entry, _meta: { ...notes } };
}

/** The occurrences after `after` and up to `upTo`. `undefined`: there are none. */
export function missedBetween(
  schedule: Schedule,
  after: number,
  upTo: number,
): Omit<MissedOccurrences, 'isMadeUp'> | undefined {
  const last = schedule.latest(after, upTo);
  if (last === undefined) return undefined;
  let count = 0;
  for (let at: number | undefined = after; count < MAX_COUNTED_MISSES; count += 1) {
    at = schedule.next(at);
    if (at === undefined || at > upTo) break;
  }
  return { count, last: new Date(last).toISOString() };
}
