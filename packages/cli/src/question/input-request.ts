import type {
  ChatInputAnswer,
  ChatInputAnswerValue,
  ChatInputQuestion,
  ChatInputRequest,
  ChatInputResponseKind,
} from '@agenthost/protocol';
import type { LineReader } from '../line-reader.ts';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** What a person answered to the questions of an agent. */
export interface InputResponse {
  readonly response: ChatInputResponseKind;
  readonly answers: Record<string, ChatInputAnswer>;
}

/** Shows what is asked. */
export function showInputRequest(screen: Screen, request: ChatInputRequest): void {
  const { colors, marks } = screen;
  const [first, ...rest] = plain(request.message ?? 'The agent asks').split('\n');
  screen.note(`${colors.yellow(marks.asks)} ${colors.bold(first ?? '')}`);
  for (const line of rest) screen.note(`    ${line}`);
  if (request.url !== undefined) screen.note(`    open ${oneLine(request.url, 2_000)}`);
}

/**
 * Asks the questions of a request one after the other in the terminal; `!` declines all of it. `undefined` when the
 * signal aborts or input ends first.
 */
export async function askInputRequest(
  screen: Screen,
  reader: LineReader,
  request: ChatInputRequest,
  signal: AbortSignal,
): Promise<InputResponse | undefined> {
  if (signal.aborted) return undefined;
  showInputRequest(screen, request);
  const answers: Record<string, ChatInputAnswer> = {};
  const questions = request.questions ?? [];
  if (questions.length === 0) {
    screen.ask('    Enter accepts, ! declines > ');
    const line = await reader.next(signal);
    if (line === undefined) return undefined;
    screen.answered();
    return { response: line.trim() === '!' ? 'decline' : 'accept', answers };
  }
  for (const question of questions) {
    const value = await askQuestion(screen, reader, question, signal);
    if (value === undefined) return undefined;
    if (value === 'decline') return { response: 'decline', answers: {} };
    answers[question.id] = value === 'skip' ? { state: 'skipped' } : { state: 'submitted', value };
  }
  return { response: 'accept', answers };
}

async function askQuestion(
  screen: Screen,
  reader: LineReader,
  question: ChatInputQuestion,
  signal: AbortSignal,
): Promise<ChatInputAnswerValue | 'skip' | 'decline' | undefined> {
  screen.note(
    `    ${oneLine(question.title ?? question.message)}${question.required === true ? '' : ' (optional)'}`,
  );
  if (question.title !== undefined) screen.note(`    ${oneLine(question.message, 1_000)}`);
  if ('options' in question) {
    question.options.forEach(({ label, description, recommended }, index) => {
      const more = [description, recommended === true ? 'recommended' : undefined].filter((text) => text);
      screen.note(
        `      ${index + 1}) ${oneLine(label)}${more.length === 0 ? '' : `  ${oneLine(more.join('; '))}`}`,
      );
    });
  }
  for (;;) {
    screen.ask(`    ${hint(question)} > `);
    const line = await reader.next(signal);
    if (line === undefined) return undefined;
    screen.answered();
    if (line.trim() === '!') return 'decline';
    const value = readAnswer(question, line);
    if (typeof value !== 'string') return value;
    if (value === '' && question.required !== true) return 'skip';
    screen.note(`    ${value === '' ? 'an answer is needed; ! declines' : value}`);
  }
}

function hint(question: ChatInputQuestion): string {
  const fallback = defaultOf(question);
  const suffix = fallback === undefined ? '' : ` [${oneLine(String(fallback))}]`;
  switch (question.kind) {
    case 'boolean':
      return `y or n${suffix}`;
    case 'single-select':
      return question.allowFreeformInput === true ? 'number, or your own words' : 'number';
    case 'multi-select':
      return question.allowFreeformInput === true ? 'numbers, or your own words' : 'numbers, as 1 3';
    case 'number':
    case 'integer':
      return `number${suffix}`;
    default:
      return `text${suffix}`;
  }
}

const defaultOf = (question: ChatInputQuestion): string | number | boolean | undefined =>
  'defaultValue' in question ? question.defaultValue : undefined;

/** What was typed as a value that fits; else what is wrong with it, or '' when nothing was typed. */
export function readAnswer(question: ChatInputQuestion, line: string): ChatInputAnswerValue | string {
  const text = line.trim();
  const typed = text === '' ? String(defaultOf(question) ?? '') : text;
  if (typed === '') return '';
  switch (question.kind) {
    case 'number':
    case 'integer': {
      const value = Number(typed);
      const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = question;
      if (!Number.isFinite(value)) return 'a number';
      if (question.kind === 'integer' && !Number.isInteger(value)) return 'a whole number';
      return value < min || value > max ? `a number from ${min} to ${max}` : { kind: 'number', value };
    }
    case 'boolean':
      if (/^(?:y|yes|true)$/i.test(typed)) return { kind: 'boolean', value: true };
      return /^(?:n|no|false)$/i.test(typed) ? { kind: 'boolean', value: false } : 'y or n';
    case 'single-select': {
      const option = question.options[Number(typed) - 1];
      if (option !== undefined) return { kind: 'selected', value: option.id };
      if (question.allowFreeformInput === true)
        return { kind: 'selected', value: '', freeformValues: [typed] };
      return `a number from 1 to ${question.options.length}`;
    }
    case 'multi-select': {
      const numbers = typed.split(/[\s,]+/).filter((part) => part !== '');
      const options = numbers.map((number) => question.options[Number(number) - 1]);
      const ids = [...new Set(options.flatMap((option) => option?.id ?? []))];
      const { min = 0, max = question.options.length } = question;
      if (options.every((option) => option !== undefined)) {
        if (ids.length < min || ids.length > max) return `from ${min} to ${max} of them`;
        return { kind: 'selected-many', value: ids };
      }
      if (question.allowFreeformInput === true)
        return { kind: 'selected-many', value: [], freeformValues: [typed] };
      return `numbers from 1 to ${question.options.length}`;
    }
    default: {
      const { min = 0, max = Number.POSITIVE_INFINITY } = question;
      if (typed.length < min) return `at least ${min} characters`;
      return typed.length > max ? `at most ${max} characters` : { kind: 'text', value: typed };
    }
  }
}
