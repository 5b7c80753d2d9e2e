import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectClient } from '@agenthost/client';
import { type AnyMethods, Peer } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import { SimulatedClock } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { loopbackServer } from '../../../test/loopback-server.ts';
import { type PlainAnswer, plainRequest } from '../../../test/plain-request.ts';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { Gate } from '../../auth/gate.ts';
import { GuessLimit } from '../../auth/guess-limit.ts';
import { silentLog } from '../../lib/log.ts';
import { ReadThrottle, throttled } from '../connection/read-throttle.ts';
import { HostServer, type ServerOptions } from './server.ts';

const TOKEN = 'a-token-of-some-length-0123456789';

let server: HostServer;
let port: number;
let isRevoked: boolean;
let gate: Gate;
let now = 0;
const accepted: { transport: ServerTransport; identity: TokenIdentity }[] = [];
const sockets: WebSocket[] = [];

/** A gate with the owner's token and an `observe` token. */
function newGate(): Gate {
  const guesses = new GuessLimit({ now: () => now }, () => undefined);
  const tokens = {
    identify: (secret: string) =>
      secret === 'of-an-observer' ? ({ tokenHash: 'o', scope: 'observe' } as const) : undefined,
    isValid: () => !isRevoked,
  };
  return new Gate({ ownerToken: TOKEN, tokens, guesses, clock: { now: () => now } });
}

async function startServer(options: Partial<ServerOptions> = {}): Promise<void> {
  server = new HostServer({
    host: '127.0.0.1',
    port: 0,
    gate,
    allowedOrigins: ['https://allowed.example'],
    allowedHosts: ['allowed.example'],
    log: silentLog,
    isReady: () => true,
    accept: (transport, identity) => void accepted.push({ transport, identity }),
    ...options,
  });
  port = await server.start();
}

beforeEach(async () => {
  isRevoked = false;
  gate = newGate();
  await startServer();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  accepted.splice(0);
  await server.stop();
});

/** The outcome of an upgrade: `open`, or the status of the refusal. */
async function upgrade(
  path = `/ahp?token=${TOKEN}`,
  headers: Record<string, string> = {},
): Promise<number | 'open'> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
  sockets.push(socket);
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (sent, response) => {
      response.resume();
      sent.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', reject);
  });
}

function firstSocket(): WebSocket {
  const [socket] = sockets;
  if (socket === undefined) throw new Error('there is no connection');
  return socket;
}

const get = (path: string, headers?: Record<string, string>, method?: string): Promise<PlainAnswer> =>
  plainRequest(port, path, headers, method);

