import { expect, test } from 'vitest';
import { GatewaySignIns } from './sign-ins.ts';

const DAY_MS = 86_400_000;

test('[AUTH-1] each gateway with the token accepts a cookie, until it is changed, too old, or the token is another', () => {
  let now = Date.parse('2026-11-28T12:00:00.000Z');
  const gateways = ['token', 'token', 'other'].map((token) => new GatewaySignIns(token, () => now));
  const [first, second, other] = gateways;
  const secret = first?.begin() ?? '';
  expect(gateways.map((gateway) => gateway.isValid(secret))).toEqual([true, true, false]);
  const [expiry = '', nonce, signature] = secret.split('.');
  for (const changed of [
    `${Number(expiry) + 1}.${nonce}.${signature}`,
    `${expiry}.${'A'.repeat(16)}.${signature}`,
    secret.slice(0, -1),
    `${secret}A`,
    `.${nonce}.${signature}`,
    '',
    undefined,
  ])
    expect(second?.isValid(changed), changed).toBe(false);
  now += 89 * DAY_MS;
  expect(second?.isValid(secret)).toBe(true);
  now += 2 * DAY_MS;
  expect(second?.isValid(secret)).toBe(false);
  expect([first?.isToken('token'), other?.isToken('token'), first?.isToken(undefined)]).toEqual([
    true,
    false,
    false,
  ]);
});
