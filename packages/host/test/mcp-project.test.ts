import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AutomationRunState, SessionState } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { chatOf } from './in-turn.ts';
import { type McpStage, mcpStage, SESSION, testServer, textOf } from './mcp-fixture.ts';

const ID = 'mcp-project-test';

const writeProject = (folder: string, servers: object): void =>
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));

const stageWith = (servers: object, more = {}) =>
  mcpStage({ files: (folder) => writeProject(folder, servers), projectMcpServers: true, ...more });

/** Starts a turn, and waits for the question about the project. */
async function asked(stage: McpStage, turnId = 't1') {
  await stage.client.act(stage.chat, turnStarted(turnId));
  return stage.until(async () => {
    const call = await stage.lastCall();
    return call?.status === 'pending-confirmation' ? call : undefined;
  });
}

const answer = (stage: McpStage, toolCallId: string, selectedOptionId: string, turnId = 't1') =>
  stage.client.act(stage.chat, {
    type: 'chat/toolCallConfirmed',
    turnId,
    toolCallId,
    selectedOptionId,
    ...(selectedOptionId === 'allow'
      ? { approved: true as const, confirmed: 'user-action' as const }
      : { approved: false as const, reason: 'denied' as const }),
  });

test('servers of a project do not run before a person has seen and allowed what they run', async () => {
  const stage = await stageWith(
    { test: testServer({ env: { GIVEN: 'a b' } }), far: { url: 'https://far.example/mcp' } },
    { config: { approvals: 'all' } },
  );
  const call = await asked(stage);
  expect(call).toMatchObject({
    toolName: 'mcp_servers',
    confirmationTitle: 'Use the MCP servers of this project?',
    invocationMessage: 'Use test, far',
    // No client takes it for an approval of this call alone.
    options: [{ id: 'allow', 'x-lasting': true }, { id: 'skip' }, { id: 'refuse' }],
  });
  expect('toolInput' in call ? call.toolInput : '').toMatch(
    /^test: GIVEN="a b" \S+node \S+mcp-program\.ts\nfar: https:\/\/far\.example\/mcp$/,
  );
  expect((await stage.inState('stopped', ID)).kind).toBe('stopped');
  expect(stage.host.agent.turns).toHaveLength(0);
});

test('allowed servers run, also in later sessions, until their content changes', async () => {
  const stage = await stageWith({ test: testServer() });
  await answer(stage, (await asked(stage)).toolCallId, 'allow');
  await stage.until(() => stage.host.agent.turns.length === 1);
  await stage.inState('ready', ID);
  expect(textOf(await stage.call('test__echo'))).toBe('echo {}');
  stage.host.agent.turn.complete();
  await stage.until(async () => (await stage.lastTurn())?.id === 't1' || undefined);
  await stage.turn('t2');
  stage.host.agent.turn.complete();
  await stage.host.run();
  writeProject(stage.folder, { test: testServer({ env: { MORE: 'x' } }) });
  const again = await asked(stage, 't3');
  expect(again.toolName).toBe('mcp_servers');
  await stage.inState('stopped', ID);
});

test('the question shows a variable of the host that would be sent as a secret, and another one is a new question', async () => {
  const far = (clientSecret: string) => ({
    url: 'https://far.example/mcp',
    oauth: { clientId: 'c', clientSecret },
  });
  const stage = await stageWith({ far: far('plain') });
  const call = await asked(stage);
  expect('toolInput' in call && call.toolInput).toBe('far: https://far.example/mcp, oauth.clientId: c');
  await answer(stage, call.toolCallId, 'refuse');
  await stage.until(() => stage.host.agent.turns.length === 1);
  stage.host.agent.turn.complete();
  await stage.host.run();
  writeProject(stage.folder, { far: far('${PATH}') });
  const again = await asked(stage, 't2');
  expect('toolInput' in again && again.toolInput).toMatch(
    /, oauth\.clientId: c, oauth\.clientSecret: \$\{PATH\}$/,
  );
});

test('a decision holds for what the person has seen, and not for a later entry', async () => {
  const stage = await stageWith({ test: { command: 'harmless' } });
  const { items } = await stage.client.request('x-listMcpServers', { channel: SESSION });
  const decide = { channel: SESSION, id: ID, runs: items[0]?.runs ?? '', decision: 'allowed' } as const;
  expect(decide.runs).toBe('harmless');
  writeProject(stage.folder, { test: { command: 'harmful' } });
  await expect(stage.client.request('x-decideMcpServer', decide)).rejects.toThrow(
    'The entry of test has changed. It now runs: harmful',
  );
  expect((await stage.client.request('x-listMcpServers', { channel: SESSION })).items).toMatchObject([
    { runs: 'harmful' },
  ]);
  expect(await stage.inState('stopped', ID)).toEqual({ kind: 'stopped' });
});

