/** At a million envelopes a second a host comes here after 142 years, and the last number that a double holds is as far away again. */
const HIGHEST_REACHABLE = 2 ** 52;

/** Whether a host can have come to a number: what is above was written by damage, and nothing could be reserved above it. */
export const isReachableSeq = (seq: number): boolean =>
  Number.isSafeInteger(seq) && seq >= 0 && seq <= HIGHEST_REACHABLE;
