import type { ToolCallState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import type { SignInToken, ToolCallHandle } from '../src/agents/tool-call.ts';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const resource = { resource: 'https://tools.example', resource_name: 'Tools' };
const auth = { reason: 'required' as const, resource };
const target = { turnId: 't', toolCallId: 'c' };
const shown = [{ type: 'text' as const, text: 'half' }];

interface Stage {
  readonly host: HostFixture;
  readonly client: RawClient;
  readonly chat: string;
  readonly call: ToolCallHandle;
  /** Resolves with the token that the agent got. */
  readonly token: Promise<SignInToken | undefined>;
}

/** A turn whose call of an MCP tool has shown some content and waits for a token. */
async function waiting(contributor: 'mcp' | 'none' = 'mcp'): Promise<Stage> {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  await client.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't',
    message: { text: 'go', origin: { kind: 'user' } },
  });
  const call = host.agent.turn.output.toolCall({
    toolCallId: 'c',
    toolName: 'fetch',
    displayName: 'Fetch',
    ...(contributor === 'mcp' ? { contributor: { kind: 'mcp', customizationId: 'm' } } : {}),
  });
  call.run({ invocationMessage: 'Fetch' });
  call.content(shown);
  const token = call.signIn(auth);
  await host.run();
  return { host, client, chat, call, token };
}

async function callOf({ host, client, chat }: Stage): Promise<ToolCallState | undefined> {
  await host.run();
  const { state } = await client.subscribe(chat);
  if (!('turns' in state)) throw new Error('no chat');
  const turn = state.activeTurn ?? state.turns.at(-1);
  const part = turn?.responseParts.find(({ kind }) => kind === 'toolCall');
  return part?.kind === 'toolCall' ? part.toolCall : undefined;
}

async function neededOf({ client }: Stage): Promise<unknown[]> {
  const { state } = await client.subscribe(SESSION);
  return 'inputNeeded' in state ? (state.inputNeeded ?? []) : [];
}

const authenticate = (client: RawClient, params: object): Promise<unknown> =>
  client.request('authenticate', { channel: ROOT, resource: resource.resource, token: 'secret', ...params });

describe('a tool call that waits for a token', () => {
  it('[CHAT-30] [SESS-25] keeps its content, is listed as needed input, and goes on with the token of any client', async () => {
    const stage = await waiting();
    expect(await callOf(stage)).toMatchObject({ status: 'auth-required', auth, content: shown });
    expect(await neededOf(stage)).toMatchObject([{ kind: 'toolAuthentication', turnId: 't' }]);
    const other = await stage.host.client();
    await authenticate(other, { scopes: ['read'], expiresIn: 60 });
    expect(await stage.token).toEqual({ token: 'secret', scopes: ['read'], expiresIn: 60 });
    expect(await callOf(stage)).toMatchObject({ status: 'running', content: shown });
    expect(await neededOf(stage)).toEqual([]);
    await expect(authenticate(other, {})).rejects.toThrow('expected a resource');
  });

  it('[CHAT-31] fails when a client gives up, or when its agent does', async () => {
    const stage = await waiting();
    const result = { success: false, pastTenseMessage: 'Not signed in' };
    await stage.client.act(stage.chat, {
      type: 'chat/toolCallComplete',
      ...target,
      result: { ...result, success: true },
    });
    expect(await callOf(stage)).toMatchObject({ status: 'auth-required' });
    await stage.client.act(stage.chat, { type: 'chat/toolCallComplete', ...target, result });
    expect(await callOf(stage)).toMatchObject({ status: 'completed', success: false, content: shown });
    expect(await stage.token).toBeUndefined();

    const second = await waiting();
    expect(await second.call.complete(result, { requiresResultConfirmation: true })).toEqual({
      approved: true,
    });
    expect(await callOf(second)).toMatchObject({ status: 'completed', success: false, content: shown });
    expect(await second.token).toBeUndefined();
  });

  it('[CHAT-31] runs again before it succeeds', async () => {
    const stage = await waiting();
    await stage.call.complete({ success: true, pastTenseMessage: 'Fetched' });
    expect(await callOf(stage)).toMatchObject({ status: 'completed', success: true });
    expect(stage.client.types(stage.chat)).toContain('chat/toolCallAuthResolved');
    expect(await stage.token).toBeUndefined();
  });

  it('[CHAT-32] is cancelled with its turn, and by a truncation', async () => {
    const stage = await waiting();
    await stage.client.act(stage.chat, { type: 'chat/turnCancelled', turnId: 't', duration: 1 });
    expect(await callOf(stage)).toMatchObject({ status: 'cancelled', reason: 'skipped' });
    expect(await neededOf(stage)).toEqual([]);
    expect(await stage.token).toBeUndefined();

    const second = await waiting();
    await second.client.act(second.chat, { type: 'chat/truncated' });
    await second.host.run();
    expect(await neededOf(second)).toEqual([]);
    expect(await second.token).toBeUndefined();
  });

  it('[CHAT-30] is one of an MCP server', async () => {
    const stage = await waiting('none');
    expect(await stage.token).toBeUndefined();
    expect(await callOf(stage)).toMatchObject({ status: 'running' });
  });
});

