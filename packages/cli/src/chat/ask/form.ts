import {
  type ChatInputAnswer,
  type ChatInputAnswerValue,
  type ChatInputQuestion,
  type ChatInputRequest,
  checkInputAnswer,
} from '@agenthost/protocol';
import { initialValue } from '../../question/typed-answer.ts';
import { oneLine } from '../../render/plain-text.ts';
import { type Editor, EMPTY_EDITOR, editorOf, insert } from '../composer/editor.ts';

/** One row to choose in a question. `undefined` as id: own words. */
export interface Choice {
  readonly id: string | undefined;
  readonly label: string;
  readonly more: string;
}

/** A question as it is being answered. */
export interface Field {
  /** Text, a number, or own words besides the options. */
  readonly editor: Editor;
  /** The row under the cursor, of questions with choices. */
  readonly row: number;
  /** Ids of what is chosen; `yes` and `no` where that is the question. */
  readonly chosen: readonly string[];
  readonly isSkipped: boolean;
  /** The text is the agent's proposal. Typing replaces it. */
  readonly isProposed?: true;
  /** Error of the last attempt to send it. */
  readonly error?: string;
}

/** A request as it is being answered. `at` is the question that keys go to. */
export interface Form {
  readonly request: ChatInputRequest;
  readonly fields: Readonly<Record<string, Field>>;
  readonly at: number;
}

export const questionsOf = ({ request }: Form): readonly ChatInputQuestion[] => request.questions ?? [];

/** The question that keys go to; `undefined` when there is none. */
export const questionAt = (form: Form): ChatInputQuestion | undefined => questionsOf(form)[form.at];

/** Options of a question; empty for text and number questions. */
export function choicesOf(question: ChatInputQuestion): readonly Choice[] {
  if (question.kind === 'boolean') {
    return [
      { id: 'yes', label: 'Yes', more: '' },
      { id: 'no', label: 'No', more: '' },
    ];
  }
  if (!('options' in question)) return [];
  const options = question.options.map(
    ({ id, label, description, recommended }): Choice => ({
      id,
      label: oneLine(label),
      more: [oneLine(description ?? ''), recommended === true ? 'recommended' : '']
        .filter((text) => text !== '')
        .join('; '),
    }),
  );
  return question.allowFreeformInput === true
    ? [...options, { id: undefined, label: 'Other:', more: '' }]
    : options;
}

/** A request before anybody here has touched it: defaults, what is recommended, and what others have answered so far. */
export function formOf(request: ChatInputRequest): Form {
  const questions = request.questions ?? [];
  const fields = Object.fromEntries(
    questions.map((question) => [question.id, fieldOf(question, request.answers?.[question.id])]),
  );
  const open = questions.findIndex(({ id }) => request.answers?.[id]?.state !== 'submitted');
  return { request, fields, at: Math.max(0, open) };
}

/** A question with that answer in it, or with what the agent proposes. */
export function fieldOf(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): Field {
  const empty: Field = { editor: EMPTY_EDITOR, row: 0, chosen: [], isSkipped: answer?.state === 'skipped' };
  const value = empty.isSkipped ? undefined : initialValue(question, answer);
  if (value === undefined) return empty;
  const isProposed = answer === undefined && (value.kind === 'text' || value.kind === 'number');
  return { ...empty, ...filled(question, value), ...(isProposed ? { isProposed } : {}) };
}

function filled(question: ChatInputQuestion, value: ChatInputAnswerValue): Partial<Field> {
  switch (value.kind) {
    case 'text':
    case 'number':
      return { editor: editorOf(String(value.value)) };
    case 'boolean': {
      const chosen = value.value ? 'yes' : 'no';
      return { chosen: [chosen], row: rowOf(question, chosen) };
    }
    case 'selected': {
      const words = (value.freeformValues ?? []).join(', ');
      return {
        editor: editorOf(words),
        chosen: value.value === '' ? [] : [value.value],
        row: rowOf(question, value.value === '' ? undefined : value.value),
      };
    }
    case 'selected-many':
      return { editor: editorOf((value.freeformValues ?? []).join(', ')), chosen: value.value };
    default:
      return value satisfies never;
  }
}

const rowOf = (question: ChatInputQuestion, id: string | undefined): number =>
  Math.max(
    0,
    choicesOf(question).findIndex((choice) => choice.id === id),
  );

/** Error text for a number field. */
export const NOT_A_NUMBER = 'type a number';

/** Value of a field, `undefined` for an empty field, or an error text. */
export function valueOf(
  question: ChatInputQuestion,
  field: Field,
): ChatInputAnswerValue | string | undefined {
  const value = rawValue(question, field);
  if (value === undefined || typeof value === 'string') return value;
  return checkInputAnswer(question, { state: 'submitted', value })?.reason ?? value;
}

