import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createModelProvider, type ModelApi } from '../../src/index.ts';
import { QuickTimers } from './model-chat.ts';

let server: Server;
let answer: { status: number; body: string };
let seen: { url: string | undefined; headers: Record<string, unknown> }[] = [];
let url = '';

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const providerOf = (api: ModelApi) =>
  createModelProvider(
    { id: 'mine', displayName: 'Mine', api, baseUrl: url, apiKeyEnv: 'KEY' },
    { timers: new QuickTimers(), environment: { KEY: 'sk-1' } },
  );

test.each<readonly [ModelApi, object, string, object]>([
  [
    'openai',
    { data: [{ id: 'a', context_length: 10 }, { id: 'text-embedding-3' }] },
    'authorization',
    { id: 'a', maxContextWindow: 10 },
  ],
  ['anthropic', { data: [{ id: 'a', display_name: 'A' }] }, 'x-api-key', { id: 'a', name: 'A' }],
  [
    'google',
    {
      models: [
        { name: 'models/a', inputTokenLimit: 5, supportedGenerationMethods: ['generateContent'] },
        { name: 'models/b', supportedGenerationMethods: ['embedContent'] },
      ],
    },
    'x-goog-api-key',
    { id: 'a', maxContextWindow: 5 },
  ],
])('the models of the API %s are listed, and a change is told', async (api, body, header, model) => {
  answer = { status: 200, body: JSON.stringify(body) };
  const provider = providerOf(api);
  let changes = 0;
  provider.onInfoChanged?.(() => {
    changes += 1;
  });
  const { failure, available } = await provider.availability();
  expect({ failure, available }).toEqual({ failure: undefined, available: true });
  expect(provider.describe().models).toMatchObject([model]);
  expect(seen[0]?.headers[header]).toContain('sk-1');
  await provider.availability();
  expect(changes).toBe(1);
  await provider.dispose();
});

test.each([
  [401, 'no', 'the API refused the key (HTTP 401)', 'agenthost agents key mine'],
  [500, 'no', 'the API failed (HTTP 500)', undefined],
  [200, 'no JSON', 'the list of models cannot be read', undefined],
])(
  'an endpoint that answers %i is reported with the reason, and a key is asked for only where one helps',
  async (status, body, reason, signIn) => {
    answer = { status, body };
    const provider = providerOf('openai');
    const found = await provider.availability();
    expect(found.failure).toContain(reason);
    expect(found.signIn).toBe(signIn);
    await provider.dispose();
  },
);
