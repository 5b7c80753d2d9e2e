import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelRequest, ModelRequestAnswer } from '../src/agents/model-request.ts';
import { mcpStage, testServer, textOf } from './mcp-fixture.ts';

const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

const say = (text: string) => ({ messages: [{ role: 'user', content: { type: 'text', text } }] });

/** A stage with a turn whose agent answers requests. */
async function sampling(options: Parameters<typeof mcpStage>[0]) {
  const stage = await mcpStage({ answersTools: true, ...options });
  const requests: ModelRequest[] = [];
  await stage.turn();
  const begin = (name: string, input: object, answer?: (request: ModelRequest) => ModelRequestAnswer) => {
    const result = { text: undefined as string | undefined };
    const askModel = async (request: ModelRequest): Promise<ModelRequestAnswer> => {
      requests.push(request);
      return answer?.(request) ?? { text: `answer ${requests.length}`, model: 'm', isCutShort: false };
    };
    void stage.begin(name, input, undefined, askModel).then((done) => {
      result.text = textOf(done);
    });
    return { done: () => stage.until(() => result.text) };
  };
  return { stage, requests, begin };
}

test('[MCP-1] a server asks the model of the chat during a call, when a person has allowed it', async () => {
  const entry = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
  const { stage, requests, begin } = await sampling({ mcpServers: { every: entry } });
  const { done } = begin('every__trigger-sampling-request', { prompt: 'Why?', maxTokens: 7 });
  await stage.answer(true);
  const call = await stage.until(async () => {
    const open = await stage.openQuestion();
    return open?.toolName === 'mcp_sampling' ? open : undefined;
  });
  expect(call).toMatchObject({
    confirmationTitle: 'Let every ask the model?',
    toolInput:
      'System:\nYou are a helpful test server.\n\nUser:\nResource trigger-sampling-request context: Why?',
    contributor: { kind: 'mcp', customizationId: 'mcp-host-every' },
  });
  expect(requests).toEqual([]);
  await stage.answer(true);
  expect(await done()).toMatch(/"model": "m"[^]*"text": "answer 1"/);
  expect(requests).toMatchObject([
    { system: 'You are a helpful test server.', maxTokens: 7, temperature: 0.7 },
  ]);
  expect(await stage.lastCall()).toMatchObject({ content: [{ type: 'text', text: 'answer 1' }] });
});

test('[MCP-1] a person refuses a request, or allows all of a call; requests that no model answers are refused', async () => {
  const { stage, requests, begin } = await sampling({ mcpServers: { test: testServer() } });
  const refused = begin('test__sample', { requests: [say('one')] });
  await stage.answer(false);
  expect(JSON.parse(await refused.done())).toEqual([{ code: -1, message: 'The request was denied' }]);
  const image = { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } };
  const audio = { role: 'user', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } };
  const { done } = begin(
    'test__sample',
    {
      requests: [
        say('two'),
        { messages: [image], stopSequences: ['.'] },
        { messages: [audio] },
        { messages: [] },
        { ...say('three'), tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
        say('four'),
      ],
    },
    ({ messages }) => {
      const [block] = messages[0]?.content ?? [];
      if (block?.type === 'text' && block.text === 'four') throw new Error('out of tokens');
      return { text: 'yes', model: 'm', isCutShort: true };
    },
  );
  await stage.answer(true, 'call');
  const answer = { role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } };
  expect(JSON.parse(await done())).toMatchObject([
    { ...answer, stopReason: 'maxTokens' },
    answer,
    { code: -1, message: 'The model takes no content of type audio from the user' },
    { code: -1, message: expect.stringContaining('expected 1 to 1000, got 0') },
    { message: expect.stringMatching(/tools/) },
    { code: -32_603, message: 'out of tokens' },
  ]);
  expect(requests.map(({ messages }) => messages[0]?.content[0])).toEqual([
    { type: 'text', text: 'two' },
    { type: 'image', data: 'AAAA', contentType: 'image/png' },
    { type: 'text', text: 'four' },
  ]);
});

test('[MCP-1] a server is told of the model only if the agent answers, and has no time limit while a person thinks', async () => {
  const silent = await mcpStage({ mcpServers: { test: testServer() } });
  await silent.turn();
  expect(silent.tools()).not.toContain('test__sample');
  const { stage, begin } = await sampling({ mcpServers: { test: testServer({ toolTimeoutSeconds: 5 }) } });
  const { done } = begin('test__sample', { requests: [say('one')] });
  await stage.until(() => stage.openQuestion());
  await stage.host.advance(60_000);
  await stage.answer(true);
  expect(await done()).toContain('answer 1');
});
