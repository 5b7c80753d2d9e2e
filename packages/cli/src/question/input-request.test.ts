import type { ChatInputQuestion } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { LineReader } from '../line-reader.ts';
import { Screen } from '../render/screen.ts';
import { askInputRequest, readAnswer } from './input-request.ts';

const options = [
  { id: 'a', label: 'Apple' },
  { id: 'b', label: 'Banana' },
];
const base = { id: 'q', message: 'Which?' };
const text: ChatInputQuestion = { ...base, kind: 'text', min: 2, max: 3, defaultValue: 'ab' };
const number: ChatInputQuestion = { ...base, kind: 'integer', min: 1, max: 9 };
const yesNo: ChatInputQuestion = { ...base, kind: 'boolean' };
const one: ChatInputQuestion = { ...base, kind: 'single-select', options };
const some: ChatInputQuestion = { ...base, kind: 'multi-select', options, min: 1 };
const free: ChatInputQuestion = { ...one, allowFreeformInput: true };

describe('readAnswer', () => {
  test.each([
    [text, 'abc', { kind: 'text', value: 'abc' }],
    [text, '', { kind: 'text', value: 'ab' }],
    [text, 'x', 'at least 2 characters'],
    [text, 'long', 'at most 3 characters'],
    [number, '7', { kind: 'number', value: 7 }],
    [number, '7.5', 'a whole number'],
    [number, '12', 'a number from 1 to 9'],
    [number, 'x', 'a number'],
    [number, '', ''],
    [yesNo, 'Yes', { kind: 'boolean', value: true }],
    [yesNo, 'n', { kind: 'boolean', value: false }],
    [yesNo, 'perhaps', 'y or n'],
    [one, '2', { kind: 'selected', value: 'b' }],
    [one, '3', 'a number from 1 to 2'],
    [free, 'Cherry', { kind: 'selected', value: '', freeformValues: ['Cherry'] }],
    [some, '2, 1', { kind: 'selected-many', value: ['b', 'a'] }],
    [some, '1 9', 'numbers from 1 to 2'],
  ])('%j takes %j as %j', (question, line, expected) => {
    expect(readAnswer(question, line)).toEqual(expected);
  });
});

describe('askInputRequest', () => {
  const ask = async (lines: string[]): Promise<unknown> => {
    const context = new FakeContext({ isTerminal: true });
    const reader = new LineReader(context.stdin);
    context.stdout.resume();
    const request = {
      id: 'r',
      message: 'About fruit',
      questions: [
        { ...one, required: true },
        { ...yesNo, id: 'p' },
      ],
    };
    const asking = askInputRequest(new Screen(context), reader, request, new AbortController().signal);
    for (const line of lines) {
      await new Promise((resolve) => setImmediate(resolve));
      context.stdin.write(`${line}\n`);
    }
    await new Promise((resolve) => setImmediate(resolve));
    context.stdin.end();
    const answer = await asking;
    reader.close();
    return answer;
  };

  test('asks again until an answer fits, and skips what is optional', async () => {
    expect(await ask(['', '9', '1', ''])).toEqual({
      response: 'accept',
      answers: {
        q: { state: 'submitted', value: { kind: 'selected', value: 'a' } },
        p: { state: 'skipped' },
      },
    });
  });

  test('declines at !', async () => {
    expect(await ask(['1', '!'])).toEqual({ response: 'decline', answers: {} });
  });

  test('gives no answer when input ends', async () => {
    expect(await ask(['1'])).toBeUndefined();
  });
});
