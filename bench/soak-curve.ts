import type { Sample } from './measured-host.ts';

/** A sample, taken `minute` minutes after the first. */
export interface Point extends Sample {
  readonly minute: number;
}

/** Least-squares slope of `value` over the points, per minute. */
export function slope(points: readonly Point[], value: (point: Point) => number): number {
  const meanOf = (values: readonly number[]): number =>
    values.reduce((sum, each) => sum + each, 0) / values.length;
  const meanMinute = meanOf(points.map(({ minute }) => minute));
  const meanValue = meanOf(points.map(value));
  let product = 0;
  let square = 0;
  for (const point of points) {
    product += (point.minute - meanMinute) * (value(point) - meanValue);
    square += (point.minute - meanMinute) ** 2;
  }
  return product / square;
}

/** The points of the second half of a run. */
export function secondHalf(points: readonly Point[]): Point[] {
  const end = points.at(-1)?.minute ?? 0;
  return points.filter(({ minute }) => minute >= end / 2);
}

const MEGABYTE = 1_000_000;
const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);

const COLUMNS: readonly (readonly [title: string, cell: (point: Point) => string])[] = [
  ['minute', ({ minute }) => minute.toFixed(1)],
  ['heap MB', ({ heapBytes }) => megabytes(heapBytes)],
  ['buffers MB', ({ externalBytes }) => megabytes(externalBytes)],
  ['RSS MB', ({ rssBytes }) => megabytes(rssBytes)],
  ['descriptors', ({ descriptors }) => String(descriptors)],
  ['timers', ({ timers }) => String(timers)],
  ['channels', ({ channels }) => String(channels)],
  ['journal MB', ({ journalBytes }) => megabytes(journalBytes)],
];

/** The header of the curve's table. */
export const CURVE_HEAD = COLUMNS.map(([title]) => title.padStart(11)).join('');

/** One row of the curve's table. */
export const curveLine = (point: Point): string =>
  COLUMNS.map(([, cell]) => cell(point).padStart(11)).join('');

/** Growth of the heap in the second half, MB a minute. */
export const heapSlope = (points: readonly Point[]): number =>
  slope(secondHalf(points), ({ heapBytes }) => heapBytes) / MEGABYTE;
