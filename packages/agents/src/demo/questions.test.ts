import { tmpdir } from 'node:os';
import type { ChatInputAnswerValue } from '@agenthost/protocol';
import { openChat, type RunningTurn } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { createDemoProvider } from './provider.ts';
import { FAST_MODEL_ID } from './session.ts';

async function ask(prompt: string): Promise<RunningTurn> {
  const chat = await openChat(createDemoProvider(), { workingDirectory: tmpdir() });
  return chat.prompt(prompt, { model: FAST_MODEL_ID });
}

describe('questions of the demo agent', () => {
  it.each<[string, string, string, ChatInputAnswerValue, string]>([
    ['text', 'text', 'name', { kind: 'text', value: 'Rye' }, 'Name: `Rye`'],
    ['number', 'number', 'weight', { kind: 'number', value: 0.5 }, 'Weight: `0.5`'],
    ['integer', 'integer', 'count', { kind: 'number', value: 3 }, 'Count: `3`'],
    ['boolean', 'boolean', 'sliced', { kind: 'boolean', value: false }, 'Sliced: no'],
    ['single', 'single-select', 'size', { kind: 'selected', value: 'large' }, 'Size: `large`'],
    [
      'multi',
      'multi-select',
      'toppings',
      { kind: 'selected-many', value: ['salt'], freeformValues: ['Figs'] },
      'Toppings: `salt`, "Figs"',
    ],
  ])(
    '[CHAT-13] "question %s" asks one question and repeats the answer',
    async (...[word, kind, id, value, line]) => {
      const { output, done } = await ask(`question ${word} required`);
      const question = await output.openAsk();
      expect(question.request.questions).toMatchObject([{ kind, id, required: true }]);
      question.accept({ [id]: value });
      await done;
      expect(output.text).toBe(`You answered:\n\n- ${line}`);
    },
  );

  it('[CHAT-13] several kinds make a form in their order, and "form" has all six kinds', async () => {
    const two = await ask('question boolean text');
    const form = await two.output.openAsk();
    expect(form.request.questions?.map(({ kind }) => kind)).toEqual(['boolean', 'text']);
    expect(form.request.questions?.some(({ required }) => required)).toBe(false);
    form.accept({ name: { kind: 'text', value: 'Rye' } });
    await two.done;
    expect(two.output.text).toBe('You answered:\n\n- Sliced: nothing\n- Name: `Rye`');
    const all = await ask('question form free');
    const { request } = await all.output.openAsk();
    expect(request.questions).toHaveLength(6);
    expect(request.questions?.filter((each) => 'options' in each && each.allowFreeformInput)).toHaveLength(2);
    all.output.end();
  });

  it('[CHAT-13] "question url" asks to open a page, and reports the response', async () => {
    for (const [close, said] of [
      ['accept', 'You accepted.'],
      ['decline', 'You declined.'],
      ['cancel', 'You dismissed the question.'],
    ] as const) {
      const { output, done } = await ask('question url');
      const page = await output.openAsk();
      expect(page.request).toMatchObject({ url: expect.stringMatching(/^https:/) });
      expect(page.request.questions).toBeUndefined();
      page[close]();
      await done;
      expect(output.text).toBe(said);
    }
  });

  it.each([
    'question',
    'question everything',
    'question url text',
    'question form text',
    'question text text',
  ])('"%s" is not a keyword', async (prompt) => {
    const { output, done } = await ask(prompt);
    await done;
    expect(output.asks).toEqual([]);
  });
});
