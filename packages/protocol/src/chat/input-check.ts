import type {
  ChatInputAnswer,
  ChatInputAnswerValue,
  ChatInputMultiSelectQuestion,
  ChatInputNumberQuestion,
  ChatInputQuestion,
  ChatInputRequest,
  ChatInputSingleSelectQuestion,
  ChatInputTextQuestion,
} from './input-request.ts';

/** Why an answer is not accepted [CHAT-13]: a code for programs and a sentence for people. */
export interface InputProblem {
  readonly code:
    | 'wrongKind'
    | 'unknownOption'
    | 'wrongLength'
    | 'outOfRange'
    | 'notInteger'
    | 'wrongCount'
    | 'unanswered';
  readonly reason: string;
}

const VALUE_KINDS = {
  text: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  'single-select': 'selected',
  'multi-select': 'selected-many',
} as const satisfies Record<ChatInputQuestion['kind'], ChatInputAnswerValue['kind']>;

/** Names of the kinds of value, for people. */
const VALUE_WORDS = {
  text: 'text',
  number: 'a number',
  boolean: 'yes or no',
  selected: 'one of the options',
  'selected-many': 'a list of options',
} as const satisfies Record<ChatInputAnswerValue['kind'], string>;

/**
 * Checks an answer to a question; `undefined` when it is accepted [CHAT-13]. A draft must have the right kind
 * of value; a submitted answer must also satisfy the question's limits. The `format` of a text question is a
 * hint and not checked.
 */
export function checkInputAnswer(
  question: ChatInputQuestion,
  answer: ChatInputAnswer,
): InputProblem | undefined {
  if (answer.state === 'skipped') return undefined;
  const wanted = VALUE_KINDS[question.kind];
  const { value } = answer;
  if (value.kind !== wanted) {
    return {
      code: 'wrongKind',
      reason: `"${nameOf(question)}" takes ${VALUE_WORDS[wanted]}, not ${VALUE_WORDS[value.kind]}`,
    };
  }
  return answer.state === 'submitted' ? checkValue(question, value) : undefined;
}

/** The first required question without a submitted answer [CHAT-13]. */
export function checkAnswered(
  { questions = [] }: ChatInputRequest,
  answers: Readonly<Record<string, ChatInputAnswer>>,
): InputProblem | undefined {
  const open = questions.find(
    ({ id, required }) =>
      required === true && !(Object.hasOwn(answers, id) && answers[id]?.state === 'submitted'),
  );
  return open && { code: 'unanswered', reason: `"${nameOf(open)}" has to be answered` };
}

function checkValue(question: ChatInputQuestion, value: ChatInputAnswerValue): InputProblem | undefined {
  switch (question.kind) {
    case 'text':
      return value.kind === 'text' ? checkText(question, value.value) : undefined;
    case 'number':
    case 'integer':
      return value.kind === 'number' ? checkNumber(question, value.value) : undefined;
    case 'single-select':
      return value.kind === 'selected'
        ? checkOptions(question, [value.value], value.freeformValues)
        : undefined;
    case 'multi-select':
      if (value.kind !== 'selected-many') return undefined;
      return (
        checkOptions(question, value.value, value.freeformValues) ??
        checkCount(question, value.value, value.freeformValues)
      );
    case 'boolean':
      return undefined;
    default:
      return question satisfies never;
  }
}

function checkText(question: ChatInputTextQuestion, { length }: string): InputProblem | undefined {
  const problem = (bound: string): InputProblem => ({
    code: 'wrongLength',
    reason: `"${nameOf(question)}" takes ${bound}, not ${length}`,
  });
  const { min, max } = question;
  if (min !== undefined && length < min) return problem(`at least ${counted(min, 'character')}`);
  return max !== undefined && length > max ? problem(`at most ${counted(max, 'character')}`) : undefined;
}

function checkNumber(question: ChatInputNumberQuestion, value: number): InputProblem | undefined {
  if (question.kind === 'integer' && !Number.isInteger(value)) {
    return { code: 'notInteger', reason: `"${nameOf(question)}" takes a whole number, not ${value}` };
  }
  const problem = (bound: string): InputProblem => ({
    code: 'outOfRange',
    reason: `"${nameOf(question)}" takes a number of ${bound}, not ${value}`,
  });
  const { min, max } = question;
  if (min !== undefined && value < min) return problem(`at least ${min}`);
  return max !== undefined && value > max ? problem(`at most ${max}`) : undefined;
}

type Freeform = readonly string[] | undefined;
type SelectQuestion = ChatInputSingleSelectQuestion | ChatInputMultiSelectQuestion;

/** With free-form values an answer need not name an option. */
function checkOptions(
  question: SelectQuestion,
  ids: readonly string[],
  freeform: Freeform,
): InputProblem | undefined {
  if (ownWords(question, freeform).length > 0) return undefined;
  const unknown = ids.find((id) => !question.options.some((option) => option.id === id));
  return unknown === undefined
    ? undefined
    : { code: 'unknownOption', reason: `"${nameOf(question)}" has no option "${unknown}"` };
}

/** Options and free-form values count alike. An option named twice counts once. */
function checkCount(
  question: ChatInputMultiSelectQuestion,
  ids: readonly string[],
  freeform: Freeform,
): InputProblem | undefined {
  const count = new Set(ids).size + ownWords(question, freeform).length;
  const problem = (bound: string): InputProblem => ({
    code: 'wrongCount',
    reason: `"${nameOf(question)}" takes ${bound}, not ${count}`,
  });
  const { min, max } = question;
  if (min !== undefined && count < min) return problem(`at least ${counted(min, 'choice')}`);
  return max !== undefined && count > max ? problem(`at most ${counted(max, 'choice')}`) : undefined;
}

const ownWords = ({ allowFreeformInput }: SelectQuestion, freeform: Freeform): readonly string[] =>
  allowFreeformInput === true ? (freeform ?? []) : [];

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The name of a question for people. */
function nameOf({ title, message }: ChatInputQuestion): string {
  const name = (title ?? message).replaceAll(/\s+/g, ' ').trim();
  return name.length <= 80 ? name : `${name.slice(0, 79).trimEnd()}…`;
}
