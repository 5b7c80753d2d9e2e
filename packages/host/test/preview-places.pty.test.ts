import { on, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { MemoryJournal } from '../src/journal/memory/memory-journal.ts';
import { silentLog } from '../src/lib/log.ts';
import { createHost } from '../src/main/create-host.ts';
import { newCertificatePair } from './certificate-pair.ts';
import { plainRequest } from './plain-request.ts';
import { gotHeaders, PreviewStage } from './preview-stage.ts';

/** A range of ports that are free now. */
async function freePorts(count: number): Promise<number> {
  for (let first = 20_000 + (process.pid % 20_000); ; first += count) {
    const servers = Array.from({ length: count }, (_, index) =>
      createServer().listen({ host: '0.0.0.0', port: first + index }),
    );
    const outcomes = await Promise.allSettled(servers.map((server) => once(server, 'listening')));
    for (const server of servers) server.close();
    if (outcomes.every(({ status }) => status === 'fulfilled')) return first;
  }
}

test('beyond loopback each preview has a port of its own, at the name by which the client reaches the host', async () => {
  const first = await freePorts(2);
  const stage = await PreviewStage.start({
    host: '0.0.0.0',
    allowInsecure: true,
    allowedHosts: ['devbox.example'],
    previews: { port: first, lastPort: first + 1 },
  });
  expect(stage.address).not.toHaveProperty('previewPort');
  const one = await stage.program();
  const two = await stage.program();
  const signedIn = await stage.signIn(one.port);
  expect(signedIn.origin).toBe(`http://127.0.0.1:${first}`);
  expect(signedIn.cookie).toMatch(new RegExp(`^agenthost_preview_${first}=ahv_`));
  const { cookie } = signedIn;
  const named = (host: string, headers: object = {}) =>
    stage.ask(host, '/', { headers: { cookie, ...headers } }, first);
  const host = `127.0.0.1:${first}`;
  const answer = await named(host, { origin: `http://${host}` });
  expect(gotHeaders(answer)).toMatchObject({
    host: `localhost:${one.port}`,
    origin: `http://localhost:${one.port}`,
  });
  expect((await named(`devbox.example:${first}`)).status).toBe(200);
  expect((await named(`evil.example:${first}`)).status).toBe(421);
  expect((await named(`127.0.0.1:${first + 1}`)).status).toBe(421);
  // The host's own page has the same name.
  expect((await named(host, { origin: `http://127.0.0.1:${stage.address?.port}` })).status).toBe(403);
  const other = await stage.signIn(two.port);
  expect(other.origin).toBe(`http://127.0.0.1:${first + 1}`);
  expect((await stage.ask(`127.0.0.1:${first + 1}`, '/', { headers: { cookie } }, first + 1)).status).toBe(
    401,
  );
  const three = await stage.program();
  await expect(stage.session.openPreview(three.port)).rejects.toMatchObject({ code: -32011 });
  await stage.client.request('disposeSession', { channel: stage.session.uri });
  await expect(named(host)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('behind a proxy the address, the cookie and the headers are those of the proxy', async () => {
  const stage = await PreviewStage.start({ previews: { host: 'https://*.preview.example.org' } });
  const { port } = await stage.program();
  const { url } = await stage.session.openPreview(port);
  const { host, origin, pathname, search } = new URL(url);
  expect(origin).toMatch(new RegExp(`^https://${port}-[a-z2-7]{16}\\.preview\\.example\\.org$`));
  const signIn = await stage.ask(host, `${pathname}${search}`);
  const [set = ''] = signIn.headers['set-cookie'] ?? [];
  expect(set).toMatch(/^__Host-agenthost_preview=ahv_[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; /);
  const cookie = set.split(';', 1)[0] ?? '';
  const answer = await stage.ask(host, '/', { headers: { cookie, origin } });
  expect(gotHeaders(answer)).toMatchObject({ 'x-forwarded-proto': 'https', 'x-forwarded-host': host });
  expect(
    (await stage.ask(host, '/', { headers: { cookie, origin: 'https://preview.example.org' } })).status,
  ).toBe(403);
});

test('a trusted proxy names the host and the address of the browser', async () => {
  const stage = await PreviewStage.start({ trustProxy: true, previews: { host: 'https://*.p.example' } });
  const { port } = await stage.program();
  const { url } = await stage.session.openPreview(port);
  const { host, pathname, search } = new URL(url);
  const forwarded = {
    'x-forwarded-host': host,
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.7',
  };
  const signIn = await stage.ask('127.0.0.1', `${pathname}${search}`, { headers: forwarded });
  const [set = ''] = signIn.headers['set-cookie'] ?? [];
  const headers = { ...forwarded, cookie: set.split(';', 1)[0] };
  const answer = await stage.ask('127.0.0.1', '/', { headers });
  expect(gotHeaders(answer)).toMatchObject({ 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': host });
});

test('a host without previews shows ports, and says why it does not open them', async () => {
  const stage = await PreviewStage.start({ previews: false });
  const { port } = await stage.program();
  await expect(stage.session.openPreview(port)).rejects.toMatchObject({
    code: -32011,
    message: expect.stringContaining('--preview-port'),
  });
});

test('a host that finds no ports says so', async () => {
  const stage = await PreviewStage.start({}, { portScanner: false });
  expect(await stage.client.sessions.ports()).toEqual({
    items: [],
    unavailable: expect.stringContaining('Linux and macOS'),
  });
  await expect(stage.session.openPreview(80)).rejects.toMatchObject({ code: -32011 });
});

test('the ports of all sessions, or of one, are listed without a subscription', async () => {
  const stage = await PreviewStage.start();
  const second = await stage.client.sessions.create();
  const one = await stage.program();
  const two = await stage.program([], second);
  const { secret } = await stage.client.tokens.create({ scope: 'observe' });
  const observer = await stage.connect(secret);
  const { items } = await observer.sessions.ports();
  expect(items.map(({ session, port }) => [session, port])).toEqual(
    expect.arrayContaining([
      [stage.session.uri, one.port],
      [second.uri, two.port],
    ]),
  );
  expect((await observer.sessions.ports(second.uri)).items).toMatchObject([{ port: two.port }]);
});

test('a host does not start when the port of previews is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const host = createHost({
    journal: new MemoryJournal(),
    agents: [],
    terminals: { keeper: false },
    listen: { port: 0, token: 'owner-token-of-sixteen', previews: { port } },
    log: silentLog,
  });
  await expect(host.start()).rejects.toThrow(`previews cannot listen on port ${port} of 127.0.0.1`);
});

test('a preview that a browser opened ends when the browser signs out of the host', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const at = stage.address?.port ?? 0;
  const signedIn = await plainRequest(at, '/?token=owner-token-of-sixteen');
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  const browser = new WebSocket(`ws://127.0.0.1:${at}/ahp`, { headers: { cookie } });
  browser.on('error', () => undefined);
  onTestFinished(() => browser.terminate());
  await once(browser, 'open');
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    browser.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    for await (const [message] of on(browser, 'message')) {
      const frame: { id?: number; result?: unknown } = JSON.parse(String(message));
      if (frame.id === id) return frame.result;
    }
    return undefined;
  };
  const initialize = { channel: 'ahp-root://', clientId: 'browser', protocolVersions: ['1.0.0'] };
  await ask(1, 'initialize', initialize);
  const result = await ask(2, 'x-openPreview', { channel: stage.session.uri, port });
  const opened = JSON.stringify(result);
  const { host, pathname, search } = new URL(/http[^"]+/.exec(opened)?.[0] ?? '');
  const answer = await stage.ask(host, `${pathname}${search}`);
  const preview = {
    host,
    origin: `http://${host}`,
    cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '',
  };
  const own = await stage.signIn(port);
  const socket = stage.socket(preview);
  await once(socket, 'message');
  const closed = once(socket, 'close');
  await plainRequest(at, '/logout', { cookie }, 'POST');
  await closed;
  expect((await stage.asked(preview, '/')).status).toBe(401);
  expect((await stage.asked(own, '/')).status).toBe(200);
});

test('a host with TLS has previews with TLS, whose cookies are secure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-preview-certificate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const { cert, key } = await newCertificatePair(Date.now());
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  writeFileSync(files.certFile, cert);
  const stage = await PreviewStage.start({ tls: files });
  const { port } = await stage.program();
  const { url } = await stage.session.openPreview(port);
  const { protocol, host, origin, pathname, search } = new URL(url);
  expect(protocol).toBe('https:');
  // Without TLS, a request gets no answer, and a ticket is not used up.
  await expect(plainRequest(stage.previewPort, `${pathname}${search}`, { host })).rejects.toMatchObject({
    code: 'ECONNRESET',
  });
  const answer = await stage.ask(host, `${pathname}${search}`);
  expect(answer.status).toBe(303);
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^__Host-agenthost_preview=ahv_[^;]+;.*Secure/);
  const signedIn = { host, origin, cookie: cookie.split(';', 1)[0] ?? '' };
  expect(gotHeaders(await stage.asked(signedIn, '/', { headers: { origin } }))).toMatchObject({
    origin: `http://localhost:${port}`,
    'x-forwarded-proto': 'https',
  });
});
