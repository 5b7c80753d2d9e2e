import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopbackServer } from '../../../../test/loopback-server.ts';
import { type PlainAnswer, plainRequest } from '../../../../test/plain-request.ts';
import type { HostServer, ServerOptions } from '../server.ts';

const TOKEN = 'a-token-of-some-length-0123456789';
const NAVIGATION = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
const SCRIPT = 'console.log("a script")'.repeat(20);
const INDEX = `<!doctype html><base href="__BASE_PATH__"><style nonce="__CSP_NONCE__">a{}</style><meta nonce="__CSP_NONCE__">`;

let parent: string;
let folder: string;
let server: HostServer;
let port: number;
let pageHosts: readonly string[];

async function startServer(options: Partial<ServerOptions> = {}): Promise<void> {
  server = loopbackServer(TOKEN, { page: { folder, pageHosts: () => pageHosts }, ...options });
  port = await server.start();
}

async function restart(options: Partial<ServerOptions>): Promise<void> {
  await server.stop();
  await startServer(options);
}

beforeEach(async () => {
  pageHosts = [];
  parent = mkdtempSync(join(tmpdir(), 'agenthost-page-'));
  folder = join(parent, 'page');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, 'index.html'), INDEX);
  writeFileSync(join(folder, 'sw.js'), 'self.x = 1');
  writeFileSync(join(folder, 'manifest.webmanifest'), '{}');
  writeFileSync(join(folder, 'secret'), 'no ending');
  writeFileSync(join(folder, '.env.js'), 'hidden');
  writeFileSync(join(folder, '.git/config.txt'), 'hidden');
  writeFileSync(join(folder, 'assets/app-a1B_.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/app-a1B_.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets/app-a1B_.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets/style.css'), 'a{}');
  writeFileSync(join(parent, 'outside.js'), 'outside');
  symlinkSync(join(parent, 'outside.js'), join(folder, 'assets/link.js'));
  symlinkSync(parent, join(folder, 'assets/up'));
  await startServer();
});

afterEach(async () => {
  await server.stop();
  rmSync(parent, { recursive: true });
});

const get = (path: string, headers?: Record<string, string>, method?: string): Promise<PlainAnswer> =>
  plainRequest(port, path, headers, method);

/** Sends a request whose path a client would not send, and returns the answer. */
function raw(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  });
}

const policyOf = ({ headers }: PlainAnswer): string => String(headers['content-security-policy']);

describe('the index of the web page', () => {
  it('is served without a token at /, and for document navigations to routes', async () => {
    for (const path of ['/', '/?x=1', '/index.html']) {
      const answer = await get(path);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.body).toContain('<base href="/">');
    }
    for (const path of ['/s/abc', '/s/a%2Fb?turn=1', '/settings']) {
      expect(await get(path, NAVIGATION)).toMatchObject({ status: 200 });
      expect(await get(path, { accept: 'text/html,*/*' })).toMatchObject({ status: 200 });
    }
  });

  it('is served for no other request', async () => {
    const ofScript = { 'sec-fetch-dest': 'empty', accept: 'text/html' };
    expect(await get('/s/abc')).toMatchObject({ status: 404 });
    expect(await get('/s/abc', ofScript)).toMatchObject({ status: 404 });
    expect(await get('/s/abc', NAVIGATION, 'POST')).toMatchObject({ status: 404 });
    for (const path of ['/missing.js', '/assets/missing', '/assets/', '/robots.txt'])
      expect(await get(path, NAVIGATION), path).toMatchObject({ status: 404 });
    expect(await get('/ahp', NAVIGATION)).toMatchObject({ status: 401 });
    expect(await get('/healthz', NAVIGATION)).toMatchObject({ status: 200, body: 'ok\n' });
    expect(await get('/logout', NAVIGATION)).toMatchObject({ status: 405 });
    expect(await get('/', NAVIGATION, 'POST')).toMatchObject({ status: 405 });
  });

  it('has a fresh nonce in each answer, in its policy and in its text, and is in no cache', async () => {
    const answers = [await get('/'), await get('/')];
    const nonces = answers.map((answer) => {
      const nonce = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policyOf(answer))?.[1];
      expect(answer.body.match(new RegExp(`nonce="${nonce}"`, 'g'))).toHaveLength(2);
      expect(answer.body).not.toContain('__');
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      });
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('has a policy without unsafe sources that names the own socket and the hosts of the setting', async () => {
    pageHosts = ['https://other.example', 'http://10.0.0.2:4711'];
    const policy = policyOf(await get('/'));
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      expect.stringMatching(/^style-src 'self' 'nonce-[\w-]{22}'$/),
      "img-src 'self' data: blob:",
      "font-src 'self'",
      `connect-src 'self' ws://127.0.0.1:${port} wss://127.0.0.1:${port} https://other.example wss://other.example http://10.0.0.2:4711 ws://10.0.0.2:4711`,
      "worker-src 'self'",
      "manifest-src 'self'",
      "frame-src 'self'",
      "base-uri 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types agenthost',
    ]);
  });

  it('names the base path', async () => {
    await restart({ basePath: '/agents' });
    for (const path of ['/agents', '/agents/', '/', '/agents/s/x'])
      expect((await get(path, NAVIGATION)).body).toContain('<base href="/agents/">');
    expect(await get('/agents/assets/style.css')).toMatchObject({ status: 200, body: 'a{}' });
    expect(await get('/agents/healthz')).toMatchObject({ status: 200 });
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    expect(await get('/agentsx')).toMatchObject({ status: 404 });
  });

  it('says what to do when the files are missing', async () => {
    rmSync(join(folder, 'index.html'));
    expect(await get('/')).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') });
  });
});

