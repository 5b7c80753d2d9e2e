import { expect, test, vi } from 'vitest';
import { ViewBridge, type ViewPort } from './view-bridge.ts';

/** A bridge whose server and person the test plays. The person refuses. */
function bridge(more: Partial<ViewPort> = {}) {
  const posted: object[] = [];
  const asked: unknown[] = [];
  const tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
  const made = new ViewBridge({
    capabilities: { serverTools: {} },
    domains: () => ({ connect: ['https://api.example.org'], resource: [] }),
    hostVersion: '1',
    context: { theme: 'dark' },
    hasField: () => true,
    post: (message) => posted.push(message),
    request: async (method, params) => {
      asked.push([method, params]);
      if (method !== 'tools/list') return { content: [] };
      return params['cursor'] === undefined ? { tools, nextCursor: 'b' } : { tools: [{ name: 'change' }] };
    },
    ask: async (wish) => {
      asked.push(['ask', wish]);
      return false;
    },
    open: (url) => asked.push(['open', url]),
    write: (text) => asked.push(['write', text]),
    attach: (text) => asked.push(['attach', text]),
    resize: (height) => asked.push(['resize', height]),
    leave: () => asked.push(['leave']),
    ...more,
  });
  const receive = async (message: unknown): Promise<object | undefined> => {
    made.receive(message);
    await new Promise((resolve) => setTimeout(resolve, 0));
    return posted.at(-1);
  };
  const request = (method: string, params: object = {}) => receive({ jsonrpc: '2.0', id: 1, method, params });
  const ready = async (): Promise<void> => {
    await request('ui/initialize');
    await receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
  };
  return { made, posted, asked, receive, request, ready };
}

const text = (value: unknown) => ({ type: 'text', text: value });

test('[MCP-2] a view gets what the page offers, and is told of its call when it is ready', async () => {
  const { made, posted, receive, request, asked } = bridge();
  made.notify('ui/notifications/tool-input', { arguments: { a: 1 } });
  expect(await request('ui/initialize')).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2026-01-26',
      hostInfo: { name: 'agenthost', version: '1' },
      hostCapabilities: {
        serverTools: {},
        openLinks: {},
        message: { text: {} },
        updateModelContext: { text: {}, structuredContent: {} },
        sandbox: { csp: { connectDomains: ['https://api.example.org'], resourceDomains: [] } },
      },
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
  expect(asked.at(-1)).toEqual(['ask', { kind: 'tool', tool: 'change' }]);
});

