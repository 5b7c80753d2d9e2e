import { expect, test } from 'vitest';
import type { TokenIdentity } from './access-tokens.ts';
import { Gate } from './gate.ts';
import { GuessLimit } from './guess-limit.ts';
import { hashToken } from './verify.ts';

const OWNER_TOKEN = 'a-token-that-is-long-enough';
const owner: TokenIdentity = { tokenHash: hashToken(OWNER_TOKEN), scope: 'admin' };
const observer: TokenIdentity = { tokenHash: 'of an observer', scope: 'observe' };

function gateOf(): Gate {
  const clock = { now: () => 0 };
  const tokens = { identify: () => undefined, isValid: () => true };
  return new Gate({
    ownerToken: OWNER_TOKEN,
    tokens,
    guesses: new GuessLimit(clock, () => undefined),
    clock,
  });
}

test('[AUTH-1] one token signs browsers in as often as it likes, and no browser of another is signed out', () => {
  const gate = gateOf();
  const browser = gate.signIn(owner);
  const ticket = gate.askToSignIn(owner);
  const secrets = Array.from({ length: 1_005 }, () => gate.signIn(observer));
  for (let count = 0; count < 1_005; count += 1) gate.askToSignIn(observer);
  expect(gate.signedIn(browser)).toEqual(owner);
  expect(gate.whoseTicket(ticket)).toEqual(owner);
  // Its own are bounded: the oldest go.
  const stillIn = secrets.filter((secret) => gate.signedIn(secret) !== undefined);
  expect(stillIn).toEqual(secrets.slice(-100));
});

test('[AUTH-1] a browser that signs out makes room for the next one of its token', () => {
  const gate = gateOf();
  const [first = '', ...others] = Array.from({ length: 100 }, () => gate.signIn(observer));
  gate.signOut(others[0] ?? '');
  gate.signIn(observer);
  expect(gate.signedIn(first)).toEqual(observer);
  gate.signIn(observer);
  expect(gate.signedIn(first)).toBeUndefined();
});
