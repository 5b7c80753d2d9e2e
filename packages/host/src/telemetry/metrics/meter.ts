import type { AttributeValue } from '../otlp.ts';

/** Attributes of a point. */
export type Labels = Readonly<Record<string, AttributeValue>>;

/** Most sets of attributes of one instrument. Further ones are counted together, as in the SDKs of OpenTelemetry. */
const MAX_SERIES = 200;

const OVERFLOW: Labels = { 'otel.metric.overflow': true };

/** A name with its meaning. */
export interface InstrumentFacts {
  readonly name: string;
  /** UCUM: `s`, `By`, `{token}`. */
  readonly unit: string;
  readonly description: string;
}

/** The value of a counter or a gauge for one set of attributes. */
export interface NumberPoint {
  readonly labels: Labels;
  readonly value: number;
}

/** The values of a histogram for one set of attributes. */
export interface HistogramPoint {
  readonly labels: Labels;
  readonly count: number;
  readonly sum: number;
  /** One more than the bounds: values up to each bound, and those above the last one. */
  readonly bucketCounts: readonly number[];
}

/** The present values of an instrument. */
export type Metric = InstrumentFacts &
  (
    | { readonly kind: 'counter' | 'gauge'; readonly points: readonly NumberPoint[] }
    | {
        readonly kind: 'histogram';
        readonly bounds: readonly number[];
        readonly points: readonly HistogramPoint[];
      }
  );

class Series<T> {
  readonly #byKey = new Map<string, { readonly labels: Labels; readonly value: T }>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  get(labels: Labels): T {
    const key = JSON.stringify(labels);
    const found = this.#byKey.get(key);
    if (found !== undefined) return found.value;
    if (this.#byKey.size >= MAX_SERIES && labels !== OVERFLOW) return this.get(OVERFLOW);
    const value = this.#make();
    this.#byKey.set(key, { labels, value });
    return value;
  }

  all(): readonly { readonly labels: Labels; readonly value: T }[] {
    return [...this.#byKey.values()];
  }
}

/** A sum that only grows. */
export class Counter {
  readonly #facts: InstrumentFacts;
  readonly #series = new Series(() => ({ value: 0 }));

  constructor(facts: InstrumentFacts) {
    this.#facts = facts;
  }

  add(amount: number, labels: Labels = {}): void {
    if (amount > 0) this.#series.get(labels).value += amount;
  }

  read(): Metric {
    const points = this.#series.all().map(({ labels, value }) => ({ labels, value: value.value }));
    return { ...this.#facts, kind: 'counter', points };
  }
}

/** A distribution of values. */
export class Histogram {
  readonly #facts: InstrumentFacts;
  readonly #bounds: readonly number[];
  readonly #series: Series<{ count: number; sum: number; bucketCounts: number[] }>;

  /** `bounds`: upper limits of the buckets, ascending. */
  constructor(facts: InstrumentFacts, bounds: readonly number[]) {
    this.#facts = facts;
    this.#bounds = bounds;
    this.#series = new Series(() => ({ count: 0, sum: 0, bucketCounts: [...bounds, 0].map(() => 0) }));
  }

  record(value: number, labels: Labels = {}): void {
    const series = this.#series.get(labels);
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const index = found < 0 ? this.#bounds.length : found;
    series.count += 1;
    series.sum += value;
    series.bucketCounts[index] = (series.bucketCounts[index] ?? 0) + 1;
  }

  read(): Metric {
    const points = this.#series
      .all()
      .map(({ labels, value }) => ({ labels, ...value, bucketCounts: [...value.bucketCounts] }));
    return { ...this.#facts, kind: 'histogram', bounds: this.#bounds, points };
  }
}
