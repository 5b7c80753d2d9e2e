import type { ChatInputQuestion, ChatInputRequest } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { editorOf } from '../composer/editor.ts';
import {
  choicesOf,
  fieldOf,
  formOf,
  movedByRow,
  submission,
  toggled,
  typedInto,
  valueOf,
  withField,
} from './form.ts';
import { formLines } from './form-lines.ts';

const options = [
  { id: 's', label: 'Small' },
  { id: 'm', label: 'Medium', recommended: true },
];
const name: ChatInputQuestion = { id: 'name', kind: 'text', message: 'Name?', min: 2, required: true };
const count: ChatInputQuestion = { id: 'count', kind: 'integer', message: 'How many?', max: 9 };
const sliced: ChatInputQuestion = { id: 'sliced', kind: 'boolean', message: 'Sliced?' };
const size: ChatInputQuestion = {
  id: 'size',
  kind: 'single-select',
  message: 'Size?',
  options,
  allowFreeformInput: true,
};
const extras: ChatInputQuestion = {
  id: 'extras',
  kind: 'multi-select',
  message: 'Extras?',
  options: options.map(({ id, label }) => ({ id, label })),
  max: 1,
};
const request: ChatInputRequest = {
  id: 'r',
  message: 'An order',
  questions: [name, count, sliced, size, extras],
};
const marks = { done: '✓', failed: '✗', refused: '⊘', running: '→', asks: '?', dot: '·' };
const typed = (question: ChatInputQuestion, text: string): ReturnType<typeof valueOf> =>
  valueOf(question, { ...fieldOf(question, undefined), chosen: [], editor: editorOf(text) });

describe('valueOf', () => {
  test('turns typed or chosen input into a value that fits the question', () => {
    expect(typed(name, ' Ann')).toEqual({ kind: 'text', value: ' Ann' });
    expect(typed(count, '3')).toEqual({ kind: 'number', value: 3 });
    expect(typed(size, 'Huge')).toEqual({ kind: 'selected', value: '', freeformValues: ['Huge'] });
    expect(valueOf(sliced, { ...fieldOf(sliced, undefined), chosen: ['no'] })).toEqual({
      kind: 'boolean',
      value: false,
    });
    expect(valueOf(size, fieldOf(size, undefined))).toEqual({ kind: 'selected', value: 'm' });
  });

  test('reports invalid answers, and ignores open questions', () => {
    expect(typeof typed(name, 'A')).toBe('string');
    expect(typeof typed(count, '2.5')).toBe('string');
    expect(typed(count, 'many')).toBe('type a number');
    expect(typed(count, '')).toBeUndefined();
  });
});

describe('a form', () => {
  test('begins with the answers of other clients, at the first open question', () => {
    const form = formOf({
      ...request,
      answers: { name: { state: 'submitted', value: { kind: 'text', value: 'Ann' } } },
    });
    expect(form.fields['name']?.editor.text).toBe('Ann');
    expect(form.at).toBe(1);
  });

  test('moves through choices, and past their ends to the neighbouring question', () => {
    const form = { ...formOf(request), at: 2 };
    const down = movedByRow(form, 1);
    expect([down.at, down.fields['sliced']?.row]).toEqual([2, 1]);
    expect(movedByRow(down, 1).at).toBe(3);
    expect(movedByRow(form, -1).at).toBe(1);
  });

  test('chooses one, or several', () => {
    const one = toggled({ ...withField(formOf(request), 'size', { row: 0 }), at: 3 });
    expect(one.fields['size']?.chosen).toEqual(['s']);
    const many = toggled(movedByRow(toggled({ ...formOf(request), at: 4 }), 1));
    expect(many.fields['extras']?.chosen).toEqual(['s', 'm']);
    expect(toggled(many).fields['extras']?.chosen).toEqual(['s']);
    expect(choicesOf(size).at(-1)?.id).toBeUndefined();
  });

  test('is sent when every answer is valid, otherwise it shows the first invalid one', () => {
    const empty = submission({ ...formOf(request), at: 4 });
    expect('form' in empty && [empty.form.at, empty.form.fields['name']?.error]).toEqual([
      0,
      'an answer is required',
    ]);
    const full = submission(withField(formOf(request), 'name', { editor: editorOf('Ann') }));
    expect('answers' in full && full.answers).toEqual({
      name: { state: 'submitted', value: { kind: 'text', value: 'Ann' } },
      count: { state: 'skipped' },
      sliced: { state: 'skipped' },
      size: { state: 'submitted', value: { kind: 'selected', value: 'm' } },
      extras: { state: 'skipped' },
    });
  });

  test('has proposals that a typed key replaces, and an edit key turns into text', () => {
    const weight: ChatInputQuestion = { id: 'w', kind: 'number', message: 'Kg?', max: 50, defaultValue: 1.5 };
    const form = formOf({ id: 'r', questions: [weight] });
    const field = form.fields['w'] ?? fieldOf(weight, undefined);
    expect([field.editor.text, typedInto(field, '9').text]).toEqual(['1.5', '9']);
    expect(submission(form)).toMatchObject({ answers: { w: { value: { value: 1.5 } } } });
    const moved = withField(form, 'w', { editor: { ...field.editor, cursor: 2 } }).fields['w'] ?? field;
    expect(typedInto(moved, '2').text).toBe('1.25');
    const shared = fieldOf(weight, { state: 'draft', value: { kind: 'number', value: 1 } });
    expect(typedInto(shared, '2').text).toBe('12');
  });

  test('marks an invalid draft as invisible to other clients', () => {
    const weight: ChatInputQuestion = { id: 'w', kind: 'number', message: 'Kg?', min: 0, max: 50 };
    const shown = (text: string): string =>
      formLines(withField(formOf({ id: 'r', questions: [weight] }), 'w', { editor: editorOf(text) }), 90, {
        marks,
        isFocused: true,
      })
        .lines.flatMap((spans) => spans.map((part) => part.text))
        .join('');
    expect(shown('many')).toContain('not shared: not a number');
    expect(shown('99999')).toContain('at most 50, not 99999; not shared');
    expect(shown('9')).not.toContain('not shared');
  });

  test('is shown with the current question open, the cursor in it, and without control sequences', () => {
    const hostile = {
      ...request,
      message: 'An\u001b[2J order',
      questions: [{ ...name, message: 'N\u001b]0;x\u0007ame?' }, count],
    };
    const { lines, cursor } = formLines(formOf(hostile), 40, { marks, isFocused: true });
    const text = lines.map((spans) => spans.map((part) => part.text).join('')).join('\n');
    expect(text).toBe('? An order\n  ▸ Name?\n    > \n      at least 2 characters\n    How many? (optional)');
    expect(cursor).toEqual({ row: 2, column: 6 });
  });
});
