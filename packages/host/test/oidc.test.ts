import { describe, expect, onTestFinished, test } from 'vitest';
import { OidcSignIn } from '../src/auth/oidc/oidc-sign-in.ts';
import type { OidcRule } from '../src/auth/oidc/rules.ts';
import { MemoryJournal } from '../src/journal/memory/memory-journal.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { createHost } from '../src/main/create-host.ts';
import { type Oddity, OidcProvider } from './oidc-provider.ts';
import { PuppetAgent } from './puppet-agent.ts';

const RULES: readonly OidcRule[] = [
  { email: 'Ada@Example.org', scope: 'interact', person: 'Ada Lovelace' },
  { email: '*@example.org', group: 'admins', scope: 'admin' },
  { email: '*@example.org', scope: 'none' },
];

/** A host that offers the sign-in, and a browser without a cookie. */
async function hosting({
  rules = RULES,
  clientSecret,
  ...proxied
}: {
  rules?: readonly OidcRule[];
  clientSecret?: string;
  trustProxy?: boolean;
  allowedHosts?: readonly string[];
} = {}) {
  const provider = await OidcProvider.start();
  onTestFinished(() => provider.stop());
  const host = createHost({
    journal: new MemoryJournal(),
    agents: [() => new PuppetAgent()],
    log: silentLog,
    portScanner: false,
    listen: {
      port: 0,
      token: 'a-token-of-the-owner',
      previews: false,
      ...proxied,
      oidc: {
        issuer: provider.issuer,
        clientId: 'agenthost',
        rules,
        name: 'Example',
        ...(clientSecret === undefined ? {} : { clientSecret }),
      },
    },
  });
  const address = await host.start();
  onTestFinished(() => host.stop());
  const url = address?.url ?? '';
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}${path}`, { redirect: 'manual', headers });
  return { host, provider, get, tokens: () => host.core.accessTokens.list() };
}

type World = Awaited<ReturnType<typeof hosting>>;

/** The cookies that an answer sets, as a browser sends them. */
const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .filter((cookie) => !cookie.includes('Max-Age=0'))
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ');

async function begin({ get }: World): Promise<{ location: string; cookie: string }> {
  const response = await get('/sign-in/oidc');
  expect(response.status).toBe(303);
  return { location: response.headers.get('location') ?? '', cookie: cookiesOf(response) };
}

async function signIn(world: World, oddity: Oddity = {}): Promise<Response> {
  const { location, cookie } = await begin(world);
  return world.get(`/sign-in/oidc/callback?${world.provider.authorize(location, oddity)}`, {
    cookie,
    'sec-fetch-site': 'cross-site',
  });
}

describe('a sign-in by OpenID Connect', () => {
  test('[AUTH-1] gives the browser a token of the person, with PKCE, a nonce, and an end', async () => {
    const world = await hosting({ clientSecret: 'secret of the host' });
    const state = await (await world.get('/sign-in/state')).json();
    expect(state).toMatchObject({ signedIn: false, oidc: { name: 'Example' } });
    const { location, cookie } = await begin(world);
    const { searchParams } = new URL(location);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'agenthost',
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^.{40,}$/),
      nonce: expect.stringMatching(/^.{40,}$/),
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\/oidc\/callback$/),
    });
    expect(location).not.toContain('secret');
    const back = await world.get(`/sign-in/oidc/callback?${world.provider.authorize(location)}`, { cookie });
    expect([back.status, back.headers.get('location')]).toEqual([303, '/']);
    expect(back.headers.getSetCookie().join()).toMatch(
      /agenthost_token\w*=ahs_[^;]+; Path=\/; HttpOnly; SameSite=Strict/,
    );
    expect(world.provider.asked[0]?.get('client_secret')).toBe('secret of the host');
    const signedIn = await world.get('/sign-in/state', { cookie: cookiesOf(back) });
    expect(await signedIn.json()).toMatchObject({ signedIn: true, scope: 'interact' });
    expect(world.tokens()).toMatchObject([{ person: 'Ada Lovelace', scope: 'interact', isSignIn: true }]);
    const [token] = world.tokens();
    const hours = (Date.parse(token?.expiresAt ?? '') - Date.parse(token?.createdAt ?? '')) / 3_600_000;
    expect(hours).toBe(12);
    // The browser's sign-in ends with the token.
    await world.host.core.accessTokens.revoke(token?.id ?? '', {});
    const after = await world.get('/sign-in/state', { cookie: cookiesOf(back) });
    expect(await after.json()).toMatchObject({ signedIn: false });
  });

  const now = Math.floor(Date.now() / 1_000);
  test.each<[string, Oddity]>([
    ['another nonce', { claims: { nonce: 'other' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another audience', { claims: { aud: 'somebody' } }],
    ['another issuer', { claims: { iss: 'https://example.org' } }],
    ['an expired token', { claims: { iat: now - 7_200, exp: now - 3_600 } }],
    ['a token without a signature', { alg: 'none' }],
    ['a signature by another key', { isForged: true }],
    ['no subject', { claims: { sub: undefined } }],
  ])('[AUTH-1] an ID token with %s is refused', async (_, oddity) => {
    const world = await hosting();
    const response = await signIn(world, oddity);
    expect(response.status).toBe(401);
    expect(cookiesOf(response)).toBe('');
    expect(world.tokens()).toEqual([]);
  });

  test('[AUTH-1] a sign-in works once, in the browser that began it, and only from the page of the host', async () => {
    const world = await hosting();
    const { get, provider } = world;
    const { location, cookie } = await begin(world);
    const callback = `/sign-in/oidc/callback?${provider.authorize(location)}`;
    expect((await get(callback, { cookie })).status).toBe(303);
    expect((await get(callback, { cookie })).status).toBe(401);
    // Somebody else's code and state in this browser.
    const other = await begin(world);
    const stolen = `/sign-in/oidc/callback?${provider.authorize(other.location)}`;
    expect((await get(stolen, { cookie })).status).toBe(401);
    expect((await get(stolen, { cookie: other.cookie.replace(/.{9}$/, 'A'.repeat(9)) })).status).toBe(401);
    expect((await get('/sign-in/oidc/callback?code=x&state=y', { cookie })).status).toBe(401);
    const denied = await begin(world);
    const state = new URL(denied.location).searchParams.get('state');
    const refusal = `/sign-in/oidc/callback?error=access_denied&error_description=%3Cscript%3E&state=${state}&iss=${provider.issuer}`;
    const answer = await get(refusal, { cookie: denied.cookie });
    expect([answer.status, (await answer.text()).includes('<script>')]).toEqual([401, false]);
    for (const [name, value] of [
      ['sec-fetch-site', 'cross-site'],
      ['sec-fetch-dest', 'iframe'],
    ] as const)
      expect((await get('/sign-in/oidc', { [name]: value })).status).toBe(403);
    expect(world.tokens()).toHaveLength(1);
  });

  test('[AUTH-1] behind a gateway, the provider redirects to the address of the gateway if the host knows it', async () => {
    const gateway = {
      'x-forwarded-for': '192.0.2.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/h/team-a',
      'x-agenthost-public-host': 'agents.example',
    };
    const refused = async (world: World): Promise<string> => {
      const response = await world.get('/sign-in/oidc', gateway);
      expect([response.status, response.headers.get('location')]).toEqual([403, null]);
      return response.text();
    };
    expect(await refused(await hosting({ allowedHosts: ['agents.example'] }))).toContain('--trust-proxy');
    expect(await refused(await hosting({ trustProxy: true }))).toContain(
      'agents.example&#34; to its allowed',
    );
    const world = await hosting({ trustProxy: true, allowedHosts: ['agents.example'] });
    const begun = await world.get('/sign-in/oidc', gateway);
    expect(cookiesOf(begun)).not.toBe('');
    const location = begun.headers.get('location') ?? '';
    expect(new URL(location).searchParams.get('redirect_uri')).toBe(
      'https://agents.example/h/team-a/sign-in/oidc/callback',
    );
    const back = `/sign-in/oidc/callback?${world.provider.authorize(location)}`;
    const ended = await world.get(back, { ...gateway, cookie: cookiesOf(begun) });
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/h/team-a/']);
  });

  test('[AUTH-1] sign-ins that others begin end none, and none can be finished twice or after a restart', async () => {
    const provider = await OidcProvider.start();
    onTestFinished(() => provider.stop());
    const options = { issuer: provider.issuer, clientId: 'agenthost', rules: RULES };
    const createSignIn = async () => ({ tokenHash: 'hash', scope: 'interact' }) as const;
    const start = () =>
      new OidcSignIn(options, { tokens: { createSignIn }, clock: systemClock, log: silentLog });
    const oidc = start();
    const { url, binding } = await oidc.begin('https://host.example/back', 'earlier');
    for (let count = 0; count < 1_000; count += 1) await oidc.begin('https://host.example/back', undefined);
    // The browser cannot read what it keeps for the host.
    expect(Buffer.from(binding, 'base64url').toString('latin1')).not.toMatch(/verifier|host\.example/);
    const query = new URLSearchParams(provider.authorize(url.href));
    expect(await start().finish(query, binding)).toMatchObject({
      status: 401,
      reason: expect.stringContaining('restarted'),
    });
    const ends = await Promise.all([oidc.finish(query, binding), oidc.finish(query, binding)]);
    expect(ends).toMatchObject([
      { isIn: true, previous: 'earlier' },
      { isIn: false, status: 401 },
    ]);
    const again = new URLSearchParams(provider.authorize(url.href));
    expect(await oidc.finish(again, binding)).toMatchObject({ isIn: false, status: 401 });
    expect(provider.asked).toHaveLength(1);
  });

  test('the first rule that fits decides, and an address counts only when it is verified', async () => {
    const world = await hosting();
    const bob = { email: 'Bob@example.org' };
    expect((await signIn(world, { claims: bob })).status).toBe(303);
    expect((await signIn(world, { claims: { ...bob, groups: ['admins'] } })).status).toBe(303);
    expect(world.tokens()).toMatchObject([
      { person: 'bob@example.org', scope: 'none' },
      { person: 'bob@example.org', scope: 'admin' },
    ]);
    for (const claims of [
      { email: 'eve@example.com' },
      { email: 'eve@evil.example.org' },
      { email: 'eve@example.org@example.com' },
      { email_verified: false },
      { email_verified: undefined },
      { email: undefined, groups: ['admins'] },
    ]) {
      const response = await signIn(world, { claims });
      expect([claims, response.status]).toEqual([claims, 403]);
    }
    expect(world.tokens()).toHaveLength(2);
    for (let count = 0; count < 25; count += 1) await signIn(world);
    expect(world.tokens()).toHaveLength(22);
  });

  test('a host without it has no such path, and options that let nobody in prevent the start', async () => {
    const start = (rules: readonly OidcRule[], issuer = 'https://id.example.org') => {
      const oidc = { issuer, clientId: 'x', rules };
      const options = { journal: new MemoryJournal(), agents: [() => new PuppetAgent()], log: silentLog };
      return createHost({ ...options, listen: { port: 0, previews: false, oidc } }).start();
    };
    await expect(start([])).rejects.toThrow('oidc.rules: expected at least one rule');
    await expect(start([{ scope: 'admin' }])).rejects.toThrow('oidc.rules[0]: expected email, group or both');
    await expect(start([{ email: '*@example.org', person: 'Ada', scope: 'none' }])).rejects.toThrow('person');
    await expect(start(RULES, 'http://id.example.org')).rejects.toThrow(
      'oidc.issuer: expected an https: URL',
    );
    const plain = createHost({
      journal: new MemoryJournal(),
      agents: [() => new PuppetAgent()],
      log: silentLog,
      listen: { port: 0, previews: false },
    });
    const address = await plain.start();
    onTestFinished(() => plain.stop());
    for (const path of ['/sign-in/oidc', '/sign-in/oidc/callback'])
      expect((await fetch(`${address?.url}${path}`)).status).toBe(404);
  });
});