test('[MCP-2] a view reaches no other method, no capability that the server lacks, and no other channel', async () => {
  const { request, receive, posted, asked } = bridge();
  for (const method of [
    'resources/read',
    'createSession',
    'sampling/createMessage',
    'toString',
    'ui/download-file',
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

test('[MCP-2] a view opens pages of the web only, and only when the person agrees with the whole URL', async () => {
  const { request, asked } = bridge();
  for (const url of [
    ...[
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html,x',
      'mailto:a@example.org',
      '/settings',
      '',
    ],
    ...[
      'https://user:secret@example.org',
      'blob:https://example.org/x',
      `https://example.org/${'a'.repeat(2_048)}`,
    ],
    ...[1, null, ['https://example.org'], 'ahp-root://', 'ws://example.org'],
  ])
    expect(await request('ui/open-link', { url }), String(url)).toMatchObject({ error: { code: -32_602 } });
  expect(asked).toEqual([]);
  expect(await request('ui/open-link', { url: 'HTTPS://еxample.org/a?b#c' })).toMatchObject({
    result: { isError: true },
  });
  // A name with a letter of another script shows as what it is.
  const wish = { kind: 'link', url: 'https://xn--xample-2of.org/a?b#c' };
  expect(asked).toEqual([['ask', wish]]);
  const agreed = bridge({ ask: async () => true });
  expect(await agreed.request('ui/open-link', { url: 'http://example.org' })).toMatchObject({ result: {} });
  expect(agreed.asked).toEqual([['open', 'http://example.org/']]);
});

test('[MCP-2] a view writes messages and adds context only when the person agrees, and in text', async () => {
  const { request, asked } = bridge();
  const hostile = [
    ...[undefined, 'text', [], [text('')], [text(1)], [{ type: 'image', data: 'eA==' }], [null]],
    ...[[text('x'.repeat(32_769))], [text('\u{e0041}')]],
  ];
  for (const content of hostile)
    expect(await request('ui/message', { role: 'user', content })).toMatchObject({
      error: { code: -32_602 },
    });
  expect(await request('ui/message', { role: 'system', content: [text('x')] })).toHaveProperty('error');
  for (const params of [
    { content: 'x' },
    { structuredContent: [] },
    { structuredContent: { a: 'x'.repeat(32_769) } },
  ])
    expect(await request('ui/update-model-context', params)).toMatchObject({ error: { code: -32_602 } });
  expect(asked).toEqual([]);
  const message = { role: 'user', content: [text(' a\u{e0041}'), text('b ')] };
  expect(await request('ui/message', message)).toMatchObject({ result: { isError: true } });
  expect(asked).toEqual([['ask', { kind: 'message', text: 'a\n\nb' }]]);
  expect(await request('ui/update-model-context', { content: [text('x')] })).toMatchObject({
    error: { code: -1 },
  });

  const agreed = bridge({ ask: async () => true });
  await agreed.request('ui/message', message);
  await agreed.request('ui/update-model-context', { content: [text('x')], structuredContent: { a: 1 } });
  await agreed.request('ui/update-model-context', {});
  expect(agreed.asked).toEqual([
    ['write', 'a\n\nb'],
    ['attach', 'x\n\n{\n  "a": 1\n}'],
    ['attach', ''],
  ]);
  const without = bridge({ hasField: () => false });
  for (const method of ['ui/message', 'ui/update-model-context'])
    expect(await without.request(method, message)).toMatchObject({ error: { code: -32_601 } });
});

test('a person is asked one thing at a time, and not any more after three refusals in a row', async () => {
  const answers: ((isAllowed: boolean) => void)[] = [];
  const { made, request, posted } = bridge({ ask: () => new Promise((resolve) => answers.push(resolve)) });
  for (let id = 0; id < 5; id += 1)
    made.receive({ jsonrpc: '2.0', id, method: 'ui/open-link', params: { url: 'https://example.org' } });
  for (let count = 1; count <= 3; count += 1) {
    await request('ping');
    expect(answers).toHaveLength(count);
    answers.at(-1)?.(false);
  }
  await request('ping');
  expect(answers).toHaveLength(3);
  expect(posted.filter((message) => JSON.stringify(message).includes('isError'))).toHaveLength(5);
});

test('[MCP-2] a view is told what changes around it, at its start or later', async () => {
  const { made, request, receive, posted } = bridge();
  made.changeContext({ theme: 'light' });
  expect(await request('ui/initialize')).toMatchObject({ result: { hostContext: { theme: 'light' } } });
  made.changeContext({ containerDimensions: { width: 300 } });
  expect(posted).toHaveLength(1);
  await receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
  made.changeContext({ theme: 'dark' });
  const method = 'ui/notifications/host-context-changed';
  expect(posted.slice(1)).toEqual([
    { jsonrpc: '2.0', method, params: { containerDimensions: { width: 300 } } },
    { jsonrpc: '2.0', method, params: { theme: 'dark' } },
  ]);
});

test('[MCP-2] a view may finish its work before it ends, for a second, and asks nobody meanwhile', async () => {
  const early = bridge();
  await early.made.teardown();
  expect(early.posted).toEqual([]);

  const { made, ready, receive, request, posted, asked } = bridge();
  await receive({ jsonrpc: '2.0', method: 'ui/notifications/request-teardown' });
  await ready();
  await receive({ jsonrpc: '2.0', method: 'ui/notifications/request-teardown' });
  expect(asked.splice(0)).toEqual([['leave']]);
  let hasEnded = false;
  const ended = made.teardown().then(() => {
    hasEnded = true;
  });
  const { id } = posted.at(-1) as { id: string };
  expect(posted.at(-1)).toMatchObject({ method: 'ui/resource-teardown', params: {} });
  expect(await request('tools/call', { name: 'look' })).toMatchObject({ result: { content: [] } });
  expect(await request('tools/call', { name: 'change' })).toMatchObject({ error: { code: -1 } });
  expect(asked.flat()).not.toContain('ask');
  await receive({ jsonrpc: '2.0', id: 'other', result: {} });
  expect(hasEnded).toBe(false);
  await receive({ jsonrpc: '2.0', id, result: {} });
  await ended;

  vi.useFakeTimers();
  const silent = bridge();
  silent.made.receive({ jsonrpc: '2.0', id: 1, method: 'ui/initialize' });
  silent.made.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
  const given = silent.made.teardown();
  await vi.advanceTimersByTimeAsync(1_000);
  await given;
  vi.useRealTimers();
});
