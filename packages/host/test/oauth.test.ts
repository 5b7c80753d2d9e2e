import type { BeginSignInResult, FinishSignInResult } from '@agenthost/protocol';
import { OAuthServer } from '@agenthost/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const RESOURCE = 'https://tools.example';
const BACK = 'http://127.0.0.1:9/back';

/** Real answers of the network arrive between steps of the simulated clock. */
const PATIENT = { timeout: 15_000, interval: 5 };

let server: OAuthServer;
afterEach(() => server.close());

interface Stage {
  readonly host: HostFixture;
  readonly client: RawClient;
}

async function started(): Promise<Stage> {
  server = await OAuthServer.start();
  const host = await startHost();
  host.agent.protectedResources = [
    { resource: RESOURCE, authorization_servers: [server.url], scopes_supported: ['read'] },
  ];
  return { host, client: await host.client() };
}

/** Sends a request whose answer needs the network. */
async function call<R>({ host, client }: Stage, method: string, params: object): Promise<R> {
  const id = client.ask(method, { channel: ROOT, ...params });
  await vi.waitFor(async () => {
    await host.run();
    if (client.answerTo(id) === undefined) throw new Error('there is no answer yet');
  }, PATIENT);
  return client.answered<R>(id);
}

const begin = (stage: Stage, more: object = {}) =>
  call<BeginSignInResult>(stage, 'x-beginSignIn', { resource: RESOURCE, redirectUri: BACK, ...more });
const finish = (stage: Stage, more: { id: string; code?: string; iss?: string }) =>
  call<FinishSignInResult>(stage, 'x-finishSignIn', more);

/** Goes through the page of the server, as a browser. */
async function visit(url: string): Promise<{ id: string; code: string; iss: string }> {
  const answer = await fetch(url, { redirect: 'manual' });
  const query = new URL(answer.headers.get('location') ?? '').searchParams;
  return { id: query.get('state') ?? '', code: query.get('code') ?? '', iss: query.get('iss') ?? '' };
}

describe('[AUTH-2] a sign-in with a redirect', () => {
  it('[AUTH-2] gives the token to the agent and to the client that began, by PKCE, once', async () => {
    const stage = await started();
    const { host, client } = stage;
    const begun = await begin(stage);
    expect(begun).toMatchObject({ url: expect.stringContaining(`${server.url}/authorize`), expiresIn: 900 });
    const query = new URL(begun.url).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      state: begun.id,
      code_challenge_method: 'S256',
      resource: RESOURCE,
      scope: 'read',
      redirect_uri: BACK,
    });
    const returned = await visit(begun.url);
    const stranger = { host, client: await host.client() };
    await expect(finish(stranger, returned)).rejects.toThrow('No sign-in');
    await expect(finish(stage, { id: begun.id })).rejects.toThrow('code of the redirect');
    const given = { resource: RESOURCE, token: 'access-1', scopes: ['read', 'write'], expiresIn: 60 };
    expect(await finish(stage, returned)).toEqual(given);
    expect(host.agent.tokens).toEqual([{ clientId: client.clientId, ...given }]);
    expect(server.forms[0]).toMatchObject({ grant_type: 'authorization_code', resource: RESOURCE });
    await expect(finish(stage, returned)).rejects.toThrow('No sign-in');
    await client.request('createSession', { channel: 'ahp-session:/1' });
  });

  it('[AUTH-21] is renewed by the host, and the client is asked when that fails', async () => {
    const stage = await started();
    const { host, client } = stage;
    await finish(stage, await visit((await begin(stage)).url));
    await host.advance(70_000);
    await expect
      .poll(() => host.agent.tokens.map(({ token }) => token), PATIENT)
      .toEqual(['access-1', 'access-2']);
    expect(client.notifications('auth/required')).toEqual([]);
    server.renews = false;
    await host.advance(70_000);
    await expect
      .poll(async () => {
        await host.run();
        return client.notifications('auth/required');
      }, PATIENT)
      .toMatchObject([{ reason: 'expired', resource: { resource: RESOURCE } }]);
  });

  it('[AUTH-2] says what the server refuses, and takes no code of another server', async () => {
    const stage = await started();
    const { host } = stage;
    const begun = await begin(stage);
    const { code, id } = await visit(begun.url);
    await expect(finish(stage, { id, code, iss: 'https://evil.example' })).rejects.toMatchObject({
      code: -32011,
    });
    const again = await begin(stage);
    await expect(finish(stage, { id: again.id, code: 'made-up', iss: server.url })).rejects.toThrow(
      /sign-in failed/,
    );
    await expect(begin(stage, { resource: 'https://other.example' })).rejects.toThrow('expected a resource');
    await expect(begin(stage, { authorizationServer: 'https://evil.example' })).rejects.toThrow(
      'expected one of',
    );
    await expect(begin(stage, { redirectUri: 'javascript:alert(1)' })).rejects.toThrow('redirectUri');
    server.registersClients = false;
    await expect(begin(stage)).rejects.toThrow('registers no clients');
    const named = await begin(stage, { clientId: 'registered', scopes: ['admin'] });
    expect(named.url).toContain('scope=admin');
    await host.advance(901_000);
    await expect(finish(stage, await visit(named.url))).rejects.toThrow('No sign-in');
    expect(host.agent.tokens).toEqual([]);
  });
});

describe('[AUTH-2] a sign-in with a device code', () => {
  it('[AUTH-2] waits until the person has agreed', async () => {
    const stage = await started();
    const { host, client } = stage;
    const { id, url, userCode } = await call<BeginSignInResult>(stage, 'x-beginSignIn', {
      resource: RESOURCE,
    });
    expect({ url, userCode }).toEqual({ url: `${server.url}/activate`, userCode: 'ABCD-EFGH' });
    await expect(finish(stage, { id, code: 'x' })).rejects.toThrow('a device code has none');
    const asked = client.ask('x-finishSignIn', { channel: ROOT, id });
    await host.advance(2_000);
    await expect.poll(() => server.forms.length, PATIENT).toBe(1);
    expect(client.answerTo(asked)).toBeUndefined();
    server.agree();
    await expect
      .poll(async () => {
        await host.advance(2_000);
        return client.answerTo(asked);
      }, PATIENT)
      .toMatchObject({ result: { token: 'access-1' } });
  });

  it('[AUTH-2] ends when nobody enters the code in time', async () => {
    const stage = await started();
    const { host, client } = stage;
    const { id } = await call<BeginSignInResult>(stage, 'x-beginSignIn', { resource: RESOURCE });
    const asked = client.ask('x-finishSignIn', { channel: ROOT, id });
    await expect
      .poll(async () => {
        await host.advance(2_000);
        return client.answerTo(asked);
      }, PATIENT)
      .toMatchObject({ error: { code: -32011, message: expect.stringContaining('in time') } });
    expect(host.agent.tokens).toEqual([]);
  });
});
