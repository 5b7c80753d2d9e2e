import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { StartMcpSignInResult } from '@agenthost/protocol';
import { authorizationServer, remoteServer } from '@agenthost/testkit/mcp';
import { expect, onTestFinished, test } from 'vitest';
import { type McpStage, mcpStage, SESSION, textOf } from './mcp-fixture.ts';

const REDIRECT = 'http://127.0.0.1:1/callback';
const ID = 'mcp-host-test';

/** Sends a request whose answer needs the network. */
async function ask<R>(stage: McpStage, method: string, params: object): Promise<R> {
  const id = stage.client.ask(method, { channel: SESSION, ...params });
  const { result, error } = await stage.until(() => stage.client.answerTo(id));
  if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
  return result as R;
}

/** Signs in as a browser does, without a person. */
async function signIn(stage: McpStage): Promise<URL> {
  const { url, state } = await ask<StartMcpSignInResult>(stage, 'x-startMcpSignIn', {
    id: ID,
    redirectUri: REDIRECT,
  });
  const answer = await fetch(url, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
  expect(back.searchParams.get('state')).toBe(state);
  await ask(stage, 'x-finishMcpSignIn', { state, code: back.searchParams.get('code') });
  return new URL(url);
}

test('[MCP-20] a sign-in by OAuth starts the server, and its token is kept and renewed', async () => {
  const remote = await remoteServer();
  const { asked } = await authorizationServer(remote);
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } }, hasDataDir: true });
  await stage.inState('authRequired');
  await expect(ask(stage, 'x-startMcpSignIn', { id: ID, redirectUri: 'javascript:1' })).rejects.toThrow(
    'redirectUri: expected an http or https URL',
  );
  await expect(ask(stage, 'x-finishMcpSignIn', { state: 'none', code: 'c' })).rejects.toThrow(
    'No sign-in "none"',
  );
  const url = await signIn(stage);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: 'made',
    code_challenge_method: 'S256',
    resource: remote.url,
    scope: 'read',
  });
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ code: 'c', resource: remote.url });
  await stage.inState('ready');
  const stored = () => readFileSync(join(stage.folder, 'data', 'mcp-tokens.json'), 'utf8');
  expect(stored()).toContain('refresh-1');
  await expect(ask(stage, 'x-startMcpSignIn', { id: ID, redirectUri: REDIRECT })).rejects.toThrow(
    'The MCP server test needs no token now',
  );
  await stage.turn();
  // The server takes the token no longer, before its end.
  remote.tokens = [];
  expect(textOf(await stage.call('test__who'))).toBe('token token-2');
  expect(Object.fromEntries(asked[1] ?? [])).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: 'refresh-1',
  });
  // It is about to expire.
  await stage.host.advance(250_000);
  expect(textOf(await stage.call('test__who'))).toBe('token token-3');
  expect(stored()).toContain('refresh-3');
});

test('[MCP-20] an authorization server that never ends its answer fails the sign-in, and does not hold it', async () => {
  const remote = await remoteServer();
  await authorizationServer(remote);
  const silent = createServer((_, response) => void response.writeHead(200).write('{'));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const requested = new Promise<void>((done) => void silent.once('request', () => done()));
  remote.issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } } });
  await stage.inState('authRequired');
  const id = stage.client.ask('x-startMcpSignIn', { channel: SESSION, id: ID, redirectUri: REDIRECT });
  await stage.host.run();
  await requested;
  await stage.host.advance(15_000);
  const { error } = await stage.until(() => stage.client.answerTo(id));
  expect(error?.message).toMatch(/no sign-in to test: .*did not answer within 15 s/);
});

test('[CHAT-30] [MCP-20] a call that needs more scopes goes on after a sign-in by OAuth', async () => {
  const remote = await remoteServer();
  const { asked } = await authorizationServer(remote);
  remote.callers = ['token-2'];
  const stage = await mcpStage({ mcpServers: { test: { url: remote.url } } });
  await stage.inState('authRequired');
  await signIn(stage);
  await stage.inState('ready');
  await stage.turn();
  let text = '';
  void stage.begin('test__who').then((result) => {
    text = textOf(result);
  });
  await stage.until(async () => (await stage.lastCall())?.status === 'auth-required');
  const url = await signIn(stage);
  expect(url.searchParams.get('scope')).toBe('read call');
  await stage.until(() => text !== '');
  expect(text).toBe('token token-2');
  expect(asked).toHaveLength(2);
  await stage.inState('ready');
});

const EXAMPLE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/sdk/package.json')),
  'examples/server/simpleStreamableHttp.js',
);

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });

test('[MCP-20] a person signs in to the example server of the SDK, and its tools run', async () => {
  const [port, authPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [EXAMPLE, '--oauth'], {
    env: { ...process.env, MCP_PORT: `${port}`, MCP_AUTH_PORT: `${authPort}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => void child.once('exit', () => done()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  await new Promise<void>((done) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.split('listening on port').length === 3) done();
    });
  });
  const stage = await mcpStage({ mcpServers: { test: { url: `http://localhost:${port}/mcp` } } });
  expect((await stage.inState('authRequired')).resource.authorization_servers).toEqual([
    `http://localhost:${authPort}/`,
  ]);
  await signIn(stage);
  await stage.inState('ready');
  await stage.turn();
  let text = '';
  void stage.begin('test__greet', { name: 'Ada' }).then((result) => {
    text = textOf(result);
  });
  const call = await stage
    .until(async () => {
      const last = await stage.lastCall();
      return last?.status === 'pending-confirmation' ? last : undefined;
    })
    .catch(() => undefined);
  if (call !== undefined) {
    const { toolCallId } = call;
    await stage.client.act(stage.chat, {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId,
      approved: true,
      confirmed: 'user-action',
    });
  }
  await stage.until(() => text !== '');
  expect(text).toBe('Hello, Ada!');
});
