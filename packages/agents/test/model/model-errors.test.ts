import { createServer, type Server } from 'node:http';
import { AgentError } from '@agenthost/host/agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { API_PATHS, ModelStage, textOf } from './model-chat.ts';

let stage: ModelStage;
let server: Server | undefined;
beforeEach(() => {
  stage = new ModelStage();
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await stage.end();
});

/** Activities that people saw. */
const activities = (output: { events: readonly { kind: string }[] }): string[] =>
  output.events.flatMap((event) =>
    event.kind === 'activity' && 'text' in event && typeof event.text === 'string' ? [event.text] : [],
  );

test('without a key and a model the turn says that the key is missing, and asks the endpoint for nothing', async () => {
  const { done } = (await stage.chat('anthropic', { apiKeyEnv: 'ABSENT_KEY', models: [] })).prompt('Hello');
  await expect(done).rejects.toMatchObject({
    errorType: 'authRequired',
    message: 'Mine has no key: run `agenthost agents key mine`, or set ABSENT_KEY for the host',
  });
  expect(stage.mock.getRequests()).toHaveLength(0);
});

describe.each(API_PATHS)('over the API %s', (api) => {
  test('a refused key fails the turn at once, says what to do, and does not show the key', async () => {
    stage.mock.on({}, { error: { message: 'bad key sk-secret-key' }, status: 401 });
    const { done } = (await stage.chat(api)).prompt('Hello');
    await expect(done).rejects.toBeInstanceOf(AgentError);
    await expect(done).rejects.toMatchObject({
      errorType: 'authRequired',
      message: expect.stringMatching(/refused the key \(HTTP 401\).*agenthost agents key mine/),
    });
    await expect(done).rejects.not.toThrow(/sk-secret-key/);
    expect(stage.mock.getRequests()).toHaveLength(1);
  });

  test.each([429, 500, 503])(
    'HTTP %i is tried again, which people see, and the turn goes on',
    async (status) => {
      stage.mock.on({}, { content: 'Here I am.' });
      for (let count = 0; count < 2; count += 1) stage.mock.nextRequestError(status, { message: 'not now' });
      const { output, done } = (await stage.chat(api)).prompt('Hello');
      await done;
      expect(output.text).toBe('Here I am.');
      expect(activities(output)).toEqual([
        expect.stringMatching(new RegExp(`\\(HTTP ${status}\\): not now. Attempt 2 of 6 in \\d+ s`)),
        expect.stringMatching(/Attempt 3 of 6 in \d+ s/),
      ]);
      expect(output.events.findLast(({ kind }) => kind === 'activity')).toMatchObject({ text: undefined });
    },
  );

  test('[CHAT-23] a turn whose attempts all failed can be resumed, and goes on with what there is', async () => {
    stage.mock.on({}, { error: { message: 'overloaded' }, status: 503 });
    const chat = await stage.chat(api);
    await expect(chat.prompt('Hello', { turnId: 'one' }).done).rejects.toMatchObject({
      errorType: 'modelUnavailable',
      message: expect.stringContaining('6 attempts failed'),
    });
    stage.mock.clearFixtures();
    stage.mock.on({}, { content: 'Better now.' });
    const { output, done } = chat.prompt('Hello', { turnId: 'one', isResumed: true });
    await done;
    expect(output.text).toBe('Better now.');
    expect(stage.lastMessages.filter(({ role }) => role !== 'system').map(textOf)).toEqual(['Hello']);
  });

  test('a call of a tool that does not exist is told to the model', async () => {
    stage.mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'fly', arguments: '{}' }] });
    stage.mock.on({ hasToolResult: true }, { content: 'I cannot fly.' });
    const { output, done } = (await stage.chat(api)).prompt('Fly');
    await done;
    expect(output.calls[0]?.result).toMatchObject({ success: false });
    expect(output.text).toBe('I cannot fly.');
    expect(stage.lastMessages.map(textOf).join()).toContain("unavailable tool 'fly'");
    expect(output.violations).toEqual([]);
  });

  test('an answer that is cut stays, and the model continues it', async () => {
    stage.mock.on({ userMessage: 'broke off' }, { content: 'and the rest.' });
    const content = `${'word '.repeat(40)}last`;
    stage.mock.on(
      { userMessage: 'Count' },
      { content },
      { chunkSize: 5, truncateAfterChunks: 20, latency: 2 },
    );
    const { output, done } = (await stage.chat(api)).prompt('Count');
    await done;
    expect(output.text).toMatch(/^word .*and the rest\.$/);
    expect(output.text).not.toContain('last');
    expect(activities(output)).toEqual([expect.stringMatching(/Attempt 2 of 6/)]);
    expect(output.violations).toEqual([]);
  });

  test('an endless answer is ended', async () => {
    stage.mock.on({}, { content: 'again and '.repeat(110_000) }, { chunkSize: 50_000 });
    await expect((await stage.chat(api)).prompt('Go').done).rejects.toMatchObject({
      errorType: 'outputLimit',
    });
  });

  test('a cancel does not wait for an API that never answers', async () => {
    const { url, bodies } = await serve('never');
    const { done, controller } = (await stage.chat(api, { baseUrl: url })).prompt('Hello');
    await expect.poll(() => bodies.length).toBe(1);
    controller.abort(new Error('cancelled'));
    await expect(done).rejects.toThrow('cancelled');
  });

  test('a cancel during an answer ends it, and the next turn works', async () => {
    // First, because some APIs get both messages as one.
    stage.mock.on({ userMessage: 'fast' }, { content: 'Done.' });
    stage.mock.on({ userMessage: 'slow' }, { content: 'word '.repeat(60) }, { chunkSize: 5, latency: 20 });
    const chat = await stage.chat(api);
    const slow = chat.prompt('slow');
    await slow.output.until(() => slow.output.text.length > 10);
    slow.controller.abort(new Error('cancelled'));
    await expect(slow.done).rejects.toThrow('cancelled');
    expect(slow.output.text.length).toBeLessThan(300);
    const fast = chat.prompt('fast');
    await fast.done;
    expect(fast.output.text).toBe('Done.');
  });
});

