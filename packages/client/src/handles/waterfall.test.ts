import { expect, test } from 'vitest';
import type { HostSpan } from './host-span.ts';
import { waterfallOf } from './waterfall.ts';

const span = (id: string, startMs: number, endMs: number, more: Partial<HostSpan> = {}): HostSpan => ({
  id,
  name: id,
  startMs,
  endMs,
  attributes: {},
  hasFailed: false,
  ...more,
});

test('parents come before their children, in the order of their starts, without the session', () => {
  const waterfall = waterfallOf([
    span('wait', 2_000, 3_000, { parentId: 'tool' }),
    span('model', 1_000, 2_000, { parentId: 'turn' }),
    span('session', 0, 9_000, { attributes: { 'ahp.span.kind': 'session' } }),
    span('tool', 2_000, 3_500, { parentId: 'turn' }),
    span('turn', 1_000, 4_000, { parentId: 'session' }),
  ]);
  expect(
    waterfall?.rows.map(({ span: { id }, depth, offsetMs, durationMs }) => [id, depth, offsetMs, durationMs]),
  ).toEqual([
    ['turn', 0, 0, 3_000],
    ['model', 1, 0, 1_000],
    ['tool', 1, 1_000, 1_500],
    ['wait', 2, 1_000, 1_000],
  ]);
  expect(waterfall).toMatchObject({ startMs: 1_000, durationMs: 3_000 });
});

test('spans without a known parent are at the top, and spans that name each other end', () => {
  const rows = waterfallOf([
    span('lost', 5, 6, { parentId: 'gone' }),
    span('a', 1, 2, { parentId: 'b' }),
    span('b', 1, 2, { parentId: 'a' }),
    span('self', 7, 8, { parentId: 'self' }),
  ])?.rows;
  expect(rows?.map(({ span: { id }, depth }) => [id, depth])).toEqual([
    ['lost', 0],
    ['self', 0],
  ]);
});

test('there is no waterfall without spans', () => {
  expect(waterfallOf([])).toBeUndefined();
});

test('a chain of 50,000 spans, and as many beside each other, are arranged at once', () => {
  const chain = Array.from({ length: 50_000 }, (_, index) =>
    span(`c${index}`, index, 50_000, index === 0 ? {} : { parentId: `c${index - 1}` }),
  );
  expect(waterfallOf(chain)?.rows.at(-1)).toMatchObject({ depth: 49_999, offsetMs: 49_999 });
  const flat = Array.from({ length: 50_000 }, (_, index) => span(`f${index}`, index, index + 1));
  expect(waterfallOf(flat)).toMatchObject({ durationMs: 50_000, rows: { length: 50_000 } });
});
