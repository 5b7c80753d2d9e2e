import { JournalError } from './journal.ts';

/** A host that commits a million envelopes a second gets here after 142 years, far below the largest exact integer of a double. */
const HIGHEST_REACHABLE = 2 ** 52;

/** Sequence numbers with `after < n <= upTo`, whose envelopes may have been sent and lost. */
export interface LostRange {
  readonly after: number;
  readonly upTo: number;
}

/** Whether a host can have given out this number. A higher one was written by damage, and nothing could be reserved above it. */
export const isReachableSeq = (seq: number): boolean =>
  Number.isSafeInteger(seq) && seq >= 0 && seq <= HIGHEST_REACHABLE;

/** Throws `JournalError` 'io' for an envelope whose number is not above all before it: a fault of the caller that would break [CONN-4]. */
export function checkSeq(seq: number, lastSeq: number): void {
  if (Number.isSafeInteger(seq) && seq > lastSeq) return;
  throw new JournalError('io', `envelope ${seq} is not above ${lastSeq}, the last journaled one`);
}

/** The stored ranges that the window still reaches. Illegible entries are left out. */
export function readLost(json: string | undefined, trimmedSeq: number): LostRange[] {
  const stored: unknown = json === undefined ? [] : JSON.parse(json);
  return Array.isArray(stored) ? stored.filter((range) => isRange(range) && range.upTo > trimmedSeq) : [];
}

function isRange(value: unknown): value is LostRange {
  return (
    typeof value === 'object' &&
    value !== null &&
    'after' in value &&
    typeof value.after === 'number' &&
    'upTo' in value &&
    typeof value.upTo === 'number'
  );
}