/**
 * Serves these event streams of OpenAI's chat completions, one for each request, and then ends the connection in order. `never`: it does not
 * answer.
 */
async function serve(
  ...streams: readonly (readonly object[] | 'never')[]
): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => {
      body += data.toString();
    });
    request.on('end', () => {
      bodies.push(body);
      const stream = streams[bodies.length - 1] ?? [];
      if (stream === 'never') return;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of stream) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/v1`, bodies };
}

const delta = (content: object, finish: string | null = null) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'stand-in',
  choices: [{ index: 0, delta: content, finish_reason: finish }],
});

test('an answer that breaks off stays, and the model continues it', async () => {
  const { url, bodies } = await serve(
    [delta({ content: 'One, two, ' })],
    [delta({ content: 'three.' }), delta({}, 'stop')],
  );
  const { output, done } = (await stage.chat('openai', { baseUrl: url })).prompt('Count');
  await done;
  expect(output.text).toBe('One, two, three.');
  const messages: unknown = JSON.parse(bodies[1] ?? '').messages;
  expect(messages).toMatchObject([
    { role: 'system' },
    { role: 'user', content: 'Count' },
    { role: 'assistant', content: 'One, two, ' },
    { role: 'user', content: expect.stringContaining('broke off') },
  ]);
});

test('a call that breaks off is ended and not run', async () => {
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'write_file', arguments: '{"path' } };
  const { url } = await serve(
    [delta({ tool_calls: [call] })],
    [delta({ content: 'Never mind.' }), delta({}, 'stop')],
  );
  const { output, done } = (await stage.chat('openai', { baseUrl: url })).prompt('Write');
  await done;
  expect(output.calls.map(({ status, result }) => [status, result?.success])).toEqual([['completed', false]]);
  expect(output.text).toBe('Never mind.');
  expect(output.violations).toEqual([]);
});

test.each(['openai', 'openai-responses'] as const)(
  'malformed JSON of a tool call over %s is told to the model',
  async (api) => {
    stage.mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'read_file', arguments: '{"path": "a' }] });
    stage.mock.on({ hasToolResult: true }, { content: 'Sorry.' });
    const { output, done } = (await stage.chat(api)).prompt('Read');
    await done;
    expect(output.calls[0]?.result).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('JSON parsing failed') },
    });
    expect(output.text).toBe('Sorry.');
  },
);

test('malformed JSON of a tool call over anthropic is told to the model', async () => {
  const start = { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], stop_reason: null };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stream = (block: object, delta: object, reason: string) => [
    { type: 'message_start', message: { ...start, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason }, usage },
    { type: 'message_stop' },
  ];
  const { url, bodies } = await serve(
    stream(
      { type: 'tool_use', id: 'c', name: 'read_file', input: {} },
      { type: 'input_json_delta', partial_json: '{"path": "a' },
      'tool_use',
    ),
    stream({ type: 'text', text: '' }, { type: 'text_delta', text: 'Sorry.' }, 'end_turn'),
  );
  const { output, done } = (await stage.chat('anthropic', { baseUrl: url })).prompt('Read');
  await done;
  expect(output.text).toBe('Sorry.');
  expect(output.calls[0]?.result).toMatchObject({ success: false });
  expect(bodies[1]).toContain('JSON parsing failed');
});

test('an answer that Google ends for a malformed call is asked for again', async () => {
  const answer = (content: object | undefined, finishReason: string) => [
    { candidates: [{ index: 0, ...(content === undefined ? {} : { content }), finishReason }] },
  ];
  const { url } = await serve(
    answer(undefined, 'MALFORMED_FUNCTION_CALL'),
    answer({ role: 'model', parts: [{ text: 'Better.' }] }, 'STOP'),
  );
  const { output, done } = (await stage.chat('google', { baseUrl: url })).prompt('Read');
  await done;
  expect(output.text).toBe('Better.');
  expect(activities(output)).toEqual([expect.stringContaining('MALFORMED_FUNCTION_CALL')]);
});

test('an API that asks for a pause gets it, and one that asks for an hour fails the turn', async () => {
  stage.mock.on({ userMessage: 'long' }, { error: { message: 'later' }, status: 429, retryAfter: 3_600 });
  await expect((await stage.chat('openai')).prompt('long').done).rejects.toMatchObject({
    errorType: 'rateLimited',
    message: expect.stringContaining('1 attempts failed'),
  });
});

test('a server that is not there fails the turn with the reason', async () => {
  const chat = await stage.chat('openai', { baseUrl: 'http://127.0.0.1:9/v1' });
  await expect(chat.prompt('Hello').done).rejects.toMatchObject({ errorType: 'modelUnavailable' });
});
