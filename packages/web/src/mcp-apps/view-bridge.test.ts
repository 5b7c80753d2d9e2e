import { expect, test } from 'vitest';
import { ViewBridge, type ViewPort } from './view-bridge.ts';

/** A bridge whose server and person the test plays. */
function bridge(more: Partial<ViewPort> = {}) {
  const posted: object[] = [];
  const asked: unknown[] = [];
  const tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
  const made = new ViewBridge({
    capabilities: { serverTools: {} },
    hostVersion: '1',
    context: { theme: 'dark' },
    post: (message) => posted.push(message),
    request: async (method, params) => {
      asked.push([method, params]);
      if (method !== 'tools/list') return { content: [] };
      return params['cursor'] === undefined ? { tools, nextCursor: 'b' } : { tools: [{ name: 'change' }] };
    },
    ask: async (tool) => {
      asked.push(['ask', tool]);
      return false;
    },
    resize: (height) => asked.push(['resize', height]),
    ...more,
  });
  const receive = async (message: unknown): Promise<object | undefined> => {
    made.receive(message);
    await new Promise((resolve) => setTimeout(resolve, 0));
    return posted.at(-1);
  };
  const request = (method: string, params: object = {}) => receive({ jsonrpc: '2.0', id: 1, method, params });
  return { made, posted, asked, receive, request };
}

test('[MCP-2] a view gets what the page offers, and is told of its call when it is ready', async () => {
  const { made, posted, receive, request, asked } = bridge();
  made.notify('ui/notifications/tool-input', { arguments: { a: 1 } });
  expect(await request('ui/initialize')).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2026-01-26',
      hostInfo: { name: 'agenthost', version: '1' },
      hostCapabilities: { serverTools: {} },
      hostContext: { theme: 'dark' },
    },
  });
  expect(posted).toHaveLength(1);
  await receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
  expect(posted.at(-1)).toMatchObject({
    method: 'ui/notifications/tool-input',
    params: { arguments: { a: 1 } },
  });
  await receive({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: 90 } });
  await receive({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: 'all' } });
  expect(asked).toEqual([['resize', 90]]);
});

test('[MCP-2] a view runs tools that read; a person is asked about all others', async () => {
  const { request, asked } = bridge();
  expect(await request('tools/call', { name: 'look', arguments: { a: 1 } })).toMatchObject({
    result: { content: [] },
  });
  expect(asked.at(-1)).toEqual(['tools/call', { name: 'look', arguments: { a: 1 } }]);
  expect(await request('tools/call', { name: 'change' })).toMatchObject({ error: { code: -1 } });
  expect(asked.at(-1)).toEqual(['ask', 'change']);
});

test('[MCP-2] a view reaches no other method, no capability that the server lacks, and no other channel', async () => {
  const { request, receive, posted, asked } = bridge();
  for (const method of [
    'resources/read',
    'createSession',
    'sampling/createMessage',
    'toString',
    'ui/message',
  ])
    expect(await request(method, { channel: 'ahp-root://' }), method).toMatchObject({
      error: { code: -32_601 },
    });
  expect(await request('tools/call', { name: 1 })).toMatchObject({ error: { code: -32_602 } });
  const count = posted.length;
  for (const message of [null, 'text', [], { jsonrpc: '2.0' }, { id: 1, method: 'tools/list' }])
    await receive(message);
  expect(posted).toHaveLength(count);
  expect(asked).toEqual([]);
});

test('a view has at most 8 open requests', async () => {
  const { request } = bridge({ request: () => new Promise(() => undefined) });
  for (let index = 0; index < 8; index += 1) expect(await request('tools/list')).toBeUndefined();
  expect(await request('ping')).toMatchObject({ error: { message: 'too many open requests' } });
});