test('a session that is deleted during the question starts no servers', async () => {
  const states: string[] = [];
  const keep = (_: object, message: string): void => void states.push(message);
  const none = (): void => undefined;
  const log = { debug: keep, info: none, warn: none, error: none };
  const stage = await stageWith({ test: testServer() }, { mcpServers: { own: testServer() }, log });
  await asked(stage);
  await stage.client.request('disposeSession', { channel: SESSION });
  await stage.until(() => states.includes('an MCP server is stopped'));
  for (let round = 0; round < 20; round += 1) await stage.host.run();
  expect(states.filter((line) => line === 'an MCP server is starting')).toHaveLength(1);
});

test('a refusal is durable, and a client cannot start the server', async () => {
  const stage = await stageWith({ test: testServer() });
  await answer(stage, (await asked(stage)).toolCallId, 'refuse');
  await stage.until(() => stage.host.agent.turns.length === 1);
  stage.host.agent.turn.complete();
  await stage.host.run();
  await stage.turn('t2');
  expect(stage.tools()).toEqual([]);
  await stage.client.act(SESSION, { type: 'session/mcpServerStartRequested', id: ID });
  expect((await stage.inState('error', ID)).error.errorType).toBe('consentRequired');
});

test('an answer for one session asks again in the next one only', async () => {
  const stage = await stageWith({ test: testServer() });
  await answer(stage, (await asked(stage)).toolCallId, 'skip');
  await stage.until(() => stage.host.agent.turns.length === 1);
  stage.host.agent.turn.complete();
  await stage.host.run();
  await stage.turn('t2');
  expect(stage.tools()).toEqual([]);
});

test('a file with faults is logged and told in the next turn, with the place, and its other servers are offered', async () => {
  const fault = '.mcp.json: bad: command: expected a command name or an absolute path, got 3';
  const stage = await stageWith({ bad: { command: 3 }, test: testServer() });
  await stage.inState('stopped', ID);
  expect(stage.host.logged).toContain(fault);
  const told = async () => (await chatOf(stage.client, stage.chat)).activeTurn?.responseParts[0];
  await asked(stage);
  expect(await told()).toMatchObject({ kind: 'systemNotification', content: fault });
  expect(stage.host.logged.filter((line) => line === fault)).toHaveLength(1);
});

test('without the setting the file is not read', async () => {
  const stage = await stageWith({ test: testServer() }, { projectMcpServers: false });
  await stage.turn();
  expect(await stage.servers()).toEqual([]);
  expect(existsSync(join(stage.folder, '.mcp.json'))).toBe(true);
});

test('a server with the name of one of the host has tools with other names', async () => {
  const stage = await stageWith({ test: testServer() }, { mcpServers: { test: testServer() } });
  await answer(stage, (await asked(stage)).toolCallId, 'allow');
  await stage.until(() => stage.host.agent.turns.length === 1);
  await stage.until(() => stage.tools().includes('project_test__echo'));
  expect(stage.tools()).toContain('test__echo');
});

test('a turn of an automation goes on without servers that nobody has allowed, and says so', async () => {
  const stage = await stageWith({ test: testServer() }, { automations: {} });
  const channel = 'ahp-automations://';
  const resource = 'ahp-automation:/nightly';
  const message = { text: 'tidy up', origin: { kind: 'automation' } };
  const definition = { title: 'Nightly', message, session: {}, enabled: true, triggers: [] };
  await stage.client.subscribe(channel);
  await stage.client.act(channel, { type: 'automation/createRequested', resource, definition });
  const { resource: run } = await stage.client.request('runAutomation', {
    channel,
    automation: resource,
    requestId: '1',
  });
  await stage.until(() => stage.host.agent.turns.length > 0);
  const { sessions } = (await stage.client.subscribe(run)).state as AutomationRunState;
  const { defaultChat = '' } = (await stage.client.subscribe(sessions[0] ?? '')).state as SessionState;
  const { activeTurn } = await chatOf(stage.client, defaultChat);
  expect(activeTurn?.responseParts).toMatchObject([
    {
      kind: 'systemNotification',
      content: 'This turn runs without the MCP servers that no user has allowed: test',
    },
  ]);
});
