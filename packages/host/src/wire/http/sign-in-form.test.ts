import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopbackServer } from '../../../test/loopback-server.ts';
import { type PlainAnswer, plainRequest } from '../../../test/plain-request.ts';
import { Gate } from '../../auth/gate.ts';
import { GuessLimit } from '../../auth/guess-limit.ts';
import type { HostServer, ServerOptions } from './server.ts';

const TOKEN = 'a-token-of-some-length-0123456789';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const BY_FETCH = { ...FORM, accept: 'application/json', 'sec-fetch-site': 'same-origin' };

let now: number;
let isRevoked: boolean;
let server: HostServer;
let port: number;

async function startServer(options: Partial<ServerOptions> = {}): Promise<void> {
  const clock = { now: () => now };
  const gate = new Gate({
    ownerToken: TOKEN,
    clock,
    guesses: new GuessLimit(clock, () => undefined),
    tokenPath: '/srv/agenthost/owner-token',
    tokens: {
      identify: (secret) => (secret === 'of-an-observer' ? { tokenHash: 'o', scope: 'observe' } : undefined),
      isValid: () => !isRevoked,
    },
  });
  const allowed = { allowedHosts: ['agents.example'], allowedOrigins: ['https://allowed.example'] };
  server = loopbackServer(TOKEN, { gate, version: '1.2.3', ...allowed, ...options });
  port = await server.start();
}

beforeEach(async () => {
  now = 0;
  isRevoked = false;
  await startServer();
});

afterEach(() => server.stop());

/** Sends a form to `/sign-in`. */
async function post(
  body: string,
  headers: Record<string, string> = BY_FETCH,
  path = '/sign-in',
): Promise<PlainAnswer> {
  const sent = request({ host: '127.0.0.1', port, path, headers, method: 'POST', agent: false });
  sent.setHeader('content-length', Buffer.byteLength(body));
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, body: text, headers: response.headers };
}

const cookieOf = ({ headers }: PlainAnswer): string => String(headers['set-cookie']).split(';')[0] ?? '';

async function stateOf(headers: Record<string, string> = {}): Promise<unknown> {
  return JSON.parse((await plainRequest(port, '/sign-in/state', headers)).body);
}

describe('the sign-in form', () => {
  it('[AUTH-1] exchanges a token for a cookie', async () => {
    const answer = await post(`token=${TOKEN}`);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { ok: true, scope: 'admin' }]);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^agenthost_token_\d+=ahs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/,
      ),
    ]);
    expect(await stateOf({ cookie: cookieOf(answer) })).toMatchObject({ signedIn: true, scope: 'admin' });
  });

  it('[AUTH-1] sends a browser without scripts to the page', async () => {
    const { accept: _, ...headers } = BY_FETCH;
    const answer = await post('token=of-an-observer', headers);
    expect([answer.status, answer.headers.location]).toEqual([303, '/']);
    expect(cookieOf(answer)).toContain('=ahs_');
    const wrong = await post('token=wrong', headers);
    expect(wrong).toMatchObject({ status: 401, body: expect.stringContaining('a valid token is required') });
  });

  it('[AUTH-1] ends the sign-in that it replaces', async () => {
    const first = await post('token=of-an-observer');
    const second = await post(`token=${TOKEN}`, { ...BY_FETCH, cookie: cookieOf(first) });
    expect(await stateOf({ cookie: cookieOf(first) })).toMatchObject({ signedIn: false });
    expect(await stateOf({ cookie: cookieOf(second) })).toMatchObject({ signedIn: true, scope: 'admin' });
  });

  it('[AUTH-1] says why a token is refused, and how long to wait after many wrong ones', async () => {
    const none = await post('token=');
    expect([none.status, JSON.parse(none.body)]).toEqual([
      401,
      { ok: false, reason: expect.stringContaining('a token is required'), waitMs: 0 },
    ]);
    for (let count = 0; count < 20; count += 1)
      expect(await post('token=wrong')).toMatchObject({ status: 401 });
    const wait = await post('token=wrong');
    expect([wait.status, wait.headers['retry-after'], JSON.parse(wait.body)]).toEqual([
      429,
      '2',
      { ok: false, reason: 'too many wrong tokens came from here: wait 2 s', waitMs: 2_000 },
    ]);
    expect(wait.headers['set-cookie']).toBeUndefined();
    now += 2_000;
    expect(await post(`token=${TOKEN}`)).toMatchObject({ status: 200 });
  });

  it.each([
    { ...BY_FETCH, 'sec-fetch-site': 'cross-site' },
    { ...BY_FETCH, 'sec-fetch-site': 'same-site' },
    { ...FORM, origin: 'https://evil.example' },
    { ...FORM, origin: 'null' },
    // Such pages may connect with a token of their own, but not sign the browser in.
    { ...FORM, origin: 'https://allowed.example' },
  ])('[AUTH-1] is refused to other pages: %j', async (headers) => {
    const answer = await post(`token=${TOKEN}`, headers);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });

  it('[AUTH-1] accepts the own page in a browser that tells only the origin', async () => {
    const headers = { ...FORM, accept: 'application/json' };
    const own = { ...headers, origin: `http://127.0.0.1:${port}` };
    expect(await post(`token=${TOKEN}`, own)).toMatchObject({ status: 200 });
  });

  it('reads only short bodies of forms', async () => {
    expect(await post(`token=${'x'.repeat(5_000)}`)).toMatchObject({ status: 413 });
    expect(
      await post(`{"token":"${TOKEN}"}`, { ...BY_FETCH, 'content-type': 'application/json' }),
    ).toMatchObject({
      status: 415,
    });
  });

  it('[AUTH-1] takes a body that arrives in pieces, and reads no further request of the connection', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const head = [
      'POST /sign-in HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Content-Type: ${FORM['content-type']}`,
    ];
    const body = `token=${TOKEN}`;
    socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`);
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(`${body.slice(9)}GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 303 /);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('the state of the sign-in', () => {
  it('[AUTH-1] tells this machine where the token is, and no scope without a sign-in', async () => {
    expect(await stateOf()).toEqual({
      signedIn: false,
      tokenPlace: "the owner's token is in /srv/agenthost/owner-token",
      version: '1.2.3',
    });
  });

  it('[AUTH-1] tells no path to a client behind a proxy', async () => {
    for (const header of ['x-forwarded-for', 'forwarded'])
      expect(JSON.stringify(await stateOf({ [header]: '127.0.0.1' }))).not.toContain('/srv');
    await server.stop();
    await startServer({ proxies: [] });
    expect(JSON.stringify(await stateOf({ 'x-forwarded-for': '192.0.2.7' }))).not.toContain('/srv');
  });

  it('[AUTH-1] ends with the token, and a stale cookie is no guess', async () => {
    const cookie = cookieOf(await post('token=of-an-observer'));
    expect(await stateOf({ cookie })).toMatchObject({ signedIn: true, scope: 'observe' });
    isRevoked = true;
    for (let count = 0; count < 30; count += 1)
      expect(await stateOf({ cookie })).toMatchObject({ signedIn: false });
    expect(await post('token=wrong')).toMatchObject({ status: 401 });
  });

  it('[AUTH-1] is not told to other pages', async () => {
    for (const site of ['cross-site', 'same-site'])
      expect(await plainRequest(port, '/sign-in/state', { 'sec-fetch-site': site })).toMatchObject({
        status: 403,
      });
    const origin = 'https://evil.example';
    expect(await plainRequest(port, '/sign-in/state', { origin })).toMatchObject({ status: 403 });
  });
});

