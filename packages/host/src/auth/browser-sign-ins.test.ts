import { expect, test } from 'vitest';
import type { TokenIdentity } from './access-tokens.ts';
import { BrowserSignIns } from './browser-sign-ins.ts';

const DAY_MS = 86_400_000;
const owner: TokenIdentity = { tokenHash: 'of the owner', scope: 'admin' };
const observer: TokenIdentity = { tokenHash: 'of an observer', scope: 'observe' };

let now = 0;
let saved: string | undefined;
const clock = { now: () => now };
const open = (): BrowserSignIns =>
  new BrowserSignIns(clock, saved, (text) => {
    saved = text;
  });

function fresh(): BrowserSignIns {
  now = 1_000_000;
  saved = undefined;
  return open();
}

test('[AUTH-1] sign-ins are the same after a restart, and only hashes of their secrets are stored', () => {
  const before = fresh();
  const [one, other, third] = [before.begin(owner), before.begin(observer), before.begin(owner)];
  before.end(third);
  const after = open();
  expect([after.find(one), after.find(other)]).toMatchObject([owner, observer]);
  expect(after.find(third)).toBeUndefined();
  expect(saved).not.toMatch(/ahs_/);
  expect(saved).not.toContain(one.slice(4));
});

test('[AUTH-1] a sign-in ends after 90 days without use, and each use extends it', () => {
  const signIns = fresh();
  const [used, unused] = [signIns.begin(owner), signIns.begin(owner)];
  now += 89 * DAY_MS;
  expect(signIns.find(used)).toMatchObject(owner);
  now += DAY_MS;
  const later = open();
  expect(later.find(used)).toMatchObject(owner);
  expect(later.find(unused)).toBeUndefined();
  now += 90 * DAY_MS;
  expect(later.find(used)).toBeUndefined();
  expect(saved).toBe('{}');
});

test('a use within an hour of the last one writes nothing', () => {
  const signIns = fresh();
  const secret = signIns.begin(owner);
  const before = saved;
  now += 3_599_999;
  signIns.find(secret);
  expect(saved).toBe(before);
  now += 1;
  signIns.find(secret);
  expect(saved).not.toBe(before);
});

test('[AUTH-1] the sign-ins of tokens that are not valid end', () => {
  const signIns = fresh();
  const [one, other] = [signIns.begin(owner), signIns.begin(observer)];
  signIns.keepOnly((tokenHash) => tokenHash === owner.tokenHash);
  expect(signIns.find(one)).toMatchObject(owner);
  expect(signIns.find(other)).toBeUndefined();
  expect(saved).not.toContain(observer.tokenHash);
});

test('[AUTH-1] above the limit of all tokens, the token with the most sign-ins loses its oldest', () => {
  const signIns = fresh();
  const single = signIns.begin(owner);
  const byToken = Array.from({ length: 21 }, (_, token) =>
    Array.from({ length: token === 20 ? 47 : 100 }, () =>
      signIns.begin({ tokenHash: String(token), scope: 'observe' }),
    ),
  );
  const last = signIns.begin(observer);
  expect([signIns.find(single), signIns.find(last)]).toMatchObject([owner, observer]);
  const left = byToken.flat().filter((secret) => signIns.find(secret) !== undefined);
  expect(left).toHaveLength(2_046);
  expect(byToken[20]?.every((secret) => left.includes(secret))).toBe(true);
}, 60_000);

test('[AUTH-1] each end of a sign-in is reported with the hash that its callers have', () => {
  const signIns = fresh();
  const ended: string[] = [];
  signIns.onEnded((hash) => ended.push(hash));
  const hashOf = (secret: string): string | undefined => signIns.find(secret)?.signInHash;
  const [out, invalid, unused] = [signIns.begin(owner), signIns.begin(observer), signIns.begin(owner)];
  const hashes = [hashOf(out), hashOf(invalid), hashOf(unused)];
  signIns.end(out);
  signIns.end(out);
  signIns.keepOnly((tokenHash) => tokenHash === owner.tokenHash);
  now += 90 * DAY_MS;
  signIns.find(unused);
  expect(ended).toEqual(hashes);
  const first = hashOf(signIns.begin(owner));
  for (let count = 0; count < 100; count += 1) signIns.begin(owner);
  expect(ended.slice(3)).toEqual([first]);
});
