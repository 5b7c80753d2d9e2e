import { expect, test } from 'vitest';
import type { TokenIdentity } from '../src/auth/access-tokens.ts';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

interface Issued {
  readonly id: string;
  readonly secret: string;
}

async function issue(owner: RawClient): Promise<Issued> {
  const { token, secret } = await owner.request('x-createToken', { channel: ROOT, scope: 'admin' });
  return { id: token.id, secret };
}

const identityOf = (host: HostFixture, { secret }: Issued): TokenIdentity | undefined =>
  host.host.core.accessTokens.identify(secret);

/** A client that came by this token. */
async function bearer(host: HostFixture, name: string, issued: Issued): Promise<RawClient> {
  const identity = identityOf(host, issued);
  if (identity === undefined) throw new Error('nobody comes by this token');
  return host.client(name, {}, identity);
}

const REVOKED = { code: 4003, reason: 'the token was revoked' };

test('[AUTH-1] who revokes the own token gets the answer, and then the end; all others by it end at once', async () => {
  const host = await startHost();
  const issued = await issue(await host.client());
  const own = await bearer(host, 'own', issued);
  const other = await bearer(host, 'other', issued);
  const revoking = own.ask('x-revokeToken', { channel: ROOT, id: issued.id });
  expect(await own.answered(revoking)).toBeNull();
  await host.run();
  expect([own.closed, other.closed]).toMatchObject([REVOKED, REVOKED]);
  expect(own.frames.at(-1)).toMatchObject({ id: revoking });
  expect(identityOf(host, issued)).toBeUndefined();
  host.kill();
});

test('[AUTH-1] what who revokes the own token sends behind it is done no more', async () => {
  const host = await startHost();
  const owner = await host.client();
  const issued = await issue(owner);
  const { session } = await host.session(owner);
  const own = await bearer(host, 'own', issued);
  const revoking = own.ask('x-revokeToken', { channel: ROOT, id: issued.id });
  own.ask('x-createToken', { channel: ROOT, name: 'back door' });
  own.dispatch(session, { type: 'session/titleChanged', title: 'too late' });
  const read = own.ask('listSessions', { channel: ROOT });
  expect(await own.answered(revoking)).toBeNull();
  await host.run();
  expect(own.answerTo(read)).toMatchObject({
    error: { code: -32009, message: expect.stringContaining('has ended') },
  });
  expect(own.closed).toMatchObject(REVOKED);
  expect((await owner.request('x-listTokens', { channel: ROOT })).items).toEqual([]);
  expect((await owner.subscribe(session)).state).not.toMatchObject({ title: 'too late' });
  host.kill();
});

test('[AUTH-1] a revocation that cannot be written down holds at once, says what a restart would do, and is written later', async () => {
  const host = await startHost();
  const owner = await host.client();
  const issued = await issue(owner);
  const its = await bearer(host, 'its', issued);
  host.journal.failNextCommits(3);
  // By the commit that fails.
  const error = {
    code: -32603,
    message: expect.stringMatching(/^The token is revoked.* the token is valid again$/),
  };
  await expect(owner.request('x-revokeToken', { channel: ROOT, id: issued.id })).rejects.toMatchObject(error);
  expect(its.closed).toMatchObject(REVOKED);
  expect(identityOf(host, issued)).toBeUndefined();
  expect(host.journal.disk.tokens.size).toBe(1);
  await host.advance(5_000);
  expect(host.journal.disk.tokens.size).toBe(0);
  await host.restart();
  expect(identityOf(host, issued)).toBeUndefined();
  host.kill();
});

test('[AUTH-1] while the journal is known not to be writable, too; the own token’s bearer is told before the end', async () => {
  const host = await startHost();
  const owner = await host.client();
  const issued = await issue(owner);
  const own = await bearer(host, 'own', issued);
  host.journal.failNextCommits(1_000);
  await expect(owner.request('x-createToken', { channel: ROOT })).rejects.toMatchObject({ code: -32603 });
  const revoking = own.request('x-revokeToken', { channel: ROOT, id: issued.id });
  await expect(revoking).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('is revoked'),
  });
  await host.run();
  expect(own.closed).toMatchObject(REVOKED);
  // As was said.
  await host.restart();
  expect(identityOf(host, issued)).toBeDefined();
  host.kill();
});
