import {
  type ChatInputAnswer,
  type ChatInputAnswerValue,
  type ChatInputQuestion,
  checkInputAnswer,
} from '@agenthost/protocol';
import { oneLine } from '../render/plain-text.ts';

/**
 * What was typed as a value that fits; else what is wrong with it, or '' when nothing was typed and nothing stands there already.
 * Options are typed as their numbers. `answer` is what has been answered so far.
 */
export function readAnswer(
  question: ChatInputQuestion,
  line: string,
  answer?: ChatInputAnswer,
): ChatInputAnswerValue | string {
  const typed = line.trim();
  const value = typed === '' ? (initialValue(question, answer) ?? '') : valueOf(question, typed);
  if (typeof value === 'string') return value;
  return checkInputAnswer(question, { state: 'submitted', value })?.reason ?? value;
}

/** Value of an empty line: the present answer or draft, else the agent's proposal. */
export function initialValue(
  question: ChatInputQuestion,
  answer?: ChatInputAnswer,
): ChatInputAnswerValue | undefined {
  if (answer !== undefined && answer.state !== 'skipped') return answer.value;
  switch (question.kind) {
    case 'text':
      return question.defaultValue === undefined ? undefined : { kind: 'text', value: question.defaultValue };
    case 'number':
    case 'integer':
      return question.defaultValue === undefined
        ? undefined
        : { kind: 'number', value: question.defaultValue };
    case 'boolean':
      return question.defaultValue === undefined
        ? undefined
        : { kind: 'boolean', value: question.defaultValue };
    case 'single-select': {
      const option = question.options.find(({ recommended }) => recommended);
      return option && { kind: 'selected', value: option.id };
    }
    case 'multi-select': {
      const ids = question.options.filter(({ recommended }) => recommended).map(({ id }) => id);
      return ids.length === 0 ? undefined : { kind: 'selected-many', value: ids };
    }
    default:
      return question satisfies never;
  }
}

const FORMAT_WORDS: ReadonlyMap<string, string> = new Map([
  ['email', 'an email address'],
  ['uri', 'a web address'],
  ['date', 'a date such as 2026-05-31'],
  ['date-time', 'a time such as 2026-05-31T14:00:00Z'],
]);

/** Short hint for the input, with the value of an empty line. */
export function typingHint(question: ChatInputQuestion, answer?: ChatInputAnswer): string {
  const initial = initialValue(question, answer);
  const proposal = initial === undefined ? '' : ` [${typedText(question, initial)}]`;
  const skips = initial !== undefined && question.required !== true ? ', - skips' : '';
  return `${words(question)}${skips}${proposal}`;
}

function words(question: ChatInputQuestion): string {
  switch (question.kind) {
    case 'boolean':
      return 'y or n';
    case 'single-select':
      return question.allowFreeformInput === true ? 'number, or free text' : 'number';
    case 'multi-select':
      return question.allowFreeformInput === true ? 'numbers, or free text' : 'numbers, such as 1 3';
    case 'number':
      return 'number';
    case 'integer':
      return 'whole number';
    case 'text':
      return question.format === undefined
        ? 'text'
        : (FORMAT_WORDS.get(question.format) ?? `text (${oneLine(question.format)})`);
    default:
      return question satisfies never;
  }
}

/** A value as one would type it. */
function typedText(question: ChatInputQuestion, value: ChatInputAnswerValue): string {
  switch (value.kind) {
    case 'text':
      return oneLine(value.value);
    case 'number':
      return String(value.value);
    case 'boolean':
      return value.value ? 'y' : 'n';
    case 'selected':
    case 'selected-many': {
      const options = 'options' in question ? question.options : [];
      const numbers = [value.value]
        .flat()
        .map((id) => options.findIndex((option) => option.id === id) + 1)
        .filter((number) => number > 0);
      return [...numbers.map(String), ...(value.freeformValues ?? []).map((own) => oneLine(own))].join(' ');
    }
    default:
      return value satisfies never;
  }
}

function valueOf(question: ChatInputQuestion, typed: string): ChatInputAnswerValue | string {
  switch (question.kind) {
    case 'text':
      return { kind: 'text', value: typed };
    case 'number':
    case 'integer':
      return Number.isFinite(Number(typed)) ? { kind: 'number', value: Number(typed) } : 'type a number';
    case 'boolean':
      if (/^(?:y|yes|true)$/i.test(typed)) return { kind: 'boolean', value: true };
      return /^(?:n|no|false)$/i.test(typed) ? { kind: 'boolean', value: false } : 'type y or n';
    case 'single-select': {
      const option = optionNamed(question, typed);
      if (option !== undefined) return { kind: 'selected', value: option };
      if (question.allowFreeformInput === true)
        return { kind: 'selected', value: '', freeformValues: [typed] };
      return `type a number from 1 to ${question.options.length}`;
    }
    case 'multi-select': {
      const parts = typed.split(/[\s,]+/).filter((part) => part !== '');
      const chosen = parts.flatMap((part) => optionNamed(question, part) ?? []);
      if (chosen.length === parts.length) return { kind: 'selected-many', value: [...new Set(chosen)] };
      if (question.allowFreeformInput === true)
        return { kind: 'selected-many', value: [], freeformValues: [typed] };
      return `type numbers from 1 to ${question.options.length}`;
    }
    default:
      return question satisfies never;
  }
}

/** The id of an option, by its number. */
const optionNamed = (
  { options }: Extract<ChatInputQuestion, { options: unknown }>,
  typed: string,
): string | undefined => (/^\d+$/.test(typed) ? options[Number(typed) - 1]?.id : undefined);
