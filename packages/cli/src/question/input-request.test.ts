import type { ChatInputQuestion, ChatInputRequest } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { LineReader } from '../process/line-reader.ts';
import { Screen } from '../render/screen.ts';
import { askInputRequest, type OpenForm } from './input-request.ts';
import { readAnswer, typingHint } from './typed-answer.ts';

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
    [text, 'x', '"Which?" takes at least 2 characters, not 1'],
    [text, 'long', '"Which?" takes at most 3 characters, not 4'],
    [number, '7', { kind: 'number', value: 7 }],
    [number, '7.5', '"Which?" takes a whole number, not 7.5'],
    [number, '12', '"Which?" takes a number of at most 9, not 12'],
    [number, 'x', 'type a number'],
    [number, '', ''],
    [yesNo, 'Yes', { kind: 'boolean', value: true }],
    [yesNo, 'n', { kind: 'boolean', value: false }],
    [yesNo, 'perhaps', 'type y or n'],
    [one, '2', { kind: 'selected', value: 'b' }],
    [one, '3', 'type a number from 1 to 2'],
    [free, 'Cherry', { kind: 'selected', value: '', freeformValues: ['Cherry'] }],
    [some, '2, 1', { kind: 'selected-many', value: ['b', 'a'] }],
    [some, '1 9', 'type numbers from 1 to 2'],
  ])('%j reads %j as %j', (question, line, expected) => {
    expect(readAnswer(question, line)).toEqual(expected);
  });
});

describe('typingHint', () => {
  const recommended: ChatInputQuestion = {
    ...some,
    options: options.map((option) => ({ ...option, recommended: true })),
    required: true,
  };
  test.each<[ChatInputQuestion, string]>([
    [{ ...base, kind: 'text' }, 'text'],
    [{ ...base, kind: 'text', format: 'email', defaultValue: 'a@b.c' }, 'an email address, - skips [a@b.c]'],
    [{ ...base, kind: 'text', format: 'colour' }, 'text (colour)'],
    [{ ...base, kind: 'number', defaultValue: 0, required: true }, 'number [0]'],
    [number, 'whole number'],
    [{ ...base, kind: 'boolean', defaultValue: false }, 'y or n, - skips [n]'],
    [free, 'number, or free text'],
    [recommended, 'numbers, such as 1 3 [1 2]'],
  ])('of %j is "%s"', (question, hint) => {
    expect(typingHint(question)).toBe(hint);
  });

  test('[CHAT-13] proposes the answer or draft of another client, and an empty line accepts it', () => {
    const answer = { state: 'draft', value: { kind: 'selected', value: 'b' } } as const;
    expect(typingHint(one, answer)).toBe('number, - skips [2]');
    expect(readAnswer(one, '', answer)).toEqual(answer.value);
    expect(readAnswer(one, '1', answer)).toEqual({ kind: 'selected', value: 'a' });
  });
});

describe('askInputRequest', () => {
  const request: ChatInputRequest = {
    id: 'r',
    message: 'About fruit',
    questions: [
      { ...one, required: true },
      { ...yesNo, id: 'p' },
    ],
  };

  const ask = async (text: string, asked = request) => {
    const context = new FakeContext({ isTerminal: true });
    const reader = new LineReader(context.stdin);
    context.stdout.resume();
    const told: unknown[] = [];
    const form: OpenForm = {
      request: asked,
      submit: async (...answer) => {
        told.push(answer);
        return { outcome: 'ignored' };
      },
      skip: async (id) => {
        told.push([id]);
        return { outcome: 'ignored' };
      },
    };
    const lines = reader.hold();
    const asking = askInputRequest(new Screen(context), lines, form, new AbortController().signal);
    // All at once, as from a paste or a pipe.
    context.stdin.end(text);
    const answer = await asking;
    lines.release();
    reader.close();
    return { answer, told };
  };

  test('asks again until an answer is valid, skips optional questions, and sends each answer to other clients', async () => {
    const { answer, told } = await ask('\n9\n1\n\n');
    const value = { kind: 'selected', value: 'a' };
    expect(answer).toEqual({
      response: 'accept',
      answers: { q: { state: 'submitted', value }, p: { state: 'skipped' } },
    });
    expect(told).toEqual([['q', value], ['p']]);
  });

  test('skips a question with a proposal at -, but no required one', async () => {
    const questions: ChatInputQuestion[] = [{ ...yesNo, defaultValue: true }];
    expect((await ask('-\n', { id: 'r', questions })).answer).toEqual({
      response: 'accept',
      answers: { q: { state: 'skipped' } },
    });
    const needed: ChatInputQuestion[] = [{ ...base, kind: 'text', required: true }];
    expect((await ask('-\n', { id: 'r', questions: needed })).answer).toMatchObject({
      answers: { q: { value: { value: '-' } } },
    });
  });

  test('accepts a page at Enter and declines it at !', async () => {
    const page = { id: 'r', url: 'https://example.com' };
    expect((await ask('\n', page)).answer).toEqual({ response: 'accept', answers: {} });
    expect((await ask('!\n', page)).answer).toEqual({ response: 'decline', answers: {} });
  });

  test('declines at !', async () => {
    expect((await ask('1\n!\n')).answer).toEqual({ response: 'decline', answers: {} });
  });

  test('gives no answer when input ends', async () => {
    expect((await ask('1\n')).answer).toBeUndefined();
  });
});
