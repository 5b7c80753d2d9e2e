import { encode } from 'uqr';
import { expect, it } from 'vitest';
import { QUIET_ZONE, qrPath } from './qr-path.ts';

it('writes each run of dark modules as one rectangle inside the quiet zone', () => {
  expect(qrPath([[true, true, false, true], [], [false, true, false, false]])).toBe(
    'M4 4h2v1h-2zM7 4h1v1h-1zM5 6h1v1h-1z',
  );
});

it('covers exactly the dark modules of a code', () => {
  const { data } = encode('https://build.example:4711/?token=aht_abcdef', { border: 0 });
  const covered = new Set<string>();
  for (const [, x, y, width] of qrPath(data).matchAll(/M(\d+) (\d+)h(\d+)/g))
    for (let at = 0; at < Number(width); at += 1)
      covered.add(`${Number(x) - QUIET_ZONE + at},${Number(y) - QUIET_ZONE}`);
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x},${y}`] : [])));
  expect(Array.from(covered).sort()).toEqual(dark.sort());
});
