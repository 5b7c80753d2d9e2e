import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopbackServer } from '../../../test/loopback-server.ts';
import { type PlainAnswer, plainRequest } from '../../../test/plain-request.ts';
import type { HostServer } from './server.ts';

const TOKEN = 'a-token-of-some-length-0123456789';

let server: HostServer;
let port: number;
let isReady: boolean;

beforeEach(async () => {
  isReady = true;
  server = loopbackServer(TOKEN, {
    isReady: () => isReady,
    accept: () => expect.unreachable('nothing here may be a connection'),
  });
  port = await server.start();
});

afterEach(() => server.stop());

const get = (path: string, headers?: Record<string, string>, method?: string): Promise<PlainAnswer> =>
  plainRequest(port, path, headers, method);

/** Reads until the other end closes. */
async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (data) => {
    text += String(data);
  });
  await once(socket, 'close');
  return text;
}

/** Sends the lines of a request and returns the answer. */
async function rawAnswer(lines: readonly string[]): Promise<string> {
  const raw = connect(port, '127.0.0.1');
  raw.write(`${lines.join('\r\n')}\r\n\r\n`);
  return textOf(raw);
}

describe('plain HTTP', () => {
  it('[AUTH-1] answers health checks without a token, and nothing else', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
    expect(await get('/readyz')).toMatchObject({ status: 200, body: 'ready\n' });
    isReady = false;
    expect(await get('/readyz')).toMatchObject({ status: 503 });
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    expect(await get('/healthz?verbose', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect(await get('/readyz/')).toMatchObject({ status: 404 });
  });

  it.each([
    ['/healthz', 'POST', 'GET, HEAD'],
    ['/readyz', 'DELETE', 'GET, HEAD'],
    ['/', 'PUT', 'GET, HEAD'],
    ['/?token=wrong', 'POST', 'GET, HEAD'],
    ['/sign-in', 'PATCH', 'GET, HEAD, POST'],
    ['/logout', 'GET', 'POST'],
    [`/ahp?token=${TOKEN}`, 'POST', 'GET, HEAD'],
  ])('lists the methods of %s when it gets %s', async (path, method, allow) => {
    expect(await get(path, {}, method)).toMatchObject({ status: 405, headers: { allow } });
  });

  it('[AUTH-1] answers other methods like GET when the token or the right Host is missing', async () => {
    expect(await get('/healthz', { host: 'evil.example' }, 'POST')).toMatchObject({ status: 403 });
    expect(await get('/ahp', {}, 'POST')).toMatchObject({ status: 401 });
    expect(await get('/other', {}, 'POST')).toMatchObject({ status: 404 });
  });

  it.each(['GET /healthz', 'GET /nothing', `GET /ahp?token=${TOKEN}`, 'POST /logout'])(
    'answers 400 to a request with two Host headers (%s)',
    async (line) => {
      const own = `Host: 127.0.0.1:${port}`;
      for (const second of [own, 'hOST: evil.example'])
        expect(await rawAnswer([`${line} HTTP/1.1`, own, second, 'Connection: close'])).toMatch(
          /^HTTP\/1\.1 400 /,
        );
    },
  );

  it.each([
    ['/healthz', /^HTTP\/1\.1 200 [^]*\r\n\r\nok\n$/],
    ['/', /^HTTP\/1\.1 200 [^]*<!doctype html>/i],
    ['', /^HTTP\/1\.1 200 [^]*<!doctype html>/i],
    ['/logout', /^HTTP\/1\.1 405 /],
    ['/nothing', /^HTTP\/1\.1 404 /],
  ])('uses the path of a whole address (%s)', async (path, answer) => {
    const lines = [
      `GET http://127.0.0.1:${port}${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Connection: close',
    ];
    expect(await rawAnswer(lines)).toMatch(answer);
  });

  it.each(['Content-Length: 1000000000', 'Transfer-Encoding: chunked'])(
    'ends a connection whose request goes on and on (%s)',
    async (length) => {
      const raw = connect(port, '127.0.0.1');
      raw.write(`POST /nothing HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${length}\r\n\r\n`);
      expect(await textOf(raw)).toMatch(/^HTTP\/1\.1 404 [^]*\r\nconnection: close\r\n/i);
    },
  );

  it('shows a page that says how to connect', async () => {
    const { status, body } = await get('/');
    expect(status).toBe(200);
    expect(body).toContain('/ahp');
    expect(body).not.toContain(TOKEN);
  });

  it("[AUTH-1] answers only under the host's own names", async () => {
    expect(await get('/healthz', { host: 'evil.example' })).toMatchObject({ status: 403 });
    const elsewhere = await get('/', { host: 'evil.example' });
    expect(elsewhere).toMatchObject({
      status: 403,
      body: expect.stringContaining('add it to the allowedHosts'),
    });
    expect(await get('/nothing')).toMatchObject({ status: 404 });
  });
});

/** The headers of an upgrade in a request written by hand. */
const UPGRADE_LINES = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

describe('an upgrade', () => {
  it('by another method than GET is answered with 405, and only with a valid token', async () => {
    const lines = (method: string, path: string): string[] => [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      ...UPGRADE_LINES,
    ];
    for (const method of ['POST', 'HEAD']) {
      expect(await rawAnswer(lines(method, `/ahp?token=${TOKEN}`))).toMatch(
        /^HTTP\/1\.1 405 [^]*\r\nallow: GET\r\n/i,
      );
      expect(await rawAnswer(lines(method, '/ahp'))).toMatch(/^HTTP\/1\.1 401 /);
      expect(await rawAnswer(lines(method, `/other?token=${TOKEN}`))).toMatch(/^HTTP\/1\.1 404 /);
    }
  });

  it('with two Host headers is answered 400', async () => {
    const own = `Host: 127.0.0.1:${port}`;
    for (const second of [own, 'Host: evil.example']) {
      const lines = [`GET /ahp?token=${TOKEN} HTTP/1.1`, own, second, ...UPGRADE_LINES];
      expect(await rawAnswer(lines)).toMatch(/^HTTP\/1\.1 400 /);
    }
  });
});
