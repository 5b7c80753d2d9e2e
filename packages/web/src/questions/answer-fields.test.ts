import type { ChatInputQuestion } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { answerValueOf, fieldOf, problemOf } from './answer-fields.ts';

const text: ChatInputQuestion = { kind: 'text', id: 'q', message: 'Name?', min: 2, required: true };
const number: ChatInputQuestion = { kind: 'number', id: 'q', message: 'Weight?', max: 50, defaultValue: 1.5 };
const boolean: ChatInputQuestion = { kind: 'boolean', id: 'q', message: 'Sliced?' };
const options = [
  { id: 'a', label: 'A' },
  { id: 'b', label: 'B', recommended: true },
];
const single: ChatInputQuestion = { kind: 'single-select', id: 'q', message: 'Which?', options };
const many: ChatInputQuestion = {
  kind: 'multi-select',
  id: 'q',
  message: 'Which?',
  options,
  allowFreeformInput: true,
  max: 1,
};
const nothing = { typed: '', chosen: [], own: '' };

describe('a field of a question', () => {
  it('begins with the default', () => {
    expect(fieldOf(number, undefined).typed).toBe('1.5');
    expect(fieldOf(single, undefined).chosen).toEqual(['b']);
    expect(fieldOf(boolean, undefined).chosen).toEqual([]);
  });

  it.each<[ChatInputQuestion, object]>([
    [text, { kind: 'text', value: 'Ann' }],
    [number, { kind: 'number', value: 2.5 }],
    [boolean, { kind: 'boolean', value: false }],
    [single, { kind: 'selected', value: 'a' }],
    [many, { kind: 'selected-many', value: ['a'], freeformValues: ['mine'] }],
  ])('[CHAT-13] shows an answer and stands for it: $kind', (question, value) => {
    const field = fieldOf(question, { state: 'draft', value } as never);
    expect(answerValueOf(question, field)).toEqual(value);
  });

  it('[CHAT-13] reports faults by the rules of the protocol', () => {
    expect(problemOf(text, nothing)).toBe('unanswered');
    expect(problemOf(text, { ...nothing, typed: 'x' })).toMatchObject({ code: 'wrongLength' });
    expect(problemOf(number, { ...nothing, typed: 'many' })).toBe('notNumber');
    expect(problemOf(number, { ...nothing, typed: '51' })).toMatchObject({ code: 'outOfRange' });
    expect(problemOf(many, { ...nothing, chosen: ['a'], own: 'mine' })).toMatchObject({ code: 'wrongCount' });
    expect(problemOf(single, nothing)).toBeUndefined();
  });

  it('takes a comma for a decimal point', () => {
    expect(answerValueOf(number, { ...nothing, typed: '2,5' })).toEqual({ kind: 'number', value: 2.5 });
  });

  it('has own words only where the question allows them', () => {
    expect(answerValueOf(single, { ...nothing, own: 'mine' })).toBeUndefined();
    expect(answerValueOf(many, { ...nothing, own: ' mine ' })).toEqual({
      kind: 'selected-many',
      value: [],
      freeformValues: ['mine'],
    });
  });
});
