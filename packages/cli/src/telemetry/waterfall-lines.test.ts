import type { HostSpan, Waterfall } from '@agenthost/client';
import { expect, test } from 'vitest';
import { logLine } from './log-line.ts';
import { waterfallLines } from './waterfall-lines.ts';

const MARKS = { done: '✓', failed: '', refused: '', running: '', asks: '', dot: '' };

test('a waterfall has a line for each span, with a bar where its time was', () => {
  const spans: HostSpan[] = [
    {
      id: 'turn',
      name: 'invoke_agent demo',
      startMs: 0,
      endMs: 4_000,
      attributes: {
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 3,
        'ahp.turn.outcome': 'complete',
      },
      hasFailed: false,
    },
    {
      id: 'tool',
      parentId: 'turn',
      name: 'execute_tool \u001b[31mshell',
      startMs: 1_000,
      endMs: 3_000,
      attributes: { 'error.type': 'exit' },
      hasFailed: true,
    },
    {
      id: 'wait',
      parentId: 'tool',
      name: 'wait',
      startMs: 1_000,
      endMs: 1_001,
      attributes: { 'ahp.wait.outcome': 'approved' },
      hasFailed: false,
    },
  ];
  const waterfall: Waterfall = {
    rows: spans.map((span, depth) => ({
      span,
      depth,
      offsetMs: span.startMs,
      durationMs: span.endMs - span.startMs,
    })),
    startMs: 0,
    durationMs: 4_000,
  };
  expect(waterfallLines(waterfall, { columns: 60, marks: MARKS })).toMatchInlineSnapshot(`
    [
      "invoke_agent demo     ███████████████████████████████  4.0 s  7 in, 3 out",
      "  execute_tool shell         !!!!!!!!!!!!!!!!          2.0 s  exit",
      "    wait                     █                          1 ms  approved",
    ]
  `);
});

test('a log line shows time, level, sentence and facts, without control characters', () => {
  const attributes = { 'ahp.session.id': 'ahp-session:/4f2a91c0d3', 'gen_ai.x': 'hidden', uri: 'a b' };
  expect(logLine({ ms: 0, severity: 'WARN', body: 'it\u001b[2J broke', attributes })).toBe(
    '1970-01-01T00:00:00.000Z WARN  it broke session=4f2a91c0 uri="a b"',
  );
});
