/** Sequence numbers with `after < n <= upTo`, whose envelopes may have been sent and lost. */
export interface LostRange {
  readonly after: number;
  readonly upTo: number;
}

/** The stored ranges but for those that the window has left behind; anything illegible counts as none. */
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
