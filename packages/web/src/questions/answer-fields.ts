import type { ChatInputAnswer, ChatInputAnswerValue, ChatInputQuestion } from '@agenthost/protocol';
import { checkInputAnswer } from '@agenthost/protocol';

/** The input of a person for one question. It need not be a valid answer. */
export interface FieldValue {
  /** For text and numbers: as typed. */
  readonly typed: string;
  /** Ids of chosen options; for yes or no `yes` or `no`. */
  readonly chosen: readonly string[];
  /** Own words beside the options. */
  readonly own: string;
}

const NOTHING: FieldValue = { typed: '', chosen: [], own: '' };

/** Ids of the two answers to a question for yes or no. */
export const [YES, NO] = ['yes', 'no'] as const;

/** The content of a field: the present answer, or else the default of the question. */
export function fieldOf(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): FieldValue {
  if (answer === undefined) return defaultOf(question);
  if (answer.state === 'skipped') return NOTHING;
  const { value } = answer;
  switch (value.kind) {
    case 'text':
      return { ...NOTHING, typed: value.value };
    case 'number':
      return { ...NOTHING, typed: String(value.value) };
    case 'boolean':
      return { ...NOTHING, chosen: [value.value ? YES : NO] };
    case 'selected':
    case 'selected-many':
      return {
        typed: '',
        chosen: [value.value].flat().filter((id) => id !== ''),
        own: (value.freeformValues ?? []).join(', '),
      };
    default:
      return value satisfies never;
  }
}

function defaultOf(question: ChatInputQuestion): FieldValue {
  switch (question.kind) {
    case 'text':
      return { ...NOTHING, typed: question.defaultValue ?? '' };
    case 'number':
    case 'integer':
      return { ...NOTHING, typed: question.defaultValue === undefined ? '' : String(question.defaultValue) };
    case 'boolean':
      return question.defaultValue === undefined
        ? NOTHING
        : { ...NOTHING, chosen: [question.defaultValue ? YES : NO] };
    case 'single-select':
    case 'multi-select': {
      const recommended = question.options
        .filter((option) => option.recommended === true)
        .map(({ id }) => id);
      return {
        ...NOTHING,
        chosen: question.kind === 'single-select' ? recommended.slice(0, 1) : recommended,
      };
    }
    default:
      return question satisfies never;
  }
}

/** The answer that a field stands for; `undefined` when it has none, also for a number that is none. */
export function answerValueOf(
  question: ChatInputQuestion,
  { typed, chosen, own }: FieldValue,
): ChatInputAnswerValue | undefined {
  switch (question.kind) {
    case 'text':
      return typed === '' ? undefined : { kind: 'text', value: typed };
    case 'number':
    case 'integer': {
      const value = numberOf(typed);
      return value === undefined ? undefined : { kind: 'number', value };
    }
    case 'boolean':
      return chosen[0] === undefined ? undefined : { kind: 'boolean', value: chosen[0] === YES };
    case 'single-select': {
      const words = ownWords(question, own);
      if (chosen[0] === undefined && words === undefined) return undefined;
      return { kind: 'selected', value: chosen[0] ?? '', ...words };
    }
    case 'multi-select': {
      const words = ownWords(question, own);
      if (chosen.length === 0 && words === undefined) return undefined;
      return { kind: 'selected-many', value: [...chosen], ...words };
    }
    default:
      return question satisfies never;
  }
}

/** The fault of a field, for people. */
export type FieldProblem = 'notNumber' | 'unanswered' | { readonly reason: string };

/** Why a field cannot be submitted; `undefined` if it can [CHAT-13]. */
export function problemOf(question: ChatInputQuestion, field: FieldValue): FieldProblem | undefined {
  const value = answerValueOf(question, field);
  if (value !== undefined) return checkInputAnswer(question, { state: 'submitted', value });
  if ((question.kind === 'number' || question.kind === 'integer') && field.typed.trim() !== '')
    return 'notNumber';
  return question.required === true ? 'unanswered' : undefined;
}

function numberOf(typed: string): number | undefined {
  const plain = typed.trim().replace(',', '.');
  const value = plain === '' ? Number.NaN : Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

function ownWords(
  { allowFreeformInput }: { readonly allowFreeformInput?: boolean },
  own: string,
): { readonly freeformValues: string[] } | undefined {
  const words = own.trim();
  return allowFreeformInput === true && words !== '' ? { freeformValues: [words] } : undefined;
}
