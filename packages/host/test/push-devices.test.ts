import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TokenIdentity } from '../src/auth/access-tokens.ts';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import { PushService, testPush, vapidClaims } from './push-service.ts';
import type { RawClient } from './raw-client.ts';

const OBSERVER: TokenIdentity = { tokenHash: 'observer', scope: 'observe' };
const push = { allowLoopback: true } as const;

const params = (service: PushService, path: string) =>
  ({
    channel: ROOT,
    subscription: (service.browsers.get(path) ?? service.browser(path)).subscription,
    device: `Browser ${path}`,
  }) as const;

const subscribe = async (client: RawClient, service: PushService, path: string): Promise<string> =>
  (await client.request('x-subscribePush', params(service, path))).id;

const devicesOf = async (client: RawClient) => (await client.request('x-listPush', { channel: ROOT })).items;

async function given(host: HostFixture, owner: RawClient) {
  const { token, secret } = await owner.request('x-createToken', { channel: ROOT, scope: 'interact' });
  const identity = host.host.core.accessTokens.identify(secret);
  return { token, client: await host.client('given', {}, identity) };
}

test('the same endpoint again replaces the subscription and keeps id and settings', async () => {
  const service = await PushService.start();
  const host = await startHost({ push });
  const client = await host.client();
  const id = await subscribe(client, service, '/a');
  const mutedSessions = [SESSION];
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  await client.request('x-updatePush', { channel: ROOT, id, mutedSessions, quietHours });
  const again = { ...params(service, '/a'), device: 'Renamed\u202e' };
  expect(await client.request('x-subscribePush', again)).toEqual({ id });
  expect(await devicesOf(client)).toEqual([
    {
      id,
      device: 'Renamed',
      createdAt: new Date(host.clock.now()).toISOString(),
      isMine: true,
      mutedSessions,
      quietHours,
      events: { inputNeeded: true, turnEnded: true },
    },
  ]);
  await client.request('x-updatePush', { channel: ROOT, id, quietHours: null });
  expect((await devicesOf(client))[0]).not.toHaveProperty('quietHours');
});

test('a token sees and changes its own devices, an admin all', async () => {
  const service = await PushService.start();
  const host = await startHost({ push });
  const owner = await host.client('owner');
  const observer = await host.client('observer', {}, OBSERVER);
  const mine = await subscribe(owner, service, '/owner');
  const its = await subscribe(observer, service, '/observer');
  expect(await devicesOf(observer)).toMatchObject([{ id: its, isMine: true }]);
  expect((await devicesOf(owner)).map(({ id, isMine }) => [id, isMine])).toEqual([
    [mine, true],
    [its, false],
  ]);
  for (const method of ['x-updatePush', 'x-revokePush', 'x-testPush'] as const) {
    const refused = observer.request(method, { channel: ROOT, id: mine });
    await expect(refused).rejects.toMatchObject({ code: -32008 });
  }
  await owner.request('x-revokePush', { channel: ROOT, id: its });
  expect(await devicesOf(observer)).toEqual([]);
});

test('a browser that signs in with another token takes its device along', async () => {
  const service = await PushService.start();
  const host = await startHost({ push });
  const owner = await host.client('owner');
  const observer = await host.client('observer', {}, OBSERVER);
  const id = await subscribe(owner, service, '/a');
  expect(await subscribe(observer, service, '/a')).toBe(id);
  expect(await devicesOf(observer)).toMatchObject([{ id, isMine: true }]);
});

test('a revoked and an expired token take their devices along', async () => {
  const service = await PushService.start();
  const host = await startHost({ push });
  const owner = await host.client('owner');
  const { token, client } = await given(host, owner);
  await subscribe(owner, service, '/owner');
  await subscribe(client, service, '/given');
  expect(await devicesOf(owner)).toHaveLength(2);
  await owner.request('x-revokeToken', { channel: ROOT, id: token.id });
  expect(await devicesOf(owner)).toMatchObject([{ device: 'Browser /owner' }]);
  const short = await owner.request('x-createToken', { channel: ROOT, lifetimeSeconds: 60 });
  const identity = host.host.core.accessTokens.identify(short.secret);
  await subscribe(await host.client('short', {}, identity), service, '/short');
  await host.advance(60_000);
  expect(await devicesOf(owner)).toMatchObject([{ device: 'Browser /owner' }]);
  await host.restart();
  expect(await devicesOf(await host.client('again'))).toMatchObject([{ device: 'Browser /owner' }]);
});

