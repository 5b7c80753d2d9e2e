import { expect, test } from 'vitest';
import { Presence } from './presence.ts';

test('[SESS-8] [TERM-5] a grace period lasts as long as it lasts, wherever the wall clock is set meanwhile', () => {
  const day = 24 * 60 * 60 * 1_000;
  for (const jump of [day, -day]) {
    let steady = 0;
    let offset = Date.UTC(2026, 0, 1);
    const presence = new Presence({ now: () => steady + offset, elapsed: () => steady }, 30_000);
    presence.arrived('client');
    presence.left('client');
    offset += jump;
    steady += 29_000;
    expect(presence.isGone('client')).toBe(false);
    expect(presence.isGone('never seen')).toBe(false);
    steady += 1_001;
    expect(presence.isGone('client')).toBe(true);
    expect(presence.isGone('never seen')).toBe(true);
  }
});
