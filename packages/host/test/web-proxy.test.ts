import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { silentLog } from '../src/lib/log.ts';
import { createHost, type Host } from '../src/main/create-host.ts';
import type { HostAddress, ListenOptions } from '../src/main/options.ts';
import { NodeProxy, type ProxyOptions } from './node-proxy.ts';
import { plainRequest } from './plain-request.ts';
import { PuppetAgent } from './puppet-agent.ts';

const PUBLIC = 'agents.example';
/** The header that a browser of the public address sends. */
const OF_BROWSER = { host: PUBLIC };

let folder: string;
let host: Host;
let address: HostAddress;
let proxy: NodeProxy;
const sockets: WebSocket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-proxy-'));
  writeFileSync(join(folder, 'index.html'), '<base href="__BASE_PATH__">');
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await host.stop();
  await proxy.stop();
  rmSync(folder, { recursive: true });
});

async function start(listen: ListenOptions, options: Omit<ProxyOptions, 'to'>): Promise<void> {
  host = createHost({
    dataDir: join(folder, 'data'),
    agents: [() => new PuppetAgent()],
    terminals: { keeper: false },
    listen: { port: 0, page: { folder }, allowedHosts: [PUBLIC], ...listen },
    log: silentLog,
  });
  const started = await host.start();
  if (started === undefined) throw new Error('the host does not listen');
  address = started;
  proxy = await NodeProxy.start({ to: address.port, ...options });
}

/** The outcome of an upgrade through the proxy: `open`, or the status of the refusal. */
function upgrade(path: string, headers: Record<string, string>): Promise<number | 'open'> {
  const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}${path}`, { headers });
  sockets.push(socket);
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (_, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', reject);
  });
}

describe.each<[string, ListenOptions, Omit<ProxyOptions, 'to'>]>([
  [
    'that keeps the base path',
    { basePath: '/agents', trustProxy: true },
    { removesPrefix: false, headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': PUBLIC } },
  ],
  [
    'that removes the base path, which the host knows',
    { basePath: '/agents', trustProxy: true },
    { removesPrefix: true, headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': PUBLIC } },
  ],
  [
    'that removes the base path and forwards it',
    { trustProxy: ['10.0.0.0/8'] },
    {
      removesPrefix: true,
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': PUBLIC, 'x-forwarded-prefix': '/agents' },
    },
  ],
])('behind a trusted proxy %s', (_, listen, options) => {
  test('[AUTH-1] the page, its files, its sign-in and its WebSocket work', async () => {
    await start(listen, options);
    const page = await plainRequest(proxy.port, '/agents/', OF_BROWSER);
    expect(page.body).toBe('<base href="/agents/">');
    expect(String(page.headers['content-security-policy'])).toContain(`connect-src 'self' wss://${PUBLIC};`);
    expect(await plainRequest(proxy.port, '/agents/icon.svg', OF_BROWSER)).toMatchObject({ body: '<svg/>' });
    expect(await plainRequest(proxy.port, '/agents/readyz', OF_BROWSER)).toMatchObject({ status: 200 });
    const link = `/agents/s/abc?token=${address.token}`;
    const signedIn = await plainRequest(proxy.port, link, { ...OF_BROWSER, accept: 'text/html' });
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/agents/s/abc']);
    const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';');
    expect(cookie).toMatch(/^__Secure-agenthost_token=/);
    const browser = { ...OF_BROWSER, cookie };
    expect(await upgrade('/agents/ahp', { ...browser, origin: `https://${PUBLIC}` })).toBe('open');
    expect(await upgrade('/agents/ahp', { ...browser, origin: `http://${PUBLIC}` })).toBe(403);
    expect(await upgrade('/agents/ahp', { ...browser, origin: 'https://evil.example' })).toBe(403);
    expect(await upgrade('/agents/ahp', OF_BROWSER)).toBe(401);
  });

  test('health checks and clients of this machine need no base path', async () => {
    await start(listen, options);
    for (const path of ['/healthz', '/readyz'])
      expect(await plainRequest(address.port, path)).toMatchObject({ status: 200 });
    const client = await connect(address.wsUrl, { token: address.token });
    client.close();
    const direct = await connect(`ws://127.0.0.1:${address.port}/ahp`, { token: address.token });
    direct.close();
  });
});

test('[AUTH-1] without trust, forwarded headers change neither cookie, origin nor policy', async () => {
  await start(
    { basePath: '/agents' },
    {
      removesPrefix: false,
      headers: {
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-prefix': '/evil',
      },
    },
  );
  const page = await plainRequest(proxy.port, '/agents/', OF_BROWSER);
  expect(page.body).toBe('<base href="/agents/">');
  expect(JSON.stringify(page.headers)).not.toContain('evil');
  const signedIn = await plainRequest(proxy.port, `/agents/?token=${address.token}`, OF_BROWSER);
  expect(String(signedIn.headers['set-cookie'])).toMatch(
    /^agenthost_token=.*; Path=\/agents; HttpOnly; SameSite=Strict; Max/,
  );
  const path = `/agents/ahp?token=${address.token}`;
  expect(await upgrade(path, { ...OF_BROWSER, origin: 'https://evil.example' })).toBe(403);
});