describe('[AUTH-20] authenticate', () => {
  it('[AUTH-20] refuses resources that nothing advertises, and a lifetime of a revoked token', async () => {
    const host = await startHost();
    const client = await host.client();
    await expect(authenticate(client, {})).rejects.toThrow('expected a resource');
    await expect(authenticate(client, { token: 'two words' })).rejects.toThrow('token');
    await expect(authenticate(client, { token: '', expiresIn: 1 })).rejects.toThrow('expiresIn');
    await expect(authenticate(client, { expiresIn: 0 })).rejects.toThrow('expiresIn');
  });

  it('[AUTH-20] gives the token to the agent, whose sessions the client can create until the token expires or is revoked', async () => {
    const host = await startHost();
    const client = await host.client();
    host.agent.protectedResources = [resource];
    const create = (id: string): Promise<unknown> =>
      client.request('createSession', { channel: `ahp-session:/${id}` });
    await expect(create('1')).rejects.toThrow('Authentication needed');
    await authenticate(client, { expiresIn: 60 });
    expect(host.agent.tokens).toEqual([
      { clientId: client.clientId, resource: resource.resource, token: 'secret', expiresIn: 60 },
    ]);
    await create('2');
    await host.advance(61_000);
    await expect(create('3')).rejects.toThrow('Authentication needed');
    await authenticate(client, {});
    await create('4');
    await authenticate(client, { token: '' });
    await expect(create('5')).rejects.toThrow('Authentication needed');
    host.agent.refusesTokens = true;
    await expect(authenticate(client, {})).rejects.toThrow('Authentication needed');
  });

  it('[AUTH-2] ends a turn whose client has no token at once, asks the client for one, and runs the next with it', async () => {
    const host = await startHost();
    const [client, other] = [await host.client(), await host.client()];
    const { chat } = await host.session(client);
    await other.subscribe(chat);
    host.agent.protectedResources = [resource, { resource: 'https://more.example', required: false }];
    const start = (turnId: string) =>
      client.act(chat, {
        type: 'chat/turnStarted',
        startedAt: '2026-06-01T00:00:00.000Z',
        turnId,
        message: { text: 'go', origin: { kind: 'user' } },
      });
    await start('1');
    await host.run();
    expect(host.agent.turns).toEqual([]);
    const { state } = await client.subscribe(chat);
    expect('turns' in state && state.turns.at(-1)).toMatchObject({
      state: 'error',
      responseParts: [
        {
          kind: 'error',
          error: {
            errorType: 'authRequired',
            message: expect.stringMatching(/needs a sign-in to Tools \(\S+\)$/),
          },
        },
      ],
    });
    expect(client.notifications('auth/required')).toEqual([{ channel: ROOT, resource, reason: 'required' }]);
    expect(other.notifications('auth/required')).toEqual([]);
    await authenticate(client, {});
    await start('2');
    await host.run();
    expect(host.agent.turns).toHaveLength(1);
  });

  it('[AUTH-2] asks the clients that had a token again after a restart of the host, and stores no token', async () => {
    const host = await startHost();
    const [client, other] = [await host.client(), await host.client()];
    host.agent.protectedResources = [resource];
    await authenticate(client, {});
    await authenticate(other, {});
    await authenticate(other, { token: '' });
    await host.restart();
    expect(await host.journal.readMeta('signedInClients')).toBe(
      JSON.stringify({ [client.clientId]: [resource.resource] }),
    );
    const [again, otherAgain] = [await host.client(client.clientId), await host.client(other.clientId)];
    await host.advance(120_000);
    expect(again.notifications('auth/required')).toEqual([{ channel: ROOT, resource, reason: 'required' }]);
    expect(otherAgain.notifications('auth/required')).toEqual([]);
  });

  it('[AUTH-21] asks the client for a new token when its token has expired, once', async () => {
    const host = await startHost();
    const [client, other] = [await host.client(), await host.client()];
    host.agent.protectedResources = [resource];
    await authenticate(client, { expiresIn: 60 });
    await authenticate(other, { expiresIn: 3_600 });
    await host.advance(50_000);
    expect(client.notifications('auth/required')).toEqual([]);
    await host.advance(60_000);
    expect(client.notifications('auth/required')).toEqual([{ channel: ROOT, resource, reason: 'expired' }]);
    expect(other.notifications('auth/required')).toEqual([]);
  });

  it('[AUTH-21] does not ask for a token that was revoked, replaced, or is not wanted any more', async () => {
    const host = await startHost();
    const client = await host.client();
    host.agent.protectedResources = [resource];
    await authenticate(client, { expiresIn: 60 });
    await authenticate(client, { expiresIn: 600 });
    await host.advance(120_000);
    await authenticate(client, { token: '' });
    await host.advance(700_000);
    await authenticate(client, { expiresIn: 60 });
    host.agent.protectedResources = [];
    await host.advance(120_000);
    expect(client.notifications('auth/required')).toEqual([]);
  });
});
