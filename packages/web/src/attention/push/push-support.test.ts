import { describe, expect, it } from 'vitest';
import { isIosDevice, type PushFacts, supportOf } from './push-support.ts';

const good: PushFacts = {
  isSecure: true,
  hasPush: true,
  isIos: false,
  isInstalled: false,
  permission: 'default',
};

describe('support of notifications', () => {
  it.each([
    [{ isSecure: false }, 'insecure'],
    [{ hasPush: false }, 'unsupported'],
    [{ permission: undefined }, 'unsupported'],
    [{ isIos: true, hasPush: false, permission: undefined }, 'installFirst'],
    [{ isIos: true, isInstalled: true }, 'askable'],
    [{ permission: 'denied' }, 'denied'],
    [{ permission: 'granted' }, 'granted'],
    [{}, 'askable'],
  ] as const)('with %j is %s', (facts, support) => {
    expect(supportOf({ ...good, ...facts })).toBe(support);
  });

  it('knows an iPad that names itself a Mac by its touch screen', () => {
    expect(isIosDevice('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5)).toBe(true);
    expect(isIosDevice('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 0)).toBe(false);
  });
});
