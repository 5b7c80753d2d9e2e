// What a turn can do, over each family of model APIs. Errors of each family are in `model-errors.test.ts`, texts and calls in `model-turns.test.ts`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelApi } from '../../src/index.ts';
import { API_PATHS, ModelStage, textOf } from './model-chat.ts';

let stage: ModelStage;
beforeEach(() => {
  stage = new ModelStage();
});
afterEach(() => stage.end());

/** What each API says about a conversation that is too long, with HTTP 400. */
const TOO_LONG: Readonly<Record<ModelApi, string>> = {
  openai: "This model's maximum context length is 10 tokens. However, your messages resulted in 20 tokens.",
  'openai-responses':
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  anthropic: 'prompt is too long: 210000 tokens > 200000 maximum',
  google: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
};

const heard = (): string[] =>
  stage.lastMessages.flatMap((message) => (message.role === 'system' ? [] : [textOf(message)]));

describe.each(API_PATHS.map(([api]) => api))('over the API %s', (api) => {
  test('[CHAT-12] one turn has an approved change, a denied one with feedback, a worker, a question and a steering message', async () => {
    const write = (path: string) => ({
      name: 'write_file',
      arguments: JSON.stringify({ path, content: path }),
    });
    stage.mock.on(
      { userMessage: 'Do it all', hasToolResult: false },
      {
        toolCalls: [
          write('yes.txt'),
          write('no.txt'),
          { name: 'start_worker', arguments: '{"title":"Finder","prompt":"Find the pear"}' },
          { name: 'ask_user', arguments: '{"question":"Which way?","options":["Left","Right"]}' },
        ],
      },
    );
    // The worker calls a tool of its own.
    stage.mock.on(
      { userMessage: 'Find the pear', hasToolResult: false },
      { toolCalls: [{ name: 'list_files', arguments: '{}' }] },
    );
    stage.mock.on({ userMessage: 'Find the pear' }, { content: 'In b.txt.' });
    stage.mock.on({}, { content: 'All done.' });
    const chat = await stage.chat(api);
    const { output, done } = chat.prompt('Do it all');
    const ask = await output.openAsk();
    expect(await chat.session.steer?.({ text: 'Be quick', origin: { kind: 'user' } })).toBe(true);
    ask.accept({ question: { kind: 'selected', value: 'Right' } });
    for (let count = 0; count < 2; count += 1) {
      const call = await output.callIn('pending-confirmation');
      expect(call.shown?.kind).toBe('edit');
      // The questions come in any order.
      if (call.input.includes('yes.txt')) call.answer({ approved: true });
      else call.answer({ approved: false, reason: 'denied', message: 'Rather in docs' });
    }
    await done;
    expect(output.calls.map(({ status, result }) => [status, result?.success])).toEqual([
      ['completed', true],
      ['cancelled', undefined],
      ['completed', true],
      ['completed', true],
    ]);
    expect(readFileSync(join(stage.folder, 'yes.txt'), 'utf8')).toBe('yes.txt');
    expect(() => readFileSync(join(stage.folder, 'no.txt'))).toThrow('ENOENT');
    expect(output.workers[0]?.turns[0]?.output).toMatchObject({ text: 'In b.txt.', violations: [] });
    expect(output.text).toBe('All done.');
    const all = heard().join('\n');
    expect(all).toMatch(
      /Do it all[^]*Written: yes\.txt[^]*denied this call[^]*Rather in docs[^]*In b\.txt\.[^]*Right/,
    );
    // Anthropic's API gets it in one message with the results, where the stand-in puts texts first.
    expect(all).toContain('Be quick');
    expect(all).not.toContain('Find the pear');
    expect(output.violations).toEqual([]);
  });

  test('a conversation that fills the context is compacted before the next answer, and after the API refuses it', async () => {
    const usage = { prompt_tokens: 900, completion_tokens: 10 };
    stage.mock.on({ userMessage: 'replaced by your summary' }, { content: 'They like apples.' });
    stage.mock.on(
      { userMessage: 'I like apples', sequenceIndex: 0 },
      { content: 'Noted.', toolCalls: [{ name: 'list_files', arguments: '{}' }], usage },
    );
    stage.mock.on(
      { userMessage: 'too much', sequenceIndex: 0 },
      { error: { message: TOO_LONG[api] }, status: 400 },
    );
    stage.mock.on({}, { content: 'Apples.' });
    const chat = await stage.chat(api, { models: [{ id: 'small', contextWindow: 1_000 }] });
    // The first answer calls a tool and fills the context: the next call of the model is after the summary.
    const first = chat.prompt('I like apples', { turnId: 't1' });
    await first.done;
    expect(first.output.text).toBe('Noted.Apples.');
    expect(JSON.stringify(first.output.events)).toContain('They like apples.');
    expect(chat.host.memory).toMatchObject({ summary: { text: 'They like apples.', fromTurn: 't1' } });
    stage.mock.clearRequests();
    const second = chat.prompt('too much', { turnId: 't2' });
    await second.done;
    expect(second.output.text).toBe('Apples.');
    expect(stage.requests).toHaveLength(3);
    expect(heard()[0]).toContain('<summary>\nThey like apples.\n</summary>');
    expect(chat.host.memory).toMatchObject({ summary: { fromTurn: 't2' } });
  });
});
