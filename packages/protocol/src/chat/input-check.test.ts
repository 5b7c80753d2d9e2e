import { describe, expect, it } from 'vitest';
import { defined } from '../values/defined.ts';
import { checkAnswered, checkInputAnswer } from './input-check.ts';
import type { ChatInputAnswerValue, ChatInputQuestion } from './input-request.ts';

const base = { id: 'q', title: 'Bread' };
const options = [
  { id: 'rye', label: 'Rye' },
  { id: 'oat', label: 'Oat' },
];
const message = 'Which bread?';
const text: ChatInputQuestion = { ...base, message, kind: 'text', format: 'email', min: 2, max: 4 };
const number: ChatInputQuestion = { ...base, message, kind: 'number', min: -1, max: 1.5 };
const integer: ChatInputQuestion = { ...base, message, kind: 'integer', min: 0 };
const yesNo: ChatInputQuestion = { ...base, message, kind: 'boolean' };
const one: ChatInputQuestion = { ...base, message, kind: 'single-select', options };
const some: ChatInputQuestion = { ...base, message, kind: 'multi-select', options, min: 1, max: 2 };
const freeOne: ChatInputQuestion = { ...one, allowFreeformInput: true };
const freeSome: ChatInputQuestion = { ...some, allowFreeformInput: true };

const textValue = (value: string): ChatInputAnswerValue => ({ kind: 'text', value });
const numberValue = (value: number): ChatInputAnswerValue => ({ kind: 'number', value });
const selected = (value: string, freeformValues?: string[]): ChatInputAnswerValue => ({
  kind: 'selected',
  value,
  ...defined({ freeformValues }),
});
const many = (value: string[], freeformValues?: string[]): ChatInputAnswerValue => ({
  kind: 'selected-many',
  value,
  ...defined({ freeformValues }),
});

describe('an answer', () => {
  it.each<[ChatInputQuestion['kind'], ChatInputQuestion, ChatInputAnswerValue]>([
    ['text', text, textValue('abcd')],
    ['number', number, numberValue(1.5)],
    ['integer', integer, numberValue(0)],
    ['boolean', yesNo, { kind: 'boolean', value: false }],
    ['single-select', one, selected('oat')],
    ['multi-select', some, many(['rye', 'oat'])],
  ])('[CHAT-13] of the right kind and within its bounds is valid for %s', (_, question, value) => {
    expect(checkInputAnswer(question, { state: 'submitted', value })).toBeUndefined();
    expect(checkInputAnswer(question, { state: 'draft', value })).toBeUndefined();
  });

  it.each([text, number, integer, yesNo, one, some])(
    '[CHAT-13] of another kind is invalid for $kind, also as a draft',
    (question) => {
      const values = [textValue('abc'), numberValue(1), selected('rye'), many(['rye'])];
      const wrong = values.filter((value) => checkInputAnswer(question, { state: 'draft', value }));
      expect(wrong).toHaveLength(question.kind === 'boolean' ? 4 : 3);
      for (const value of wrong) {
        expect(checkInputAnswer(question, { state: 'draft', value })?.code).toBe('wrongKind');
      }
    },
  );

  it.each<[ChatInputQuestion, ChatInputAnswerValue, string, string]>([
    [text, textValue('a'), 'wrongLength', '"Bread" takes at least 2 characters, not 1'],
    [text, textValue('abcde'), 'wrongLength', '"Bread" takes at most 4 characters, not 5'],
    [number, numberValue(-1.1), 'outOfRange', '"Bread" takes a number of at least -1, not -1.1'],
    [number, numberValue(2), 'outOfRange', '"Bread" takes a number of at most 1.5, not 2'],
    [integer, numberValue(1.5), 'notInteger', '"Bread" takes a whole number, not 1.5'],
    [one, selected('fig'), 'unknownOption', '"Bread" has no option "fig"'],
    [one, selected('', ['Fig']), 'unknownOption', '"Bread" has no option ""'],
    [freeOne, selected(''), 'unknownOption', '"Bread" has no option ""'],
    [freeOne, selected('', []), 'unknownOption', '"Bread" has no option ""'],
    [some, many(['rye', 'fig']), 'unknownOption', '"Bread" has no option "fig"'],
    [some, many([]), 'wrongCount', '"Bread" takes at least 1 choice, not 0'],
    [freeSome, many(['rye', 'oat'], ['Fig']), 'wrongCount', '"Bread" takes at most 2 choices, not 3'],
  ])(
    '[CHAT-13] out of bounds cannot be submitted, but can be a draft: %j %j',
    (question, value, code, reason) => {
      expect(checkInputAnswer(question, { state: 'submitted', value })).toStrictEqual({ code, reason });
      expect(checkInputAnswer(question, { state: 'draft', value })).toBeUndefined();
    },
  );

  it('[CHAT-13] in free text is valid if the question allows it', () => {
    const submitted = (question: ChatInputQuestion, value: ChatInputAnswerValue) =>
      checkInputAnswer(question, { state: 'submitted', value });
    expect(submitted(freeOne, selected('', ['Fig']))).toBeUndefined();
    expect(submitted(freeSome, many([], ['Fig']))).toBeUndefined();
    expect(submitted(freeSome, many(['rye'], ['Fig']))).toBeUndefined();
  });

  it('[CHAT-13] counts a repeated option once', () => {
    const max = { ...some, max: 1 } satisfies ChatInputQuestion;
    const value = many(['rye', 'rye']);
    expect(checkInputAnswer(max, { state: 'submitted', value })).toBeUndefined();
  });

  it('[CHAT-13] may skip any question, with or without a reason', () => {
    expect(checkInputAnswer(text, { state: 'skipped' })).toBeUndefined();
    expect(checkInputAnswer(some, { state: 'skipped', freeformValues: ['not hungry'] })).toBeUndefined();
  });

  it('[CHAT-13] need not match the format, which is a hint', () => {
    expect(checkInputAnswer(text, { state: 'submitted', value: textValue('abc') })).toBeUndefined();
  });

  it('names a question without a title by its message, shortened', () => {
    const question: ChatInputQuestion = { id: 'q', kind: 'boolean', message: `How ${'very '.repeat(30)}odd` };
    const problem = checkInputAnswer(question, { state: 'draft', value: textValue('') });
    expect(problem?.reason).toBe(`"How ${'very '.repeat(14)}very…" takes yes or no, not text`);
  });
});

describe('a required question', () => {
  const request = {
    id: 'r',
    questions: [
      { ...yesNo, required: true },
      { ...text, id: 'p' },
    ],
  };
  const value = { kind: 'boolean', value: true } as const;

  it('[CHAT-13] is answered only by a submitted answer', () => {
    expect(checkAnswered(request, { q: { state: 'submitted', value } })).toBeUndefined();
    const unanswered = { code: 'unanswered', reason: '"Bread" has to be answered' };
    expect(checkAnswered(request, {})).toStrictEqual(unanswered);
    expect(checkAnswered(request, { q: { state: 'draft', value } })).toStrictEqual(unanswered);
    expect(checkAnswered(request, { q: { state: 'skipped' } })).toStrictEqual(unanswered);
  });

  it('[CHAT-13] is not answered by an inherited member of the answers', () => {
    const odd = { id: 'r', questions: [{ ...yesNo, id: 'constructor', required: true }] };
    expect(checkAnswered(odd, {})?.code).toBe('unanswered');
    expect(checkAnswered({ id: 'r' }, {})).toBeUndefined();
  });
});
