import type { AttributeValue } from '../otlp.ts';
import type { Labels, Metric } from './meter.ts';

/** Content type of {@link prometheusText}. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Units as parts of names; those in braces, such as `{token}`, are notes and not part of names. */
const UNITS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/** Metrics in the text format of Prometheus. */
export const prometheusText = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ points }) => points.length > 0)
    .map((metric) => {
      const name = nameOf(metric);
      const head = `# HELP ${name} ${escapeHelp(metric.description)}\n# TYPE ${name} ${metric.kind}\n`;
      return `${head}${linesOf(name, metric).join('\n')}\n`;
    })
    .join('');

function nameOf({ name, unit, kind }: Metric): string {
  const words = [name.replace(/[^A-Za-z0-9_]/g, '_')];
  const suffix = UNITS[unit];
  if (suffix !== undefined) words.push(suffix);
  if (kind === 'counter') words.push('total');
  return words.join('_');
}

function linesOf(name: string, metric: Metric): string[] {
  if (metric.kind !== 'histogram')
    return metric.points.map(({ labels, value }) => `${name}${labelsText(labels)} ${value}`);
  return metric.points.flatMap(({ labels, count, sum, bucketCounts }) => {
    let below = 0;
    const buckets = [...metric.bounds.map(String), '+Inf'].map((le, index) => {
      below += bucketCounts[index] ?? 0;
      return `${name}_bucket${labelsText({ ...labels, le })} ${below}`;
    });
    const text = labelsText(labels);
    return [...buckets, `${name}_sum${text} ${sum}`, `${name}_count${text} ${count}`];
  });
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([key, value]) => `${key.replace(/[^A-Za-z0-9_]/g, '_')}="${escapeLabel(value)}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escapeLabel = (value: AttributeValue): string =>
  String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
