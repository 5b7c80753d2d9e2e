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

/** A client that uses this token. */
async function bearer(host: HostFixture, name: string, issued: Issued): Promise<RawClient> {
  const identity = identityOf(host, issued);
  if (identity === undefined) throw new Error('nobody comes by this token');
  return host.client(name, {}, identity);
}

const REVOKED = { code: 4003, reason: 'the token was revoked' };

test('[AUTH-1] a client that revokes its own token gets the answer and is then disconnected; other clients of the token are disconnected at once', async () => {
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

test('[AUTH-1] later requests of a client that revoked its own token are ignored', async () => {
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

test('[AUTH-1] a revocation that cannot be journaled applies at once, warns of a restart, and is written later', async () => {
  const host = await startHost();
  const owner = await host.client();
  const issued = await issue(owner);
  const its = await bearer(host, 'its', issued);
  host.journal.failNextCommits(3);
  // By the failing commit.
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

test('[AUTH-1] a revocation while the journal is known to be unwritable applies too, and a client of the token gets its answer first', async () => {
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
  // As the warning said.
  await host.restart();
  expect(identityOf(host, issued)).toBeDefined();
  host.kill();
});
