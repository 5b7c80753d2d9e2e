/** One result of a benchmark, and its bar. */
export interface Measured {
  readonly name: string;
  /** Median of the measured side, with its unit. */
  readonly figure: string;
  /** Median of the baseline, with its unit. */
  readonly baseline: string;
  /** The median of the ratios of neighbouring runs, or the quantity that `bar` bounds. */
  readonly ratio: number;
  readonly bar: Bar;
}

/** A bound of a ratio. */
export type Bar = { readonly atLeast: number } | { readonly atMost: number };

export type Verdict = 'met' | 'missed' | 'failed';

/** A bar missed by less than this share fails nothing: the machine may be busy. */
const TOLERANCE = 0.3;

/** Compares a ratio with its bar. */
export function judge(ratio: number, bar: Bar): Verdict {
  const excess = 'atLeast' in bar ? (bar.atLeast - ratio) / bar.atLeast : (ratio - bar.atMost) / bar.atMost;
  // NaN fails.
  if (excess <= 0) return 'met';
  return excess < TOLERANCE ? 'missed' : 'failed';
}

export const barText = (bar: Bar): string => ('atLeast' in bar ? `≥ ${bar.atLeast}` : `≤ ${bar.atMost}`);

/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
}

/** Runs of each side. */
export const RUNS = 5;

/** Alternates `runs` of our runs with those of the baseline, so that other load on the machine affects both. Resolves with one value a run. */
export async function alternate(
  ours: () => Promise<number> | number,
  baseline: () => Promise<number> | number,
  runs = RUNS,
): Promise<{ ours: number; baseline: number; ratio: number }> {
  const pairs: { ours: number; baseline: number }[] = [];
  for (let run = 0; run < runs; run += 1) pairs.push({ ours: await ours(), baseline: await baseline() });
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    baseline: median(pairs.map((pair) => pair.baseline)),
    ratio: median(pairs.map((pair) => pair.ours / pair.baseline)),
  };
}

/** Compares one quantile of two lists of times in ms. A `share` of 0.5 is the median. */
export function compareQuantile(
  name: string,
  share: number,
  { ours, baseline }: { ours: readonly number[]; baseline: readonly number[] },
  atMost: number,
): Measured {
  const [figure, other] = [quantile(ours, share), quantile(baseline, share)];
  const text = (ms: number): string => `${ms.toFixed(2)} ms`;
  return { name, figure: text(figure), baseline: text(other), ratio: figure / other, bar: { atMost } };
}

/** The value at the position `share`, from 0 to 1, of the sorted values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
