import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turnStarted } from '@agenthost/testkit';
import { expect, onTestFinished, test } from 'vitest';
// The host loads it on first use, which the simulated clock does not wait for.
import 'yaml';
import { type McpStage, mcpStage, PROGRAM, SESSION, testServer, textOf } from './mcp-fixture.ts';

/** The MCP servers in the containers of the session. */
const children = async (stage: McpStage) => {
  const { state } = await stage.client.subscribe(SESSION);
  const containers = 'customizations' in state ? (state.customizations ?? []) : [];
  return containers.flatMap((each) =>
    'children' in each ? (each.children ?? []).filter((child) => child.type === 'mcpServer') : [],
  );
};

const childIn = (stage: McpStage, kind: string) =>
  stage.until(async () => (await children(stage)).find(({ state }) => state.kind === kind));

test('[CUST-2] [MCP-1] servers of the user’s own plugins run without a question, and find the folder of the plugin', async () => {
  const userFolder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-plugins-')));
  onTestFinished(() => rmSync(userFolder, { recursive: true }));
  mkdirSync(join(userFolder, 'plugins/kit'), { recursive: true });
  const entry = { command: process.execPath, args: [PROGRAM], env: { GIVEN: '${PLUGIN_ROOT}' } };
  const mcpServers = { test: entry, bad: { command: './x' } };
  writeFileSync(join(userFolder, 'plugins/kit/.mcp.json'), JSON.stringify({ mcpServers }));
  const stage = await mcpStage({ customizations: { userFolder }, mcpServers: { test: testServer() } });
  await stage.turn();
  const child = await childIn(stage, 'ready');
  expect(child).toMatchObject({
    name: 'test',
    channel: `mcp://agenthost/${encodeURIComponent(SESSION)}/${child.id}`,
    mcpApp: { capabilities: { logging: {} } },
  });
  expect(stage.tools()).toEqual(expect.arrayContaining(['test__echo', 'kit_test__echo']));
  expect(textOf(await stage.call('kit_test__env'))).toContain(`"${userFolder}/plugins/kit"`);
  const { items } = await stage.client.request('x-listMcpServers', { channel: SESSION });
  expect(items[1]).toMatchObject({
    name: 'test',
    source: 'plugin',
    plugin: 'kit',
    decision: 'allowed',
    state: { kind: 'ready' },
  });
  const enablement = [{ kind: 'session', enabled: false }];
  await stage.client.act(SESSION, { type: 'session/customizationToggled', id: child.id, enablement });
  await stage.until(async () => (await children(stage)).every(({ state }) => state.kind === 'stopped'));
  expect(stage.tools()).not.toContain('kit_test__echo');
});

test('[CUST-2] [MCP-1] the servers of a client’s plugin run after a person has allowed them, and go with the client', async () => {
  const stage = await mcpStage({ customizations: {} });
  const { client } = stage;
  const text = JSON.stringify({ mcpServers: { theirs: testServer() } });
  let answered = 0;
  /** Answers the questions of the host for the file. */
  const serve = (): void => {
    const asked = client.frames.filter(({ id, method }) => id !== undefined && method !== undefined);
    for (const { id, method } of asked.slice(answered)) {
      const result =
        method === 'resourceRead'
          ? { data: Buffer.from(text).toString('base64'), encoding: 'base64' }
          : { uri: 'virtual:/kit.mcp.json', type: 'file', size: text.length };
      client.send({ jsonrpc: '2.0', id, result });
    }
    answered = asked.length;
  };
  const plugin = { type: 'plugin', id: 'kit', uri: 'virtual:/kit.mcp.json', name: 'Kit', nonce: '1' };
  const activeClient = { clientId: client.clientId, tools: [], customizations: [plugin] };
  client.dispatch(SESSION, { type: 'session/activeClientSet', activeClient });
  const find = async () => {
    serve();
    await stage.host.run();
    return children(stage);
  };
  // The ids of the host's requests look like those of the client's own: nothing else is asked meanwhile.
  await stage.until(() => {
    serve();
    return answered >= 3 || undefined;
  });
  expect(await find()).toMatchObject([{ name: 'theirs', state: { kind: 'stopped' } }]);
  await client.act(stage.chat, turnStarted('t1'));
  const call = await stage.until(async () => {
    const last = await stage.lastCall();
    return last?.status === 'pending-confirmation' ? last : undefined;
  });
  expect(call).toMatchObject({
    toolName: 'mcp_servers',
    displayName: 'MCP servers of plugins',
    toolInput: expect.stringMatching(/^theirs: .*mcp-program\.ts \(of the plugin Kit\)$/),
  });
  await client.act(stage.chat, {
    type: 'chat/toolCallConfirmed',
    turnId: 't1',
    toolCallId: call.toolCallId,
    selectedOptionId: 'allow',
    approved: true,
    confirmed: 'user-action',
  });
  await childIn(stage, 'ready');
  await stage.until(() => stage.host.agent.turns.length > 0);
  expect(textOf(await stage.call('theirs__echo', { a: 1 }))).toBe('echo {"a":1}');
  await client.act(SESSION, { type: 'session/activeClientRemoved', clientId: client.clientId });
  await stage.until(() => !stage.tools().includes('theirs__echo'));
  expect(await children(stage)).toEqual([]);
});
