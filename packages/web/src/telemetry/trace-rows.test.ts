import type { HostSpan, TelemetryAttributes, Waterfall } from '@agenthost/client';
import { expect, test } from 'vitest';
import { traceRows } from './trace-rows.ts';

const span = (
  id: string,
  [startMs, endMs]: readonly [number, number],
  attributes: TelemetryAttributes,
  hasFailed = false,
): HostSpan => ({ id, name: `span ${id}`, startMs, endMs, attributes, hasFailed });

const waterfall = (...spans: HostSpan[]): Waterfall => ({
  rows: spans.map((each, index) => ({
    span: each,
    depth: Math.min(index, 1),
    offsetMs: each.startMs,
    durationMs: each.endMs - each.startMs,
  })),
  startMs: 0,
  durationMs: Math.max(...spans.map(({ endMs }) => endMs)),
});

test('each kind of step has its name, and notes on what people look for', () => {
  const { rows } = traceRows(
    waterfall(
      span('1', [0, 4_000], {
        'ahp.span.kind': 'turn',
        'gen_ai.provider.name': 'demo',
        'ahp.turn.outcome': 'complete',
      }),
      span('2', [0, 1_000], {
        'ahp.span.kind': 'model',
        'gen_ai.request.model': 'm-1',
        'gen_ai.usage.input_tokens': 1_200,
        'ahp.time_to_first_output_ms': 300,
      }),
      span(
        '3',
        [1_000, 3_000],
        { 'ahp.span.kind': 'tool', 'gen_ai.tool.name': 'shell', 'error.type': 'exit' },
        true,
      ),
      span('4', [1_000, 2_000], {
        'ahp.span.kind': 'wait',
        'ahp.wait.reason': 'approval',
        'ahp.wait.outcome': 'approved',
      }),
      span('5', [3_000, 4_000], { 'ahp.span.kind': 'later' }),
    ),
    9_000,
  );
  expect(rows.map(({ kind, label, notes }) => [kind, label, notes])).toEqual([
    ['turn', 'Turn of demo', []],
    ['model', 'Model m-1', ['1.2K in, 0 out']],
    ['tool', 'shell', ['failed']],
    ['wait', 'Wait for approval', ['approved']],
    ['turn', 'span 5', []],
  ]);
  expect(rows[1]?.facts.map(({ name, value }) => [name, value])).toEqual([
    ['Model', 'm-1'],
    ['Input tokens', '1.2K'],
    ['Time to the first output', '0.3s'],
  ]);
});

test('only what is open in a running turn grows', () => {
  const { rows, durationMs } = traceRows(
    waterfall(
      span('1', [0, 4_000], { 'ahp.span.kind': 'turn', 'ahp.turn.outcome': 'open' }),
      span('2', [0, 1_000], { 'ahp.span.kind': 'model' }),
      span('3', [1_000, 4_000], { 'ahp.span.kind': 'tool', 'ahp.tool_call.outcome': 'open' }),
    ),
    500,
  );
  expect(rows.map((row) => [row.durationMs, row.isRunning])).toEqual([
    [4_500, true],
    [1_000, false],
    [3_500, true],
  ]);
  expect(durationMs).toBe(4_500);
  expect(rows[2]?.notes).toEqual(['running']);
});
