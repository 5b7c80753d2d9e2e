import { expect, it } from 'vitest';
import { pushPlan } from './push-plan.ts';

const kept = { id: 'd1', endpoint: 'https://push.example/1' };

it('is on while host and browser know the same subscription', () => {
  expect(pushPlan(kept, kept.endpoint, ['d0', 'd1'])).toBe('on');
});

it('registers again after the browser replaced or dropped the subscription', () => {
  expect(pushPlan(kept, 'https://push.example/2', ['d1'])).toBe('renew');
  expect(pushPlan(kept, undefined, [])).toBe('renew');
});

it('stays off after somebody revoked the device, and where it was never on', () => {
  expect(pushPlan(kept, kept.endpoint, ['d0'])).toBe('revoked');
  expect(pushPlan(null, kept.endpoint, ['d1'])).toBe('off');
});
