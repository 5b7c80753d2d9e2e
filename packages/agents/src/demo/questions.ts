import type { InputResponse } from '@agenthost/host/agent';
import type { ChatInputAnswer, ChatInputAnswerValue, ChatInputQuestion } from '@agenthost/protocol';
import { type Scene, speak } from './scene.ts';

/** The questions that `question` asks, in order, or a page to open. */
export interface QuestionForm {
  readonly kinds: readonly ChatInputQuestion['kind'][];
  /** Asks to open a page. */
  readonly hasUrl: boolean;
  readonly isRequired: boolean;
  /** Allows free-form answers in addition to the options. */
  readonly isFree: boolean;
}

const QUESTIONS: Readonly<Record<ChatInputQuestion['kind'], ChatInputQuestion>> = {
  text: {
    kind: 'text',
    id: 'name',
    title: 'Name',
    message: 'What should it be called?',
    min: 2,
    max: 40,
  },
  number: {
    kind: 'number',
    id: 'weight',
    title: 'Weight',
    message: 'How heavy is it, in kilograms?',
    min: 0,
    max: 50,
    defaultValue: 1.5,
  },
  integer: { kind: 'integer', id: 'count', title: 'Count', message: 'How many?', min: 1, max: 9 },
  boolean: { kind: 'boolean', id: 'sliced', title: 'Sliced', message: 'Cut in slices?', defaultValue: true },
  'single-select': {
    kind: 'single-select',
    id: 'size',
    title: 'Size',
    message: 'Which size?',
    options: [
      { id: 'small', label: 'Small' },
      { id: 'medium', label: 'Medium', description: 'for two', recommended: true },
      { id: 'large', label: 'Large', description: 'for a party' },
    ],
  },
  'multi-select': {
    kind: 'multi-select',
    id: 'toppings',
    title: 'Toppings',
    message: 'What goes on top?',
    options: [
      { id: 'seeds', label: 'Seeds' },
      { id: 'salt', label: 'Salt' },
      { id: 'oats', label: 'Oats' },
    ],
    min: 1,
    max: 2,
  },
};

const KINDS = Object.values(QUESTIONS).map(({ kind }) => kind);

/** The page to open; it does not exist. */
const PAGE = 'https://example.com/sign-in';

/** Reads the arguments. `undefined` when they are invalid. */
export function readForm(rest: string): QuestionForm | undefined {
  const words = rest.toLowerCase().split(/\s+/).filter(Boolean);
  const kinds = words.flatMap(
    (word) => KINDS.find((kind) => kind === word || kind === `${word}-select`) ?? [],
  );
  const extras = words.filter((word) => ['required', 'free'].includes(word));
  const isAll = words.includes('form');
  const hasUrl = words.includes('url');
  const known = kinds.length + extras.length + (isAll ? 1 : 0) + (hasUrl ? 1 : 0);
  const isOneThing = hasUrl ? kinds.length === 0 && !isAll : isAll !== kinds.length > 0;
  if (known !== words.length || !isOneThing || new Set(kinds).size !== kinds.length) return undefined;
  return {
    kinds: isAll ? KINDS : kinds,
    hasUrl,
    isRequired: extras.includes('required'),
    isFree: extras.includes('free'),
  };
}

/** `question`: asks people and reports their answers. */
export async function question(scene: Scene, form: QuestionForm): Promise<void> {
  const questions = form.kinds.map((kind) => asked(QUESTIONS[kind], form));
  const response = await scene.output.ask(
    form.hasUrl
      ? { message: 'Sign in to go on', url: PAGE }
      : { message: questions.length === 1 ? 'A question' : 'An order', questions },
  );
  scene.signal.throwIfAborted();
  await speak(scene, 'markdown', told(response, questions));
}

function asked(plain: ChatInputQuestion, { isRequired, isFree }: QuestionForm): ChatInputQuestion {
  const required = isRequired ? { required: true } : {};
  return 'options' in plain && isFree
    ? { ...plain, ...required, allowFreeformInput: true }
    : { ...plain, ...required };
}

function told({ response, answers }: InputResponse, questions: readonly ChatInputQuestion[]): string {
  if (response === 'decline') return 'You declined.';
  if (response === 'cancel') return 'You dismissed the question.';
  if (questions.length === 0) return 'You accepted.';
  const lines = questions.map(({ id, title }) => `- ${title}: ${answerText(answers[id])}`);
  return `You answered:\n\n${lines.join('\n')}`;
}

function answerText(answer: ChatInputAnswer | undefined): string {
  if (answer?.state === 'skipped') return ['skipped', ...(answer.freeformValues ?? [])].join(', ');
  return answer === undefined ? 'nothing' : valueText(answer.value);
}

function valueText(value: ChatInputAnswerValue): string {
  switch (value.kind) {
    case 'text':
    case 'number':
      return `\`${value.value}\``;
    case 'boolean':
      return value.value ? 'yes' : 'no';
    case 'selected':
    case 'selected-many': {
      const chosen = [value.value].flat().filter((id) => id !== '');
      const own = (value.freeformValues ?? []).map((words) => `"${words}"`);
      return [...chosen.map((id) => `\`${id}\``), ...own].join(', ') || 'none';
    }
    default:
      return value satisfies never;
  }
}
