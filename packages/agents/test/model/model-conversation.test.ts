import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChat } from '@agenthost/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ModelStage, textOf } from './model-chat.ts';

let stage: ModelStage;
beforeEach(() => {
  stage = new ModelStage();
});
afterEach(() => stage.end());

const heard = (): (readonly [string, string])[] =>
  stage.lastMessages
    .filter(({ role }) => role !== 'system')
    .map((each) => [each.role, textOf(each)] as const);

test('after a restart the model gets the completed turns from the journal, with their calls', async () => {
  stage.mock.on({}, { content: 'Yes.' });
  const chat = await stage.chat(
    'openai',
    {},
    {
      history: [
        {
          id: 't1',
          message: { text: 'List it', origin: { kind: 'user' } },
          state: 'complete',
          responseParts: [
            {
              kind: 'toolCall',
              toolCall: {
                status: 'completed',
                toolCallId: 'c1',
                toolName: 'list_files',
                displayName: 'List files',
                invocationMessage: 'List',
                toolInput: '{"path":"."}',
                confirmed: 'not-needed',
                success: true,
                pastTenseMessage: 'Listed',
                content: [{ type: 'text', text: 'a.txt' }],
              },
            },
            { kind: 'markdown', id: 'm', content: 'There is a.txt.' },
          ],
        },
      ],
    },
  );
  await chat.prompt('Really?').done;
  expect(heard()).toEqual([
    ['user', 'List it'],
    ['assistant', ''],
    ['tool', 'a.txt'],
    ['assistant', 'There is a.txt.'],
    ['user', 'Really?'],
  ]);
  // The journal has the turns: nothing is stored twice.
  expect(chat.host.memory).toEqual({});
});

test('[CHAT-23] a turn that failed is resumed by another session with the answer so far', async () => {
  writeFileSync(join(stage.folder, 'a.txt'), 'apple');
  stage.mock.on(
    { hasToolResult: false },
    { toolCalls: [{ name: 'read_file', arguments: '{"path":"a.txt"}' }] },
  );
  stage.mock.on({ hasToolResult: true }, { error: { message: 'no such model' }, status: 404 });
  const chat = await stage.chat('openai');
  await expect(chat.prompt('Read', { turnId: 't1' }).done).rejects.toMatchObject({
    errorType: 'modelNotFound',
  });
  stage.mock.clearFixtures();
  stage.mock.on({ hasToolResult: true }, { content: 'It says apple.' });
  const memory = chat.host.memory;
  const later = await openChat(await stage.provider('openai'), { workingDirectory: stage.folder, memory });
  const { output, done } = later.prompt('Read', { turnId: 't1', isResumed: true });
  await done;
  expect(output.text).toBe('It says apple.');
  expect(heard().map(([role]) => role)).toEqual(['user', 'assistant', 'tool']);
});

test('[CHAT-12] a steering message goes into the running turn', async () => {
  stage.mock.on(
    { hasToolResult: false, userMessage: 'start' },
    { toolCalls: [{ name: 'ask_user', arguments: '{"question":"Go?"}' }] },
  );
  stage.mock.on({}, { content: 'Turning left.' });
  const chat = await stage.chat('openai');
  const { output, done } = chat.prompt('start');
  const ask = await output.openAsk();
  expect(await chat.session.steer?.({ text: 'Turn left', origin: { kind: 'user' } })).toBe(true);
  ask.cancel();
  await done;
  expect(heard().at(-1)).toEqual(['user', 'Turn left']);
  expect(output.text).toBe('Turning left.');
  expect(await chat.session.steer?.({ text: 'Too late', origin: { kind: 'user' } })).toBe(false);
});

test('a conversation that nearly fills the context is compacted, which people see and a restart keeps', async () => {
  stage.mock.on({ userMessage: 'replaced by your summary' }, { content: 'They like apples.' });
  stage.mock.on(
    { userMessage: 'apples' },
    { content: 'Noted.', usage: { prompt_tokens: 900, completion_tokens: 10 } },
  );
  stage.mock.on({}, { content: 'Apples.' });
  const chat = await stage.chat('openai', { models: [{ id: 'small', contextWindow: 1_000 }] });
  await chat.prompt('I like apples').done;
  const { output, done } = chat.prompt('/compact', { turnId: 't2' });
  await done;
  expect(JSON.stringify(output.events)).toContain('They like apples.');
  expect(output.text).toBe('');
  expect(chat.host.memory).toEqual({ summary: { text: 'They like apples.', fromTurn: 't2' } });
  await chat.prompt('What do I like?').done;
  expect(heard()[0]?.[1]).toContain('<summary>\nThey like apples.\n</summary>');
});

test('the answer of a model that is told that the context is full follows a compaction', async () => {
  stage.mock.on({ userMessage: 'replaced by your summary' }, { content: 'Short.' });
  stage.mock.on(
    { predicate: ({ messages }) => messages.some((each) => textOf(each).includes('<summary>')) },
    { content: 'Now it fits.' },
  );
  stage.mock.on({}, { error: { message: 'maximum context length is 10 tokens' }, status: 400 });
  const { output, done } = (await stage.chat('openai')).prompt('A long story');
  await done;
  expect(output.text).toBe('Now it fits.');
});

test('the system prompt has the instructions of the project', async () => {
  writeFileSync(join(stage.folder, 'AGENTS.md'), 'Always write tests.');
  stage.mock.on({}, { content: 'Yes.' });
  await (await stage.chat('openai')).prompt('Hello').done;
  const system = stage.lastMessages.find(({ role }) => role === 'system');
  expect(system && textOf(system)).toContain('Always write tests.');
});

test('the cost is counted over the chat', async () => {
  stage.mock.on({}, { content: 'Yes.', usage: { prompt_tokens: 1_000, completion_tokens: 100 } });
  const price = { input: 10, output: 50, currency: 'EUR' };
  const chat = await stage.chat('openai', { models: [{ id: 'm', contextWindow: 100_000, price }] });
  await chat.prompt('One').done;
  const { output, done } = chat.prompt('Two');
  await done;
  expect(output.lastUsage).toEqual({
    inputTokens: 1_000,
    outputTokens: 100,
    model: 'm',
    _meta: {
      contextTokens: 1_100,
      contextWindow: 100_000,
      cost: { amount: expect.closeTo(0.03), currency: 'EUR' },
      modelProvider: 'openai',
    },
  });
});

test('an image reaches the model, or is named where it accepts none', async () => {
  stage.mock.on({}, { content: 'I see.' });
  const attachments = [
    { type: 'embeddedResource' as const, label: 'dot.png', contentType: 'image/png', data: 'iVBORw0KGgo=' },
  ];
  await (await stage.chat('openai')).prompt('Look', { attachments }).done;
  expect(JSON.stringify(stage.lastMessages.at(-1)?.content)).toContain('image_url');
  const blind = await stage.chat('openai', { models: [{ id: 'blind', images: false }] });
  const { output, done } = blind.prompt('Look', { attachments });
  await done;
  expect(JSON.stringify(stage.lastMessages.at(-1)?.content)).toContain('which you cannot see');
  expect(output.events.some(({ kind }) => kind === 'notify')).toBe(true);
});