test('a token has at most 16 devices, a host 64; slots of revoked devices are used again', async () => {
  const service = await PushService.start();
  const host = await startHost({ push });
  const tokens = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map((name) => host.client(name, {}, { tokenHash: name, scope: 'observe' })),
  );
  let last = '';
  for (const client of tokens.slice(0, 4)) {
    for (let index = 0; index < 16; index += 1)
      last = await subscribe(client, service, `/${client.clientId}${index}`);
    await expect(subscribe(client, service, '/more')).rejects.toMatchObject({ code: -32011 });
  }
  const [, , , fourth, fifth] = tokens;
  if (fourth === undefined || fifth === undefined) throw new Error('five tokens');
  await expect(subscribe(fifth, service, '/more')).rejects.toMatchObject({
    message: expect.stringContaining('64'),
  });
  await fourth.request('x-revokePush', { channel: ROOT, id: last });
  await subscribe(fifth, service, '/more');
  await host.restart();
  expect(await devicesOf(await host.client('owner'))).toHaveLength(64);
});

test.each([
  [{ endpoint: 'http://push.example.com/x' }, 'subscription.endpoint'],
  [{ endpoint: 'https://192.168.0.1/x' }, 'subscription.endpoint'],
  [{ p256dh: 'AAAA' }, 'subscription.keys.p256dh'],
  [{ p256dh: Buffer.alloc(65, 4).toString('base64url') }, 'subscription.keys.p256dh'],
  [{ auth: 'AAAA' }, 'subscription.keys.auth'],
  [{ device: ' \u202e' }, 'device'],
  [{ quietHours: { from: '25:00', to: '07:00', timeZone: 'UTC' } }, 'quietHours'],
])('a subscription with %o is refused', async (wrong, field) => {
  const service = await PushService.start();
  const host = await startHost({ push });
  const client = await host.client();
  const { subscription, ...rest } = params(service, '/a');
  const { endpoint = subscription.endpoint, p256dh, auth, ...more } = wrong as Record<string, string>;
  const keys = { ...subscription.keys, ...(p256dh && { p256dh }), ...(auth && { auth }) };
  const sent = client.raw('x-subscribePush', { ...rest, subscription: { endpoint, keys }, ...more });
  await expect(sent).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(field) });
});

test('without the option a host sends nothing to loopback', async () => {
  const service = await PushService.start();
  const host = await startHost();
  const client = await host.client();
  await expect(subscribe(client, service, '/a')).rejects.toMatchObject({ code: -32602 });
});

test('a test is sent at once, not twice in five seconds, and tells why it failed', async () => {
  const service = await PushService.start();
  const host = await startHost({ push });
  const client = await host.client();
  const id = await subscribe(client, service, '/a');
  const quietHours = { from: '00:00', to: '00:00', timeZone: 'UTC' };
  await client.request('x-updatePush', { channel: ROOT, id, quietHours });
  const tested = async (): Promise<unknown> => {
    const { result, error } = (await testPush(host, client, id)) ?? {};
    return result ?? error;
  };
  expect(await tested()).toEqual({ status: 201 });
  expect(service.tests).toMatchObject([
    { payload: { kind: 'test', title: 'Browser /a', url: '/' }, headers: { ttl: '60' } },
  ]);
  expect(await tested()).toMatchObject({ code: -32011 });
  await host.advance(5_000);
  service.statuses.push(403);
  service.answerText = 'the key is wrong';
  expect(await tested()).toMatchObject({
    code: -32011,
    message: 'The push was not delivered: the push service answered with status 403: the key is wrong',
  });
  expect(await devicesOf(client)).toMatchObject([{ lastFailure: { status: 403 } }]);
});

test('the signature names the contact of the options, which is a URL', async () => {
  const service = await PushService.start();
  const host = await startHost({ push: { ...push, contact: 'https://example.org/contact' } });
  const client = await host.client();
  const id = await subscribe(client, service, '/a');
  await testPush(host, client, id);
  const { publicKey } = await client.request('x-pushKey', { channel: ROOT });
  expect(service.tests.map((each) => vapidClaims(each, publicKey))).toMatchObject([
    { sub: 'https://example.org/contact' },
  ]);
  for (const contact of ['', 'me@example.org', 'http://example.org', 'mailto:me'])
    await expect(startHost({ push: { contact } })).rejects.toThrow('push.contact: expected a URL such as');
});

test('the keys are made on first use, in a file of the data folder that only its user can read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'push-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const host = await startHost({ push, dataDir: folder });
  const client = await host.client();
  const file = join(folder, 'push-keys.json');
  expect(lstatSync(file, { throwIfNoEntry: false })).toBeUndefined();
  const { publicKey } = await client.request('x-pushKey', { channel: ROOT });
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ publicKey });
  await host.restart();
  const again = await host.client('again');
  expect(await again.request('x-pushKey', { channel: ROOT })).toEqual({ publicKey });
  await host.restart();
  writeFileSync(file, '{}');
  const third = await host.client('third');
  await expect(third.request('x-pushKey', { channel: ROOT })).rejects.toMatchObject({ code: -32603 });
});
