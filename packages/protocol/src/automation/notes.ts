import type { AutomationEntry } from './state.ts';

/** Occurrences of schedules that this host could not start at their time [AUTO-6]. */
export interface MissedOccurrences {
  /** At most {@link MAX_COUNTED_MISSES}. */
  readonly count: number;
  /** ISO 8601; the latest of them. */
  readonly last: string;
  /** Whether a run makes up for them. False: the policy of their triggers is `skip`. */
  readonly isMadeUp: boolean;
}

/** Why the host itself has disabled an automation. */
export type DisabledBecause = 'afterRuns' | 'afterDate' | 'tokenEnded';

/** What this host says of an automation beyond the protocol, in `_meta` of its entry. */
export interface AutomationNotes {
  /** Absent: the last occurrences were on time. */
  readonly missed?: MissedOccurrences;
  /** Absent: a client disabled it, or it is enabled. */
  readonly disabledBecause?: DisabledBecause;
}

/** Misses beyond this number are not counted. */
export const MAX_COUNTED_MISSES = 100;

const REASONS: ReadonlySet<unknown> = new Set<DisabledBecause>(['afterRuns', 'afterDate', 'tokenEnded']);

/** Reads the notes of a host. Empty for other hosts; parts of an unknown shape are left out. */
export function automationNotes({ _meta = {} }: Pick<AutomationEntry, '_meta'>): AutomationNotes {
  const { missed, disabledBecause } = _meta;
  return {
    ...(isMissed(missed) ? { missed } : {}),
    ...(isReason(disabledBecause) ? { disabledBecause } : {}),
  };
}

const isReason = (value: unknown): value is DisabledBecause => REASONS.has(value);

const isMissed = (value: unknown): value is MissedOccurrences =>
  typeof value === 'object' &&
  value !== null &&
  'count' in value &&
  typeof value.count === 'number' &&
  'last' in value &&
  typeof value.last === 'string' &&
  'isMadeUp' in value &&
  typeof value.isMadeUp === 'boolean';
