import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tokenRequired } from './token-required.ts';

const file = join(homedir(), 'data/owner-token');

test('[AUTH-1] a request without a token is told how to send one, and on this machine where that of the owner is', () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    expect(tokenRequired(file, address)).toBe(
      "a token is required: send `Authorization: Bearer <token>`, or add `?token=<token>` to the address; the owner's token is in ~/data/owner-token",
    );
  }
  expect(tokenRequired('/srv/agenthost/owner-token', '127.0.0.1')).toContain(
    ' in /srv/agenthost/owner-token',
  );
});

test('[AUTH-1] other machines are told of no path', () => {
  for (const path of [file, '/srv/agenthost/owner-token']) {
    const words = tokenRequired(path, '192.0.2.7');
    expect(words).toContain('?token=');
    expect(words).toContain('`owner-token` in the data folder');
    expect(words).not.toContain(path);
    expect(words).not.toContain('/');
  }
});

test('[AUTH-1] a token of the owner that is in no file is not said to be in one', () => {
  expect(tokenRequired(undefined, '127.0.0.1')).not.toContain('owner-token');
});
