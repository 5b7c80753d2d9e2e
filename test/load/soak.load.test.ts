import { expect, test } from 'vitest';
import { soak } from '../../bench/soak.ts';
import { CURVE_HEAD, curveLine, heapSlope } from '../../bench/soak-curve.ts';

/** A run of a minute may still load code. The benchmark holds thirty minutes to 1. */
const MOST_MB_PER_MINUTE = 8;

test('a minute of everything leaves memory, descriptors and timers of the host as they were', async () => {
  const { points, counts } = await soak({ minutes: 1, users: 6, seed: 7, onLine: () => undefined });
  const curve = [CURVE_HEAD, ...points.map(curveLine)].join('\n');
  expect(heapSlope(points), curve).toBeLessThan(MOST_MB_PER_MINUTE);
  const rest = points.slice(points.length / 2);
  const most = (value: (point: (typeof points)[number]) => number): number => Math.max(...rest.map(value));
  // Six connections, and short-lived descriptors of terminals and requests.
  expect(
    most(({ descriptors }) => descriptors),
    curve,
  ).toBeLessThan(80);
  expect(
    most(({ timers }) => timers),
    curve,
  ).toBeLessThan(100);
  expect(
    most(({ channels }) => channels),
    curve,
  ).toBeLessThan(200);
  expect(Object.values(counts).filter((count) => count > 10).length, JSON.stringify(counts)).toBeGreaterThan(
    10,
  );
  console.log([CURVE_HEAD, ...points.slice(-3).map(curveLine)].join('\n'));
}, 180_000);
