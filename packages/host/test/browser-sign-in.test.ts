import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { silentLog } from '../src/lib/log.ts';
import { createHost, type Host } from '../src/main/create-host.ts';
import type { HostAddress } from '../src/main/options.ts';
import { type PlainAnswer, plainRequest } from './plain-request.ts';
import { PuppetAgent } from './puppet-agent.ts';

let folder: string;
let host: Host | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-sign-in-'));
  writeFileSync(join(folder, 'index.html'), '<base href="__BASE_PATH__">');
});

afterEach(async () => {
  await host?.stop();
  rmSync(folder, { recursive: true });
});

/** Starts the host of the folder, after the one that runs has stopped. */
async function start(port = 0, token?: string): Promise<HostAddress> {
  await host?.stop();
  host = createHost({
    dataDir: join(folder, 'data'),
    agents: [() => new PuppetAgent()],
    terminals: { keeper: false },
    listen: { port, page: { folder }, ...(token === undefined ? {} : { token }) },
    serverInfo: { name: 'agenthost', version: '9.8.7' },
    log: silentLog,
  });
  const address = await host.start();
  if (address === undefined) throw new Error('the host does not listen');
  return address;
}

const cookieOf = ({ headers }: PlainAnswer): string => String(headers['set-cookie']).split(';')[0] ?? '';

const stateOf = async (port: number, cookie: string): Promise<unknown> =>
  JSON.parse((await plainRequest(port, '/sign-in/state', { cookie })).body);

test('[AUTH-1] a browser stays signed in when the host restarts, until it signs out', async () => {
  const { port, token } = await start();
  const cookie = cookieOf(await plainRequest(port, `/?token=${token}`));
  await start(port);
  expect(await stateOf(port, cookie)).toMatchObject({ signedIn: true, scope: 'admin', version: '9.8.7' });
  // A use of the page extends the life of the cookie.
  const page = await plainRequest(port, '/', { cookie });
  expect(page.headers['set-cookie']).toEqual([expect.stringMatching(/^agenthost.*=ahs_.*Max-Age=7776000$/)]);
  expect(cookieOf(page)).toBe(cookie);
  await plainRequest(port, '/logout', { cookie }, 'POST');
  await start(port);
  expect(await stateOf(port, cookie)).toMatchObject({ signedIn: false });
});

test('[AUTH-1] a restart with another owner token signs the browsers of the earlier one out for good', async () => {
  const first = 'the-first-token-of-the-owner';
  const { port } = await start(0, first);
  const cookie = cookieOf(await plainRequest(port, `/?token=${first}`));
  await start(port, 'the-other-token-of-the-owner');
  expect(await stateOf(port, cookie)).toMatchObject({ signedIn: false });
  await start(port, first);
  expect(await stateOf(port, cookie)).toMatchObject({ signedIn: false });
});

test('[AUTH-1] a browser is signed out when its token is revoked, also after a restart', async () => {
  const { port, url, token } = await start();
  const client = await connect(url, { token });
  const { token: issued, secret } = await client.tokens.create({ scope: 'interact' });
  const cookie = cookieOf(
    await plainRequest(port, `/s/abc?token=${secret}`, { 'sec-fetch-dest': 'document' }),
  );
  client.close();
  await start(port);
  expect(await stateOf(port, cookie)).toMatchObject({ signedIn: true, scope: 'interact' });
  const again = await connect(url, { token });
  await again.tokens.revoke(issued.id);
  again.close();
  expect(await stateOf(port, cookie)).toMatchObject({ signedIn: false });
  await start(port);
  expect(await stateOf(port, cookie)).toMatchObject({ signedIn: false });
});

