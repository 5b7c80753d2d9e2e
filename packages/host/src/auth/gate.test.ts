import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TokenIdentity } from './access-tokens.ts';
import { Gate, tokenRequired } from './gate.ts';
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

test('[AUTH-1] sign-ins by one token sign out no browser of another token', () => {
  const gate = gateOf();
  const browser = gate.signIn(owner);
  const ticket = gate.askToSignIn(owner);
  const secrets = Array.from({ length: 1_005 }, () => gate.signIn(observer));
  for (let count = 0; count < 1_005; count += 1) gate.askToSignIn(observer);
  expect(gate.signedIn(browser)).toMatchObject(owner);
  expect(gate.whoseTicket(ticket)).toEqual(owner);
  // The sign-ins of one token are bounded: the oldest are signed out.
  const stillIn = secrets.filter((secret) => gate.signedIn(secret) !== undefined);
  expect(stillIn).toEqual(secrets.slice(-100));
});

test('[AUTH-1] a browser that signs out makes room for the next browser of its token', () => {
  const gate = gateOf();
  const [first = '', ...others] = Array.from({ length: 100 }, () => gate.signIn(observer));
  gate.signOut(others[0] ?? '');
  gate.signIn(observer);
  expect(gate.signedIn(first)).toMatchObject(observer);
  gate.signIn(observer);
  expect(gate.signedIn(first)).toBeUndefined();
});

const file = join(homedir(), 'data/owner-token');

test('[AUTH-1] a refusal for a missing token says how to send one, and on this machine where the owner’s token is', () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    expect(tokenRequired(file, address)).toBe(
      "a token is required: send `Authorization: Bearer <token>`, or add `?token=<token>` to the address; the owner's token is in ~/data/owner-token",
    );
  }
  expect(tokenRequired('/srv/agenthost/owner-token', '127.0.0.1')).toContain(
    ' in /srv/agenthost/owner-token',
  );
});

test('[AUTH-1] a refusal to another machine names no path', () => {
  for (const path of [file, '/srv/agenthost/owner-token']) {
    const words = tokenRequired(path, '192.0.2.7');
    expect(words).toContain('?token=');
    expect(words).toContain('`owner-token` in the data folder');
    expect(words).not.toContain(path);
    expect(words).not.toContain('/');
  }
});

test('[AUTH-1] a refusal names no file when the owner’s token is in none', () => {
  expect(tokenRequired(undefined, '127.0.0.1')).not.toContain('owner-token');
});
