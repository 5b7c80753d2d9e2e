import { expect, test } from 'vitest';
import { inputQuestions } from './elicitation.ts';

const form = (description: string) => ({
  message: 'Who?',
  requestedSchema: {
    type: 'object' as const,
    properties: { name: { type: 'string' as const, description } },
  },
});

test('a question of a server becomes a form; one that is longer than a person would read is declined or cut', () => {
  expect(inputQuestions('docs', form('Your name'))).toEqual({
    message: 'docs: Who?',
    questions: [{ id: 'name', kind: 'text', title: 'name', message: 'Your name' }],
  });
  expect(inputQuestions('docs', form('x'.repeat(100_000)))).toBeUndefined();
  const url = {
    mode: 'url' as const,
    elicitationId: 'e',
    message: 'x'.repeat(100_000),
    url: 'https://a.example',
  };
  expect(inputQuestions('docs', url)?.message?.length).toBeLessThanOrEqual(4_000);
  expect(inputQuestions('docs', { ...url, url: `https://a.example/${'x'.repeat(9_000)}` })).toBeUndefined();
});