describe('a file of the web page', () => {
  it('for the views of MCP servers may be in a frame of the page, where it reaches nothing', async () => {
    writeFileSync(join(folder, 'mcp-view.html'), '<script></script>');
    const answer = await get('/mcp-view.html');
    expect(answer.headers['x-frame-options']).toBeUndefined();
    const directives = policyOf(answer).split('; ');
    expect(directives).toContain('sandbox allow-scripts');
    expect(directives).toContain("default-src 'none'");
    expect(directives).toContain("frame-ancestors 'self'");
    expect(directives.join()).not.toMatch(/https?:|\*|'self'.*'self'|connect-src|frame-src/);
    expect((await get('/')).headers['x-frame-options']).toBe('DENY');
  });

  it('[MCP-2] lets a view reach the origins of its query, but no host, and no other policy', async () => {
    writeFileSync(join(folder, 'mcp-view.html'), '<script></script>');
    pageHosts = ['https://other.example.net:8443'];
    await restart({ allowedHosts: ['agents.example.net'] });
    const directives = async (query: string): Promise<string[]> =>
      policyOf(await get(`/mcp-view.html?${query}`, { host: 'agents.example.net' })).split('; ');
    const plain = await directives('');
    const opened = await directives('connect=wss://live.example.org&resource=https://*.example.org');
    expect(opened).toContain('connect-src wss://live.example.org');
    expect(opened).toContain("script-src 'unsafe-inline' https://*.example.org");
    expect(opened).toContain('img-src data: blob: https://*.example.org');
    expect(opened).toContain('sandbox allow-scripts');
    for (const domain of [
      'https://agents.example.net',
      'https://*.example.net',
      'https://AGENTS.example.net:444',
      'https://other.example.net',
      "'self'",
      'https://a.example.org;script-src *',
      'https://a.example.org\r\nx: y',
      'http://a.example.org',
    ]) {
      const query = new URLSearchParams({ connect: domain, resource: domain });
      expect(await directives(query.toString()), domain).toEqual(plain);
    }
  });

  it('in assets is immutable, and compressed as the client accepts it', async () => {
    const path = '/assets/app-a1B_.js';
    const plain = await get(path);
    expect(plain).toMatchObject({ status: 200, body: SCRIPT });
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': String(SCRIPT.length),
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    });
    const encodingOf = async (accepted: string): Promise<unknown> =>
      (await get(path, { 'accept-encoding': accepted })).headers['content-encoding'];
    expect(await encodingOf('gzip, deflate, br, zstd')).toBe('br');
    expect(await encodingOf('gzip, br;q=0')).toBe('gzip');
    expect(await encodingOf('GZIP;q=0.5')).toBe('gzip');
    expect(await encodingOf('br;q=0.000, gzip;q=0')).toBeUndefined();
    expect(await encodingOf('identity')).toBeUndefined();
    const style = await get('/assets/style.css', { 'accept-encoding': 'br' });
    expect([style.headers['content-encoding'], style.body]).toEqual([undefined, 'a{}']);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'accept-encoding': 'br' } });
    expect(await response.text()).toBe(SCRIPT);
    expect(brotliDecompressSync(brotliCompressSync(SCRIPT)).toString()).toBe(SCRIPT);
  });

  it('elsewhere is validated at each use, and not sent again while it is the same', async () => {
    const first = await get('/manifest.webmanifest');
    expect(first.headers).toMatchObject({
      'content-type': 'application/manifest+json; charset=utf-8',
      'cache-control': 'no-cache',
    });
    const etag = String(first.headers.etag);
    const again = await get('/manifest.webmanifest', { 'if-none-match': `"x", W/${etag}` });
    expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag]);
    writeFileSync(join(folder, 'manifest.webmanifest'), '{"name":1}');
    const changed = await get('/manifest.webmanifest', { 'if-none-match': etag });
    expect(changed).toMatchObject({ status: 200, body: '{"name":1}' });
  });

  it('has other validators for its compressed forms', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(
        async (accepted) => (await get('/assets/app-a1B_.js', { 'accept-encoding': accepted })).headers.etag,
      ),
    );
    expect(new Set(tags).size).toBe(3);
  });

  it('is not sent for HEAD, and other methods are refused', async () => {
    const head = await get('/assets/style.css', {}, 'HEAD');
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '3']);
    expect(await get('/assets/style.css', {}, 'POST')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });

  it('has a policy for workers without unsafe sources', async () => {
    await restart({ basePath: '/agents' });
    const worker = await get('/agents/sw.js');
    expect(worker.headers).toMatchObject({
      'service-worker-allowed': '/agents/',
      'cache-control': 'no-cache',
    });
    expect(policyOf(worker)).toContain(`connect-src 'self' ws://127.0.0.1:${port}`);
    expect(policyOf(worker)).not.toMatch(/unsafe|nonce|trusted/);
  });

  it.each([
    '/../outside.js',
    '/assets/../../outside.js',
    '/assets/%2e%2e/%2e%2e/outside.js',
    '/assets/..%2f..%2foutside.js',
    '/assets/..%5c..%5coutside.js',
    '/assets/..\\..\\outside.js',
    '/assets//../../outside.js',
    '//outside.js',
    '/assets/link.js',
    '/assets/up/outside.js',
    '/.env.js',
    '/.git/config.txt',
    '/assets/./style.css',
    '/assets/style.css%00.js',
    '/assets/style.css\u0000.js',
    '/assets/%73tyle.css',
    '/assets/app-a1B_.js.br',
    '/assets/app-a1B_.js/',
    '/assets/style.css/x.css',
    '/assets',
    '/secret',
    `/assets/${'a'.repeat(5_000)}.js`,
    '/%',
    '/%c0%ae%c0%ae/outside.js',
  ])('that has a hostile path is not sent: %s', async (path) => {
    const answer = await raw(path);
    expect(answer).toMatch(/^HTTP\/1\.1 (?:404|400) /);
    expect(answer).not.toMatch(/outside$|hidden|no ending|a\{\}$/);
  });

  it('is refused under a foreign name', async () => {
    expect(await get('/assets/style.css', { host: 'evil.example' })).toMatchObject({ status: 403 });
    expect(await get('/', { host: 'evil.example' })).toMatchObject({ status: 403 });
  });

  it('of a length above the limit is not sent', async () => {
    writeFileSync(join(folder, 'assets/long.js'), Buffer.alloc(8 * 1024 * 1024 + 1));
    expect(await get('/assets/long.js')).toMatchObject({ status: 404 });
  });
});

it('a host without a page has only its status page', async () => {
  await restart({ page: undefined });
  expect((await get('/')).body).toContain('agenthost is running');
  expect(await get('/s/abc', NAVIGATION)).toMatchObject({ status: 404 });
  expect(await get('/assets/style.css')).toMatchObject({ status: 404 });
});
