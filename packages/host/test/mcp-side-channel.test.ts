import { expect, test } from 'vitest';
import { type McpStage, mcpStage, ROOT, SESSION, testServer } from './mcp-fixture.ts';
import type { RawClient } from './raw-client.ts';

const CHANNEL = `mcp://agenthost/${encodeURIComponent(SESSION)}/mcp-host-test`;

/** A client that shows user interfaces of MCP servers. */
const viewer = (stage: McpStage): Promise<RawClient> =>
  stage.host.client('vera', { capabilities: { mcpApps: {} } });

test('[MCP-2] a ready server shows its channel and what it forwards, and clients with mcpApps use it', async () => {
  const stage = await mcpStage({ mcpServers: { test: testServer() } });
  await stage.inState('ready');
  const [shown] = await stage.servers();
  expect(shown).toMatchObject({
    channel: CHANNEL,
    mcpApp: { capabilities: { serverTools: { listChanged: true }, logging: {} } },
  });
  const vera = await viewer(stage);
  const asked = async (method: string, params: object = {}): Promise<unknown> => {
    const id = vera.ask(method, { channel: CHANNEL, ...params });
    const answer = await stage.until(() => vera.answerTo(id));
    return answer.result ?? answer.error;
  };
  expect(await asked('subscribe')).toEqual({});
  const tools = expect.arrayContaining([expect.objectContaining({ name: 'echo' })]);
  expect(await asked('tools/list')).toMatchObject({ tools });
  const echo = await asked('tools/call', { name: 'echo', arguments: { a: 1 } });
  expect(echo).toMatchObject({ content: [{ type: 'text', text: 'echo {"a":1}' }] });
  expect(await asked('tools/call', { name: 'fail' })).toMatchObject({ isError: true });
  expect(await asked('logging/setLevel', { level: 'debug' })).toEqual({});
  await asked('tools/call', { name: 'more' });
  const changed = await stage.until(() =>
    vera.frames.find(({ method }) => method === 'notifications/tools/list_changed'),
  );
  expect(changed.params).toEqual({ channel: CHANNEL });
});

test('[MCP-2] other methods, other channels and other clients are refused', async () => {
  const stage = await mcpStage({ mcpServers: { test: testServer() } });
  await stage.inState('ready');
  const vera = await viewer(stage);
  const refusal = (client: RawClient, method: string, params: object = { channel: CHANNEL }) =>
    client.raw(method, params).then(
      () => 'answered',
      ({ code }: { code: number }) => code,
    );
  expect(await refusal(vera, 'prompts/list')).toBe(-32601);
  expect(await refusal(vera, 'resources/list')).toBe(-32601);
  expect(await refusal(vera, 'sampling/createMessage')).toBe(-32601);
  expect(await refusal(vera, 'tools/list', { channel: ROOT })).toBe(-32601);
  expect(await refusal(vera, 'tools/list', {})).toBe(-32602);
  expect(await refusal(vera, 'tools/list', { channel: `${CHANNEL}-other` })).toBe(-32008);
  expect(await refusal(vera, 'tools/call', { channel: CHANNEL, name: 'none' })).toBe(-32602);
  expect(await refusal(stage.client, 'subscribe')).toBe(-32009);
  expect(await refusal(stage.client, 'tools/list')).toBe(-32009);
  await stage.client.act(SESSION, { type: 'session/mcpServerStopRequested', id: 'mcp-host-test' });
  await stage.inState('stopped');
  const [stopped] = await stage.servers();
  expect(stopped?.channel).toBeUndefined();
  expect(await refusal(vera, 'tools/list')).toBe(-32008);
  expect(await refusal(vera, 'subscribe')).toBe(-32008);
});
