import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SessionStatus } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { remoteServer } from '@agenthost/testkit/mcp';
import { expect, test } from 'vitest';
import { mcpStage, SESSION, textOf } from './mcp-fixture.ts';

test('[MCP-1] a remote server gives tools over streamable HTTP', async () => {
  const remote = await remoteServer();
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } } });
  await stage.turn();
  expect(textOf(await stage.call('test__who'))).toBe('token none');
  expect((await stage.servers())[0]?.uri).toBe(remote.url);
});

test('[MCP-1] one that is gone is an error, and is started again when it is back', async () => {
  const remote = await remoteServer();
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } } });
  await stage.turn();
  remote.broken = 503;
  expect((await stage.call('test__who')).success).toBe(false);
  await stage.inState('error');
  await stage.host.advance(1_000);
  await stage.inState('error');
  delete remote.broken;
  await stage.host.advance(2_000);
  await stage.inState('ready');
});

test('[MCP-20] [AUTH-20] one that needs a token says so, and is started with the token of a client', async () => {
  const remote = await remoteServer();
  remote.tokens = ['good'];
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } } });
  const state = await stage.inState('authRequired');
  expect(state).toMatchObject({
    reason: 'required',
    resource: {
      resource: remote.url,
      authorization_servers: [new URL('/login', remote.url).href],
      scopes_supported: ['read', 'call'],
    },
    requiredScopes: ['read'],
  });
  await stage.client.request('authenticate', { channel: 'ahp-root://', resource: remote.url, token: 'bad' });
  expect(await stage.until(async () => (await stage.inState('authRequired')).reason === 'expired')).toBe(
    true,
  );
  await stage.client.request('authenticate', { channel: 'ahp-root://', resource: remote.url, token: 'good' });
  await stage.inState('ready');
  await stage.turn();
  expect(textOf(await stage.call('test__who'))).toBe('token good');
});

test('[MCP-20] one that claims the resource of somebody else gets no token for it', async () => {
  const remote = await remoteServer();
  remote.tokens = ['good'];
  remote.resource = 'https://api.example/';
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } } });
  expect((await stage.inState('authRequired')).resource).toEqual({ resource: remote.url });
  const given = { channel: 'ahp-root://', resource: remote.resource, token: 'good' } as const;
  await expect(stage.client.request('authenticate', given)).rejects.toThrow(
    'expected a resource that an agent or a tool call needs a token for',
  );
  await stage.inState('authRequired');
});

test('[CHAT-30] [MCP-20] [SESS-5] a call that needs more scopes waits for a token, which the session shows, and goes on with it', async () => {
  const remote = await remoteServer();
  remote.tokens = ['small', 'large'];
  remote.callers = ['large'];
  const headers = { Authorization: 'Bearer small' };
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url, headers } } });
  await stage.turn();
  const activity = async () => {
    const { state } = await stage.client.subscribe(SESSION);
    return 'status' in state ? Number(state.status) & SessionStatus.InputNeeded : 0;
  };
  const done = stage.begin('test__who');
  const call = await stage.until(async () => {
    const last = await stage.lastCall();
    return last?.status === 'auth-required' ? last : undefined;
  });
  expect(call.auth).toMatchObject({
    reason: 'insufficientScope',
    requiredScopes: ['read', 'call'],
    description: 'More, please',
    resource: { resource: remote.url },
  });
  expect((await stage.inState('authRequired')).reason).toBe('insufficientScope');
  expect(await activity()).toBe(SessionStatus.InputNeeded);
  await stage.client.request('authenticate', {
    channel: 'ahp-root://',
    resource: remote.url,
    token: 'large',
  });
  let text = '';
  void done.then((result) => {
    text = textOf(result);
  });
  await stage.until(() => text !== '');
  expect(text).toBe('token large');
  await stage.inState('ready');
  expect(await activity()).toBe(SessionStatus.InProgress);
});

test('[CHAT-30] a turn of another chat of the session does not restart a server whose call waits for a token', async () => {
  const remote = await remoteServer();
  remote.callers = ['large'];
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } } });
  const other = 'ahp-chat:/other';
  await stage.client.request('createChat', { channel: SESSION, chat: other });
  await stage.client.subscribe(other);
  await stage.turn();
  void stage.begin('test__who');
  const waiting = await stage.inState('authRequired');
  await stage.client.act(other, turnStarted('t2'));
  await stage.until(() => stage.host.agent.turns.length === 2);
  expect(await stage.inState('authRequired')).toEqual(waiting);
});

test('[CHAT-31] a call whose sign-in a client gives up fails, and the server goes on', async () => {
  const remote = await remoteServer();
  remote.callers = ['large'];
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } } });
  await stage.turn();
  const done = stage.begin('test__who');
  const { toolCallId } = await stage.until(async () => {
    const last = await stage.lastCall();
    return last?.status === 'auth-required' ? last : undefined;
  });
  const result = { success: false, pastTenseMessage: 'Gave up', error: { message: 'no' } };
  await stage.client.act(stage.chat, { type: 'chat/toolCallComplete', turnId: 't1', toolCallId, result });
  expect((await done).success).toBe(false);
  await stage.inState('ready');
});

test('a token is kept in a file of its owner, and holds after a restart until it expires', async () => {
  const remote = await remoteServer();
  remote.tokens = ['good'];
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } }, hasDataDir: true });
  await stage.inState('authRequired');
  await stage.client.request('authenticate', {
    channel: 'ahp-root://',
    resource: remote.url,
    token: 'good',
    expiresIn: 3_600,
  });
  await stage.inState('ready');
  const file = join(stage.folder, 'data', 'mcp-tokens.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object)).toEqual([remote.url]);
  await stage.host.restart();
  const again = await stage.host.client('ada');
  const start = async () => {
    await again.subscribe(SESSION);
    await again.act(SESSION, { type: 'session/mcpServerStartRequested', id: 'mcp-host-test' });
  };
  const shown = (kind: string) =>
    stage.until(async () => {
      const state = (await stage.servers(again))[0]?.state;
      return state?.kind === kind ? state : undefined;
    });
  await start();
  await shown('ready');
  await again.act(SESSION, { type: 'session/mcpServerStopRequested', id: 'mcp-host-test' });
  await shown('stopped');
  await stage.host.advance(3_600_000);
  await start();
  expect(await shown('authRequired')).toMatchObject({ reason: 'required' });
});
