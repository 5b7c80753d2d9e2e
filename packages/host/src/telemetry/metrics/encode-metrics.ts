import { encodeAttributes, nanoseconds } from '../otlp.ts';
import type { Metric } from './meter.ts';

const CUMULATIVE = 2;

/** Metrics in the JSON of OTLP. `startMs`: when counting began; `nowMs`: when the values were read. */
export function encodeMetrics(
  metrics: readonly Metric[],
  { startMs, nowMs }: { readonly startMs: number; readonly nowMs: number },
): object[] {
  const times = { startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) };
  return metrics.flatMap((metric) => {
    if (metric.points.length === 0) return [];
    const { name, unit, description } = metric;
    return [{ name, unit, description, ...dataOf(metric, times) }];
  });
}

function dataOf(metric: Metric, times: { startTimeUnixNano: string; timeUnixNano: string }): object {
  if (metric.kind === 'histogram') {
    const dataPoints = metric.points.map(({ labels, count, sum, bucketCounts }) => ({
      ...times,
      attributes: encodeAttributes(labels),
      count: String(count),
      sum,
      bucketCounts: bucketCounts.map(String),
      explicitBounds: metric.bounds,
    }));
    return { histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
  }
  const dataPoints = metric.points.map(({ labels, value }) => ({
    ...times,
    attributes: encodeAttributes(labels),
    asDouble: value,
  }));
  return metric.kind === 'gauge'
    ? { gauge: { dataPoints } }
    : { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
}