it.each(['cross-site', 'same-site'])(
  '[AUTH-1] another page (%s) cannot sign the browser out',
  async (site) => {
    const out = await plainRequest(port, '/logout', { 'sec-fetch-site': site }, 'POST');
    expect([out.status, out.headers['set-cookie']]).toEqual([403, undefined]);
  },
);

it('[AUTH-1] a script signs out without a redirect', async () => {
  const cookie = cookieOf(await post(`token=${TOKEN}`));
  const out = await plainRequest(port, '/logout', { cookie, accept: 'application/json' }, 'POST');
  expect([out.status, JSON.parse(out.body)]).toEqual([200, { ok: true }]);
  expect(String(out.headers['set-cookie'])).toContain('Max-Age=0');
  expect(await stateOf({ cookie })).toMatchObject({ signedIn: false });
});

describe('behind a trusted proxy', () => {
  const FORWARDED = {
    'x-forwarded-host': 'agents.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '192.0.2.7',
    'x-forwarded-prefix': '/agents',
  };

  beforeEach(async () => {
    await server.stop();
    await startServer({ proxies: [] });
  });

  it('[AUTH-1] the cookie is secure and bound to the base path, and redirects lead below it', async () => {
    const { accept: _, ...headers } = BY_FETCH;
    const answer = await post(`token=${TOKEN}`, {
      ...headers,
      ...FORWARDED,
      origin: 'https://agents.example',
    });
    expect([answer.status, answer.headers.location]).toEqual([303, '/agents/']);
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^__Secure-agenthost_token=ahs_[\w-]+; Path=\/agents; HttpOnly; SameSite=Strict; Secure; Max-Age=7776000$/,
    );
    expect(await stateOf({ ...FORWARDED, cookie: cookieOf(answer) })).toMatchObject({ signedIn: true });
    const link = await plainRequest(port, `/?token=${TOKEN}`, FORWARDED);
    expect(link.headers.location).toBe('/agents/');
  });

  it('[AUTH-1] without a base path the cookie is bound to the host', async () => {
    const { 'x-forwarded-prefix': _, ...headers } = FORWARDED;
    const answer = await post(`token=${TOKEN}`, { ...BY_FETCH, ...headers });
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-agenthost_token=.*; Path=\/; .*; Secure;/);
  });

  it('[AUTH-1] the guesses of one client delay no other client', async () => {
    for (let count = 0; count < 20; count += 1) await post('token=wrong', { ...BY_FETCH, ...FORWARDED });
    expect(await post('token=wrong', { ...BY_FETCH, ...FORWARDED })).toMatchObject({ status: 429 });
    const other = { ...BY_FETCH, ...FORWARDED, 'x-forwarded-for': '192.0.2.8' };
    expect(await post('token=wrong', other)).toMatchObject({ status: 401 });
  });

  it('[AUTH-1] the name of the request and the forwarded name must both be allowed', async () => {
    const named = (host: string, forwarded: string): Promise<PlainAnswer> =>
      plainRequest(port, '/sign-in/state', { host, 'x-forwarded-host': forwarded });
    expect(await named('agents.example', 'agents.example')).toMatchObject({ status: 200 });
    expect(await named(`127.0.0.1:${port}`, 'evil.example')).toMatchObject({ status: 403 });
    // A page under a foreign name that resolves to this machine can send any header.
    expect(await named('evil.example', 'agents.example')).toMatchObject({ status: 403 });
  });
});
