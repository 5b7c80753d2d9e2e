import { expect, test } from 'vitest';
import { Counter, Histogram } from './meter.ts';
import { prometheusText } from './prometheus.ts';

test('counters and histograms in the text format', () => {
  const turns = new Counter({ name: 'agenthost.turns', unit: '{turn}', description: 'Ended turns' });
  turns.add(2, { outcome: 'complete', 'gen_ai.provider.name': 'a"b\\c\n' });
  const duration = new Histogram({ name: 'x.duration', unit: 's', description: 'Time' }, [0.5, 1]);
  for (const value of [0.5, 0.7, 3]) duration.record(value, { tool: 'shell' });
  expect(prometheusText([turns.read(), duration.read()])).toBe(
    `# HELP agenthost_turns_total Ended turns
# TYPE agenthost_turns_total counter
agenthost_turns_total{outcome="complete",gen_ai_provider_name="a\\"b\\\\c\\n"} 2
# HELP x_duration_seconds Time
# TYPE x_duration_seconds histogram
x_duration_seconds_bucket{tool="shell",le="0.5"} 1
x_duration_seconds_bucket{tool="shell",le="1"} 2
x_duration_seconds_bucket{tool="shell",le="+Inf"} 3
x_duration_seconds_sum{tool="shell"} 4.2
x_duration_seconds_count{tool="shell"} 3
`,
  );
});

test('an instrument has at most 200 sets of attributes; further ones are counted together', () => {
  const calls = new Counter({ name: 'calls', unit: '{call}', description: '' });
  for (let index = 0; index < 250; index += 1) calls.add(1, { tool: `tool-${index}` });
  const { points } = calls.read();
  expect(points).toHaveLength(201);
  expect(points.at(-1)).toEqual({ labels: { 'otel.metric.overflow': true }, value: 50 });
});
