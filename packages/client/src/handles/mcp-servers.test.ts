import { expect, test } from 'vitest';
import { McpServers, type McpServersPort } from './mcp-servers.ts';

const SESSION = 'ahp-session:/1';

test('[MCP-1] servers are listed by a command, controlled by actions, and decided about by a command', async () => {
  const sent: unknown[] = [];
  const port: McpServersPort = {
    request: async (method, params) => {
      sent.push([method, params]);
      return { items: [] };
    },
    dispatch: async (uri, action) => {
      sent.push([uri, action]);
      return { outcome: 'dropped', reason: 'test' };
    },
  };
  const servers = new McpServers(port);
  expect(await servers.list(SESSION)).toEqual([]);
  await servers.start(SESSION, 'a');
  await servers.stop(SESSION, 'a');
  await servers.background(SESSION, 'a');
  await servers.decide(SESSION, { id: 'a', runs: 'x' }, 'allowed');
  await servers.decide(SESSION, { id: 'a', runs: 'x' }, undefined);
  expect(sent).toStrictEqual([
    ['x-listMcpServers', { channel: SESSION }],
    [SESSION, { type: 'session/mcpServerStartRequested', id: 'a' }],
    [SESSION, { type: 'session/mcpServerStopRequested', id: 'a' }],
    [SESSION, { type: 'session/mcpServerBackgroundRequested', id: 'a' }],
    ['x-decideMcpServer', { channel: SESSION, id: 'a', runs: 'x', decision: 'allowed' }],
    ['x-decideMcpServer', { channel: SESSION, id: 'a', runs: 'x' }],
  ]);
});