describe('the upgrade', () => {
  it('[AUTH-1] accepts the token in a header, in the query or in a cookie', async () => {
    expect(await upgrade('/ahp', { authorization: `Bearer ${TOKEN}` })).toBe('open');
    expect(await upgrade(`/ahp?token=${TOKEN}`)).toBe('open');
    expect(await upgrade('/ahp', { cookie: `other=1; agenthost_token_${port}=${TOKEN}` })).toBe('open');
    expect(accepted).toHaveLength(3);
    expect(accepted.every(({ identity }) => identity.scope === 'admin')).toBe(true);
    // The log never has the token.
    expect(JSON.stringify(accepted.map(({ identity }) => identity))).not.toContain(TOKEN);
  });

  it('[AUTH-1] without a valid token is refused with 401, before any message of the protocol', async () => {
    expect(await upgrade('/ahp')).toBe(401);
    expect(await upgrade('/ahp?token=')).toBe(401);
    expect(await upgrade('/ahp?token=wrong')).toBe(401);
    expect(await upgrade('/ahp', { authorization: `Bearer ${TOKEN}x` })).toBe(401);
    expect(await upgrade('/ahp', { authorization: `Basic ${TOKEN}` })).toBe(401);
    expect(accepted).toHaveLength(0);
  });

  it('[AUTH-1] by a page of another origin is refused with 403, with a valid token too', async () => {
    const path = `/ahp?token=${TOKEN}`;
    expect(await upgrade(path, { origin: 'https://evil.example' })).toBe(403);
    expect(await upgrade(path, { origin: 'null' })).toBe(403);
    expect(await upgrade(path, { origin: `http://127.0.0.1:${port + 1}` })).toBe(403);
    expect(await upgrade(path, { origin: `http://127.0.0.1:${port}` })).toBe('open');
    expect(await upgrade(path, { origin: `http://localhost:${port}` })).toBe('open');
    expect(await upgrade(path, { origin: 'https://allowed.example' })).toBe('open');
  });

  it('[AUTH-1] by the page of an editor needs the token in the address', async () => {
    const origin = 'vscode-file://vscode-app';
    expect(await upgrade(`/?tkn=${TOKEN}`, { origin })).toBe('open');
    expect(await upgrade('/?tkn=wrong', { origin })).toBe(401);
    expect(await upgrade('/', { origin, authorization: `Bearer ${TOKEN}` })).toBe(403);
    expect(await upgrade('/', { origin, cookie: `agenthost_token_${port}=${TOKEN}` })).toBe(403);
    expect(await upgrade(`/?tkn=${TOKEN}`, { origin: 'vscode-file://evil' })).toBe(403);
  });

  it('[VSC-1] takes the token of VS Code from `tkn`', async () => {
    expect(await upgrade(`/?tkn=${TOKEN}`)).toBe('open');
    expect(await upgrade('/?tkn=wrong')).toBe(401);
  });

  it("[AUTH-1] under a name that is not the host's is refused with 403", async () => {
    const path = `/ahp?token=${TOKEN}`;
    expect(await upgrade(path, { host: 'evil.example' })).toBe(403);
    expect(await upgrade(path, { host: `evil.example:${port}` })).toBe(403);
    expect(await upgrade(path, { host: `localhost:${port}` })).toBe('open');
    expect(await upgrade(path, { host: `[::1]:${port}` })).toBe('open');
    expect(await upgrade(path, { host: 'allowed.example' })).toBe('open');
  });

  it('[AUTH-1] accepts the name that a host on all addresses announces, with its port only', async () => {
    const path = `/ahp?token=${TOKEN}`;
    for (const [announcedHost, name] of [
      ['machine1', () => `machine1:${port}`],
      ['machine1:32000', () => 'machine1:32000'],
    ] as const) {
      await server.stop();
      await startServer({ host: '0.0.0.0', announcedHost });
      expect(await upgrade(path, { host: name() })).toBe('open');
      expect(await upgrade(path, { host: 'machine1:1' })).toBe(403);
      expect(await upgrade(path, { host: `other:${port}` })).toBe(403);
    }
  });

  it('[WIRE-1] is served at /ahp and /, and nowhere else', async () => {
    expect(await upgrade(`/?token=${TOKEN}`)).toBe('open');
    expect(await upgrade(`/other?token=${TOKEN}`)).toBe(404);
    expect(await upgrade(`/ahp/x?token=${TOKEN}`)).toBe(404);
    // A client without a token does not learn which paths exist.
    expect(await upgrade('/other')).toBe(401);
  });

  it('above a limit is refused with 503, and the answer names the limit', async () => {
    await server.stop();
    await startServer({ refusalFor: ({ scope }) => (scope === 'observe' ? 'two is the most' : undefined) });
    expect(await upgrade('/ahp?token=of-an-observer')).toBe(503);
    expect(await upgrade('/ahp?token=wrong')).toBe(401);
    expect(await upgrade()).toBe('open');
  });

  it('[AUTH-1] by a plain request gets the answer that the upgrade would get', async () => {
    expect(await get('/ahp')).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect((await get('/ahp?token=wrong')).body).toBe(
      'a valid token is required: this one is wrong, or was revoked or has expired\n',
    );
    const would = await get(`/ahp?token=${TOKEN}`);
    expect(would).toMatchObject({ status: 426, headers: { upgrade: 'websocket' } });
    expect(would.body).toMatch(/WebSocket: connect with ws:/);
    expect(await get('/other')).toMatchObject({ status: 404, body: expect.stringContaining('at /ahp') });
  });

  it('that is refused tells the client library the reason', async () => {
    await server.stop();
    await startServer({ refusalFor: ({ scope }) => (scope === 'observe' ? 'two is the most' : undefined) });
    const refusedWith = async (path: string, token?: string): Promise<unknown> =>
      connectClient(`http://127.0.0.1:${port}${path}`, token === undefined ? {} : { token }).catch(
        (error: unknown) => error,
      );
    expect(await refusedWith('', 'of-an-observer')).toMatchObject({
      name: 'CannotConnect',
      refusal: { status: 503, reason: 'two is the most' },
    });
    expect(await refusedWith('')).toMatchObject({
      name: 'Unauthorized',
      refusal: { status: 401, reason: expect.stringContaining('a token is required') },
    });
    expect(await refusedWith('/other', TOKEN)).toMatchObject({
      name: 'Unauthorized',
      refusal: { status: 404, reason: expect.stringContaining('/ahp') },
    });
    for (let count = 0; count < 20; count += 1) await upgrade('/ahp?token=wrong');
    expect(await refusedWith('', 'wrong')).toMatchObject({
      name: 'CannotConnect',
      refusal: { status: 429, reason: 'too many wrong tokens came from here: wait 2 s' },
    });
  });

  it('that is aborted does no harm', async () => {
    const raw = connect(port, '127.0.0.1');
    await once(raw, 'connect');
    raw.write('GET /ahp HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    raw.resetAndDestroy();
    expect(await upgrade()).toBe('open');
  });
});

describe('guessing', () => {
  it('[AUTH-1] is answered with 429 after some attempts, and the right token is still accepted', async () => {
    for (let count = 0; count < 20; count += 1) expect(await upgrade('/ahp?token=wrong')).toBe(401);
    expect(await upgrade('/ahp?token=wrong')).toBe(429);
    expect(await get('/?token=wrong')).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
    expect(await upgrade()).toBe('open');
    expect(await upgrade('/ahp?token=of-an-observer')).toBe('open');
    // No guess was counted.
    expect(await upgrade('/ahp')).toBe(429);
    now += 2_000;
    expect(await upgrade('/ahp')).toBe(401);
    expect(await upgrade('/ahp?token=wrong')).toBe(401);
    expect(await upgrade('/ahp?token=wrong')).toBe(429);
  });

  it('[AUTH-1] delays a token that could be guessed by at most two seconds', async () => {
    await server.stop();
    const tokens = { identify: () => undefined, isValid: () => false };
    const guesses = new GuessLimit({ now: () => now }, () => undefined);
    await startServer({
      gate: new Gate({ ownerToken: 'short', tokens, guesses, clock: { now: () => now } }),
    });
    for (let count = 0; count < 25; count += 1) await upgrade('/ahp?token=wrong');
    expect(await upgrade('/ahp?token=short')).toBe(429);
    now += 2_000;
    expect(await upgrade('/ahp?token=short')).toBe('open');
  });
});

describe('a browser', () => {
  const cookieOf = ({ headers }: PlainAnswer): string => String(headers['set-cookie']).split(';')[0] ?? '';

  it('[AUTH-1] exchanges the token in the URL for a cookie that no script, site or other port can read', async () => {
    const answer = await get(`/?token=${TOKEN}`);
    expect(answer.status).toBe(303);
    expect(answer.headers).toMatchObject({
      location: '/',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'set-cookie': [
        expect.stringMatching(
          new RegExp(
            `^agenthost_token_${port}=ahs_[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=7776000$`,
          ),
        ),
      ],
    });
    // The cookie is not the token.
    expect(JSON.stringify(answer.headers)).not.toContain(TOKEN);
    expect(answer.body).not.toContain(TOKEN);
    const cookie = cookieOf(answer);
    expect(await upgrade('/ahp', { cookie })).toBe('open');
    const page = await get('/', { cookie });
    // A page without a referrer sends its forms with a null origin.
    expect(page.headers).toMatchObject({ 'referrer-policy': 'same-origin' });
    expect(page.body).toContain('do everything');
    expect(page.body).not.toContain(TOKEN);
  });

  it('[AUTH-1] learns only the scope of its cookie, and loses the cookie by signing out', async () => {
    const cookie = cookieOf(await get('/?token=of-an-observer'));
    expect((await get('/', { cookie })).body).toContain('look at everything');
    const page = await get('/');
    expect(page.body).not.toContain('signed in');
    const out = await get('/logout', { cookie }, 'POST');
    expect(out.status).toBe(303);
    expect(String(out.headers['set-cookie'])).toMatch(/^agenthost_token_\d+=; .*; Max-Age=0$/);
    expect(await get('/logout', { cookie })).toMatchObject({ status: 405 });
    // A copy of the cookie is invalid too.
    expect(await upgrade('/ahp', { cookie })).toBe(401);
  });

  it('[AUTH-1] is signed out when its token is revoked, and has the scope of the token until then', async () => {
    const cookie = cookieOf(await get('/?token=of-an-observer'));
    expect(await upgrade('/ahp', { cookie })).toBe('open');
    expect(accepted.at(-1)?.identity).toMatchObject({ tokenHash: 'o', scope: 'observe' });
    isRevoked = true;
    expect(await upgrade('/ahp', { cookie })).toBe(401);
  });

  it('[AUTH-1] gets no cookie for a wrong token, and the cookie of another port is ignored', async () => {
    const answer = await get('/?token=wrong');
    expect(answer.status).toBe(401);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(await upgrade('/ahp', { cookie: `agenthost_token_${port + 1}=${TOKEN}` })).toBe(401);
    expect(await upgrade('/ahp', { cookie: `agenthost_token=${TOKEN}` })).toBe(401);
  });

  it('[AUTH-1] is not signed out by a page of another origin', async () => {
    const headers = { origin: 'https://evil.example', cookie: `agenthost_token_${port}=${TOKEN}` };
    expect(await get('/logout', headers, 'POST')).toMatchObject({ status: 403 });
  });
});

describe('a connection', () => {
  it('[WIRE-1] carries the protocol', async () => {
    await upgrade();
    const [connection] = accepted;
    if (connection === undefined) throw new Error('nothing was accepted');
    const peer = new Peer<AnyMethods, AnyMethods>(connection.transport);
    peer.handle('ping', () => null);
    peer.start();
    const socket = firstSocket();
    const answer = once(socket, 'message');
    socket.send('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"channel":"ahp-root://"}}');
    expect(String((await answer)[0])).toBe('{"jsonrpc":"2.0","id":1,"result":null}');
  });

  it('closes with 1009 when a frame is too long', async () => {
    await server.stop();
    await startServer({ maxFrameBytes: 1_000 });
    await upgrade();
    accepted[0]?.transport.start({ onFrame: () => undefined, onClose: () => undefined });
    const socket = firstSocket();
    const closed = once(socket, 'close');
    socket.send('x'.repeat(1_001));
    expect((await closed)[0]).toBe(1009);
    expect(await upgrade()).toBe('open');
  });
});

describe('a connection of an `observe` token', () => {
  it('accepts frames of 128 KiB, and closes with 1009 when one is longer', async () => {
    expect(await upgrade('/ahp?token=of-an-observer')).toBe('open');
    const frames: string[] = [];
    accepted[0]?.transport.start({ onFrame: (frame) => frames.push(frame), onClose: () => undefined });
    const socket = firstSocket();
    const closed = once(socket, 'close');
    socket.send('x'.repeat(128 * 1_024));
    socket.send('x'.repeat(128 * 1_024 + 1));
    expect((await closed)[0]).toBe(1009);
    expect(frames.map(({ length }) => length)).toEqual([128 * 1_024]);
  });
});

describe('a flood', () => {
  it('is read at the limited rate: no message is lost, and no connection is closed', async () => {
    await upgrade();
    const [connection] = accepted;
    if (connection === undefined) throw new Error('nothing was accepted');
    const { transport } = connection;
    const clock = new SimulatedClock();
    let isPaused = false;
    const throttle = new ReadThrottle({
      transport: {
        pause: () => {
          isPaused = true;
          transport.pause?.();
        },
        resume: () => {
          isPaused = false;
          transport.resume?.();
        },
      },
      clock,
      timers: clock,
      perSecond: () => 10_000,
    });
    const socket = firstSocket();
    const count = 100_000;
    const read: string[] = [];
    throttled(transport, throttle).start({ onFrame: (frame) => read.push(frame), onClose: () => undefined });
    for (let index = 0; index < count; index += 1) socket.send(String(index));
    let waitedMs = 0;
    while (read.length < count) {
      if (isPaused) {
        await clock.advance(100);
        waitedMs += 100;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(read).toEqual(Array.from({ length: count }, (_, index) => String(index)));
    // 40,000 at once, and the rest at 10,000 per second, except for messages that were on their way when reading paused.
    expect(waitedMs).toBeGreaterThan(3_000);
    expect(waitedMs).toBeLessThanOrEqual(6_500);
    throttle.end();
  });
});

describe('the end', () => {
  it('does not wait for a client that does not answer the close', async () => {
    const raw = connect(port, '127.0.0.1');
    await once(raw, 'connect');
    raw.write(
      [
        `GET /ahp?token=${TOKEN} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        '\r\n',
      ].join('\r\n'),
    );
    await once(raw, 'data');
    // From here on the client neither reads nor writes.
    raw.pause();
    accepted[0]?.transport.close(1001, 'stopping');
    const before = performance.now();
    await server.stop();
    expect(performance.now() - before).toBeLessThan(8_000);
    raw.destroy();
    await startServer();
  });

  it('rejects with EADDRINUSE for a port in use', async () => {
    const other = loopbackServer(TOKEN, { port });
    await expect(other.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
