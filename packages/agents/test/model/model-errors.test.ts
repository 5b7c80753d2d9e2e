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

  test('a cancel ends the turn within 200 ms, and the next turn works', async () => {
    // First, because some APIs get both messages as one.
    stage.mock.on({ userMessage: 'fast' }, { content: 'Done.' });
    stage.mock.on({ userMessage: 'slow' }, { content: 'word '.repeat(60) }, { chunkSize: 5, latency: 20 });
    const chat = await stage.chat(api);
    const slow = chat.prompt('slow');
    await slow.output.until(() => slow.output.text.length > 10);
    const at = performance.now();
    slow.controller.abort(new Error('cancelled'));
    await expect(slow.done).rejects.toThrow('cancelled');
    expect(performance.now() - at).toBeLessThan(200);
    const fast = chat.prompt('fast');
    await fast.done;
    expect(fast.output.text).toBe('Done.');
  });
});

/** Serves these event streams of OpenAI's chat completions, one for each request, and then ends the connection in order. */
async function serve(...streams: readonly (readonly object[])[]): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => {
      body += data.toString();
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of streams[bodies.length - 1] ?? [])
        response.write(`data: ${JSON.stringify(event)}\n\n`);
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

test('malformed JSON of a tool call is told to the model, which can do better', async () => {
  stage.mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'read_file', arguments: '{"path": "a' }] });
  stage.mock.on({ hasToolResult: true }, { content: 'Sorry.' });
  const { output, done } = (await stage.chat('openai')).prompt('Read');
  await done;
  expect(output.calls[0]?.result).toMatchObject({
    success: false,
    error: { message: expect.stringContaining('JSON parsing failed') },
  });
  expect(output.text).toBe('Sorry.');
});

test('an endless answer is ended', async () => {
  const chunk = delta({ content: 'again and '.repeat(1_000) });
  const { url } = await serve(Array.from({ length: 110 }, () => chunk));
  const { done } = (await stage.chat('openai', { baseUrl: url })).prompt('Go');
  await expect(done).rejects.toMatchObject({ errorType: 'outputLimit' });
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
