import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ModelApi } from '../../src/index.ts';
import { API_PATHS, ModelStage } from './model-chat.ts';

const IMAGE = 'iVBORw0KGgo=';

let stage: ModelStage;
let server: Server;
let bodies: string[] = [];
beforeEach(async () => {
  stage = new ModelStage();
  bodies = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => {
      body += data.toString();
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"enough"}}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await stage.end();
});

/** The requests of two turns, as the API gets them. */
async function requestsOf(api: ModelApi, config: Record<string, unknown> = {}): Promise<unknown[]> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const chat = await stage.chat(api, { baseUrl: `http://127.0.0.1:${port}/v1` }, { config });
  for (const text of ['One', 'Two'])
    await expect(chat.prompt(text).done).rejects.toMatchObject({ errorType: 'modelError' });
  return bodies.map((body) => JSON.parse(body));
}

test('Anthropic is told to cache the system prompt and the conversation', async () => {
  const [, second] = await requestsOf('anthropic');
  const mark = { cache_control: { type: 'ephemeral' } };
  expect(second).toMatchObject({ system: [mark] });
  const { messages } = second as { messages: { content: unknown[] }[] };
  expect(messages.at(-1)?.content.at(-1)).toMatchObject({ ...mark, text: 'Two' });
  expect(JSON.stringify(messages).split('cache_control')).toHaveLength(2);
});

test('OpenAI gets one cache key for all turns of a chat, and stores nothing', async () => {
  const [first, second] = await requestsOf('openai-responses');
  const expected = { store: false, prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/) };
  expect(first).toMatchObject(expected);
  expect(second).toMatchObject({ prompt_cache_key: (first as typeof expected).prompt_cache_key });
});

test.each<readonly [ModelApi, object]>([
  ['openai', { reasoning_effort: 'high' }],
  ['openai-responses', { reasoning: { effort: 'high' } }],
  ['anthropic', { thinking: { type: expect.any(String) } }],
  ['google', { generationConfig: { thinkingConfig: expect.any(Object) } }],
])('the level of thinking reaches the API %s', async (api, expected) => {
  const [high] = await requestsOf(api, { thinking: 'high' });
  expect(high).toMatchObject(expected);
});

test.each(API_PATHS.map(([api]) => api))(
  'an image in a result of a tool reaches a model over %s',
  async (api) => {
    stage.mock.on(
      { userMessage: 'Look', hasToolResult: false },
      { toolCalls: [{ name: 'shot', arguments: '{}' }] },
    );
    stage.mock.on({}, { content: 'I see.' });
    const chat = await stage.chat(api);
    chat.host.offered = [{ clientId: 'c1', name: 'shot', definition: { name: 'shot' } }];
    const { output, done } = chat.prompt('Look');
    output.onClientTool = () => ({
      success: true,
      pastTenseMessage: 'Taken',
      content: [{ type: 'embeddedResource', data: IMAGE, contentType: 'image/png' }],
    });
    await done;
    expect(output.text).toBe('I see.');
    const last = stage.mock.getRequests().at(-1);
    const messages = JSON.stringify(last?.body);
    // Text with base64 in it would fill the context and show nothing.
    if (api === 'openai') {
      expect(messages).toContain(`"image_url":{"url":"data:image/png;base64,${IMAGE}"`);
      expect(stage.lastMessages.find(({ role }) => role === 'tool')?.content).toBe(
        '(an image, which follows)',
      );
    }
  },
);

test('an image in a result is only named for a model without images', async () => {
  stage.mock.on(
    { userMessage: 'Look', hasToolResult: false },
    { toolCalls: [{ name: 'shot', arguments: '{}' }] },
  );
  stage.mock.on({}, { content: 'I see nothing.' });
  const chat = await stage.chat('openai', { models: [{ id: 'blind', images: false }] });
  chat.host.offered = [{ clientId: 'c1', name: 'shot', definition: { name: 'shot' } }];
  const { output, done } = chat.prompt('Look');
  output.onClientTool = () => ({
    success: true,
    pastTenseMessage: 'Taken',
    content: [
      { type: 'text', text: 'A screenshot' },
      { type: 'embeddedResource', data: IMAGE, contentType: 'image/png' },
    ],
  });
  await done;
  expect(stage.lastMessages.at(-1)?.content).toBe('A screenshot\n(an image, which you cannot see)');
});

test.each(API_PATHS.map(([api]) => api))(
  'a tool asks the model by the API %s, outside of the conversation',
  async (api) => {
    stage.mock.on({ userMessage: 'Name a fruit' }, { content: 'Pear' });
    stage.mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'ask', arguments: '{}' }] });
    stage.mock.on({ hasToolResult: true }, { content: 'Done.' });
    const chat = await stage.chat(api);
    chat.host.ownTools = [{ name: 'ask', definition: { name: 'ask', inputSchema: { type: 'object' } } }];
    const { output, done } = chat.prompt('Begin');
    let answer: unknown;
    output.onHostTool = async ({ askModel }) => {
      answer = await askModel?.(
        {
          messages: [
            { role: 'user', content: [{ type: 'image', data: IMAGE, contentType: 'image/png' }] },
            { role: 'assistant', content: [{ type: 'text', text: 'A pear tree' }] },
            { role: 'user', content: [{ type: 'text', text: 'Name a fruit' }] },
          ],
          maxTokens: 20,
          stopSequences: ['.'],
        },
        new AbortController().signal,
      );
      return { success: true, pastTenseMessage: 'Asked' };
    };
    await done;
    expect(answer).toEqual({ text: 'Pear', model: 'stand-in', isCutShort: false });
    expect(
      stage.requests.map(({ messages }) => messages.filter(({ role }) => role !== 'system').length),
    ).toEqual([1, 3, 3]);
    expect(output.text).toBe('Done.');
    expect(output.violations).toEqual([]);
  },
);