function rawValue(
  question: ChatInputQuestion,
  { editor, chosen }: Field,
): ChatInputAnswerValue | string | undefined {
  const words = editor.text.trim();
  const own = words === '' ? {} : { freeformValues: [words] };
  const [first] = chosen;
  switch (question.kind) {
    case 'boolean':
      return first === undefined ? undefined : { kind: 'boolean', value: first === 'yes' };
    case 'single-select':
      if (first !== undefined) return { kind: 'selected', value: first };
      return words === '' ? undefined : { kind: 'selected', value: '', ...own };
    case 'multi-select': {
      if (first === undefined && words === '') return undefined;
      const value = question.options.filter(({ id }) => chosen.includes(id)).map(({ id }) => id);
      return { kind: 'selected-many', value, ...own };
    }
    case 'text':
      // Spaces around a text are part of it; a number has none.
      return editor.text === '' ? undefined : { kind: 'text', value: editor.text };
    default: {
      if (words === '') return undefined;
      const value = Number(words);
      return Number.isFinite(value) ? { kind: 'number', value } : NOT_A_NUMBER;
    }
  }
}

/** The form with one field changed; what was wrong with it is forgotten. */
export function withField(form: Form, id: string, changes: Partial<Field>): Form {
  const field = form.fields[id];
  if (field === undefined) return form;
  const { error: _, isProposed, ...rest } = field;
  const proposed = isProposed === true && changes.editor === undefined ? { isProposed } : {};
  return { ...form, fields: { ...form.fields, [id]: { ...rest, ...proposed, ...changes } } };
}

/** Types text at the cursor of a field. Replaces a text that is only proposed. */
export const typedInto = ({ editor, isProposed }: Field, text: string): Editor =>
  insert(isProposed === true ? EMPTY_EDITOR : editor, text);

/** The question before or after, the last one staying. */
export const movedTo = (form: Form, at: number): Form => ({
  ...form,
  at: Math.max(0, Math.min(at, questionsOf(form).length - 1)),
});

/** The row above or below in a question with choices; at its edge the question before or after. */
export function movedByRow(form: Form, by: -1 | 1): Form {
  const question = questionAt(form);
  if (question === undefined) return form;
  const field = form.fields[question.id];
  const rows = choicesOf(question).length;
  const row = (field?.row ?? 0) + by;
  if (field === undefined || rows === 0 || row < 0 || row >= rows) return movedTo(form, form.at + by);
  return withField(form, question.id, { row });
}

/** Chooses what is under the cursor; in a multiple choice it toggles. */
export function toggled(form: Form): Form {
  const question = questionAt(form);
  const field = question && form.fields[question.id];
  if (question === undefined || field === undefined) return form;
  const id = choicesOf(question)[field.row]?.id;
  if (id === undefined) return form;
  if (question.kind !== 'multi-select')
    return withField(form, question.id, { chosen: [id], editor: EMPTY_EDITOR, isSkipped: false });
  const chosen = field.chosen.includes(id)
    ? field.chosen.filter((other) => other !== id)
    : [...field.chosen, id];
  return withField(form, question.id, { chosen, isSkipped: false });
}

/** The answers to send, or the form at the first question that cannot be sent so. */
export function submission(form: Form): { answers: Record<string, ChatInputAnswer> } | { form: Form } {
  const answers: Record<string, ChatInputAnswer> = {};
  for (const [index, question] of questionsOf(form).entries()) {
    const field = form.fields[question.id];
    const value = field === undefined || field.isSkipped ? undefined : valueOf(question, field);
    const isMissing = value === undefined && question.required === true;
    if (typeof value === 'string' || isMissing) {
      const error = typeof value === 'string' ? value : 'an answer is required';
      return { form: { ...withField(form, question.id, { error, isSkipped: false }), at: index } };
    }
    answers[question.id] = value === undefined ? { state: 'skipped' } : { state: 'submitted', value };
  }
  return { answers };
}

/** An answer on one line; '' for none. */
export function answerText(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): string {
  if (answer === undefined) return '';
  if (answer.state === 'skipped') return '(skipped)';
  const { value } = answer;
  const label = (id: string): string =>
    ('options' in question ? question.options.find((option) => option.id === id)?.label : undefined) ?? id;
  switch (value.kind) {
    case 'text':
      return oneLine(value.value);
    case 'number':
      return String(value.value);
    case 'boolean':
      return value.value ? 'yes' : 'no';
    case 'selected':
      return oneLine(
        [...(value.value === '' ? [] : [label(value.value)]), ...(value.freeformValues ?? [])].join(', '),
      );
    case 'selected-many':
      return oneLine([...value.value.map(label), ...(value.freeformValues ?? [])].join(', '));
    default:
      return value satisfies never;
  }
}
