import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { API_PATHS, ModelStage, textOf } from './model-chat.ts';

let stage: ModelStage;
beforeEach(() => {
  stage = new ModelStage();
});
afterEach(() => stage.end());

describe.each(API_PATHS)('over the API %s', (api) => {
  test('text and reasoning stream, and usage is counted', async () => {
    stage.mock.on({}, { content: 'Hello from the model.', reasoning: 'Let me think.' }, { chunkSize: 5 });
    const chat = await stage.chat(api);
    const { output, done } = chat.prompt('Say hello');
    await done;
    expect(output.text).toBe('Hello from the model.');
    expect(output.thoughts).toBe('Let me think.');
    expect(output.events.filter(({ kind }) => kind === 'markdown').length).toBeGreaterThan(2);
    expect(output.lastUsage).toMatchObject({ model: 'stand-in' });
    expect(output.violations).toEqual([]);
  });

  test('the model gets the earlier turns of the chat', async () => {
    stage.mock.on({}, { content: 'Noted.' });
    const chat = await stage.chat(api);
    await chat.prompt('The word is apple').done;
    await chat.prompt('Which word?').done;
    const heard = stage.lastMessages.map((message) => [message.role, textOf(message)]);
    expect(heard.filter(([role]) => role !== 'system')).toEqual([
      ['user', 'The word is apple'],
      ['assistant', 'Noted.'],
      ['user', 'Which word?'],
    ]);
  });

  test('calls of one answer run together, and the model gets their results', async () => {
    writeFileSync(join(stage.folder, 'a.txt'), 'apple\n');
    writeFileSync(join(stage.folder, 'b.txt'), 'banana\n');
    stage.mock.on(
      { hasToolResult: false },
      {
        content: 'I read both.',
        toolCalls: [
          { name: 'read_file', arguments: '{"path":"a.txt"}' },
          { name: 'read_file', arguments: '{"path":"b.txt"}' },
        ],
      },
    );
    stage.mock.on({ hasToolResult: true }, { content: 'Apple and banana.' });
    const chat = await stage.chat(api);
    const { output, done } = chat.prompt('Read both files');
    await done;
    expect(output.calls.map(({ status, input }) => [status, JSON.parse(input)])).toEqual([
      ['completed', { path: 'a.txt' }],
      ['completed', { path: 'b.txt' }],
    ]);
    expect(output.text).toBe('I read both.Apple and banana.');
    const results = stage.lastMessages.filter(({ role }) => role === 'tool').map(textOf);
    expect(results).toEqual([
      expect.stringMatching(/1(\t|\\t)apple/),
      expect.stringMatching(/1(\t|\\t)banana/),
    ]);
    expect(output.violations).toEqual([]);
  });
});