/** Opens a WebSocket with a cookie. */
async function open(port: number, cookie: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ahp`, { headers: { cookie } });
  await once(socket, 'open');
  return socket;
}

async function closeOf(socket: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason]: unknown[] = await once(socket, 'close');
  return { code: Number(code), reason: String(reason) };
}

const SIGNED_OUT = { code: 4003, reason: 'the browser was signed out' };

test('[AUTH-1] the connections of a browser end when it signs out; those of other browsers and programs of the token stay', async () => {
  const { port, url, token } = await start();
  const cookie = cookieOf(await plainRequest(port, `/?token=${token}`));
  const other = cookieOf(await plainRequest(port, `/?token=${token}`));
  const [one, two, stays] = [await open(port, cookie), await open(port, cookie), await open(port, other)];
  const client = await connect(url, { token });
  const closes = Promise.all([closeOf(one), closeOf(two)]);
  await plainRequest(port, '/logout', { cookie }, 'POST');
  expect(await closes).toEqual([SIGNED_OUT, SIGNED_OUT]);
  const { items } = await client.request('listSessions', { channel: 'ahp-root://' });
  expect(items).toEqual([]);
  expect(stays.readyState).toBe(WebSocket.OPEN);
  stays.close();
  client.close();
});

test('[AUTH-1] a link with the same token keeps the sign-in of the browser; one with another token ends the connections of the first', async () => {
  const { port, url, token } = await start();
  const client = await connect(url, { token });
  const { secret } = await client.tokens.create({ scope: 'interact' });
  const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
  const cookie = cookieOf(await plainRequest(port, `/?token=${secret}`, headers));
  const again = await plainRequest(port, `/?token=${secret}`, { ...headers, cookie });
  expect(cookieOf(again)).toBe(cookie);
  const socket = await open(port, cookie);
  const asked = await plainRequest(port, `/?token=${token}`, { ...headers, cookie });
  const closed = closeOf(socket);
  const confirmed = await plainRequest(port, String(asked.headers.location), { ...headers, cookie }, 'POST');
  expect(await closed).toEqual(SIGNED_OUT);
  expect(await stateOf(port, cookieOf(confirmed))).toMatchObject({ signedIn: true, scope: 'admin' });
  expect(await stateOf(port, cookie)).toMatchObject({ signedIn: false });
  client.close();
});

test('[AUTH-1] the journal has no secret of a browser', async () => {
  const { port, token } = await start();
  const cookie = cookieOf(await plainRequest(port, `/?token=${token}`));
  const stored = await host?.core.sync.journal.readMeta('browserSignIns');
  expect(stored).toContain('"scope":"admin"');
  expect(stored).not.toContain(cookie.split('=')[1]?.slice(4));
});

test('[AUTH-1] a link with a token leads to its route, without the token', async () => {
  const { port, token } = await start();
  const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
  const target = async (path: string, more: Record<string, string> = {}): Promise<unknown> =>
    (await plainRequest(port, path, { ...headers, ...more })).headers.location;
  expect(await target(`/s/abc?token=${token}`)).toBe('/s/abc');
  expect(await target(`/s/a%2Fb?turn=1&token=${token}&x=%26`)).toBe('/s/a%2Fb?turn=1&x=%26');
  expect(await target(`/?tkn=${token}`)).toBe('/');
  // The path is no address of another host.
  expect(await target(`//evil.example?token=${token}`)).toBeUndefined();
  expect(await target(`/\\evil.example?token=${token}`)).toBeUndefined();
  expect(await target('/s/abc?token=wrong')).toBe('/s/abc?refused=wrong');
  for (let count = 0; count < 19; count += 1) await target('/?token=wrong');
  expect(await target('/?token=wrong')).toMatch(/^\/\?refused=wait&waitMs=\d+$/);
});

test('[AUTH-1] a link of another page asks first, and leads to its route afterwards', async () => {
  const { port, token } = await start();
  const own = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' };
  const asked = await plainRequest(port, `/s/abc?token=${token}`, { ...own, 'sec-fetch-site': 'cross-site' });
  expect([asked.status, asked.headers['set-cookie']]).toEqual([303, undefined]);
  const path = String(asked.headers.location);
  expect(path).toMatch(/^\/sign-in\?ticket=ahc_[\w-]+&to=%2Fs%2Fabc$/);
  const action = /action="([^"]*)"/.exec((await plainRequest(port, path, own)).body)?.[1];
  expect(action?.replaceAll('&amp;', '&')).toBe(path);
  const agreed = await plainRequest(port, path, own, 'POST');
  expect([agreed.status, agreed.headers.location]).toEqual([303, '/s/abc']);
  for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', 'https://evil', '/logout']) {
    const next = await plainRequest(port, `/?token=${token}`, { ...own, 'sec-fetch-site': 'cross-site' });
    const bent = `${next.headers.location}&to=${encodeURIComponent(to)}`;
    const answer = await plainRequest(port, bent, own, 'POST');
    expect(new URL(String(answer.headers.location), 'http://own.example').host).toBe('own.example');
  }
});

test('[ROOT-5] the setting pageHosts changes the policy of the page at once', async () => {
  const { port, url, token } = await start();
  const client = await connect(url, { token });
  const action = {
    type: 'root/configChanged',
    config: { pageHosts: ['https://other.example:4711'] },
  } as const;
  const outcome = await client.dispatch('ahp-root://', action);
  expect(outcome).toMatchObject({ outcome: 'accepted' });
  const policy = String((await plainRequest(port, '/')).headers['content-security-policy']);
  expect(policy).toContain(' https://other.example:4711 wss://other.example:4711;');
  client.close();
});

test.each([
  [{ basePath: 'agents' }, 'listen.basePath: expected a path such as "/agents"'],
  [{ basePath: '/agents/' }, 'listen.basePath: expected a path such as "/agents"'],
  [
    { trustProxy: ['proxy'] },
    'listen.trustProxy: expected an IP address or a subnet such as "10.0.0.0/8", got "proxy"',
  ],
  [{ page: { folder: 'dist' } }, 'listen.page.folder: expected an absolute path, got "dist"'],
])('listen options %j are refused', async (listen, message) => {
  const dataDir = join(folder, 'data');
  const refused = createHost({ dataDir, agents: [], listen: { port: 0, ...listen }, log: silentLog });
  await expect(refused.start()).rejects.toThrow(message);
});
