import {
  type ChatInputAnswer,
  type ChatInputAnswerValue,
  type ChatInputQuestion,
  type ChatInputRequest,
  type ClientAction,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { SeededRandom } from '../seeded-random.ts';

/**
 * Changes one answer to a question of one of these open requests: drafted, submitted, skipped or cleared. Some answers are
 * invalid.
 */
export function answerChanged(
  random: SeededRandom,
  requests: readonly ChatInputRequest[],
): ClientAction | undefined {
  const request = pickRequest(random, requests);
  if (request === undefined) return undefined;
  const question = pickQuestion(random, request);
  const answer = question === undefined || random.chance(0.15) ? undefined : answerTo(random, question);
  return {
    type: 'chat/inputAnswerChanged',
    requestId: request.id,
    questionId: random.chance(0.05) || question === undefined ? 'no such question' : question.id,
    ...defined({ answer }),
  };
}

/** Completes one of these open requests in any way. Its answers are sometimes invalid or incomplete. */
export function completed(
  random: SeededRandom,
  requests: readonly ChatInputRequest[],
): ClientAction | undefined {
  const request = pickRequest(random, requests);
  if (request === undefined) return undefined;
  const response = random.weighted({ accept: 6, decline: 1, cancel: 1 });
  const answered = (request.questions ?? []).filter(() => random.chance(0.8));
  const answers = answered.map((question) => [question.id, answerTo(random, question)] as const);
  return {
    type: 'chat/inputCompleted',
    requestId: request.id,
    response,
    ...(answers.length === 0 ? {} : { answers: Object.fromEntries(answers) }),
  };
}

const pickRequest = (
  random: SeededRandom,
  requests: readonly ChatInputRequest[],
): ChatInputRequest | undefined => (requests.length === 0 ? undefined : random.pick(requests));

const pickQuestion = (
  random: SeededRandom,
  { questions = [] }: ChatInputRequest,
): ChatInputQuestion | undefined => (questions.length === 0 ? undefined : random.pick(questions));

function answerTo(random: SeededRandom, question: ChatInputQuestion): ChatInputAnswer {
  const state = random.weighted({ submitted: 6, draft: 2, skipped: 1 });
  return state === 'skipped' ? { state } : { state, value: valueFor(random, question) };
}

function valueFor(random: SeededRandom, question: ChatInputQuestion): ChatInputAnswerValue {
  const { kind } = question;
  // Few values have the wrong kind; more are out of bounds.
  if (random.chance(0.04))
    return kind === 'boolean' ? { kind: 'text', value: '' } : { kind: 'boolean', value: true };
  const ids = 'options' in question ? question.options.map(({ id }) => id) : [];
  const option = (): string => random.pick([...ids, ...ids, 'no such option']);
  switch (kind) {
    case 'text':
      return { kind, value: random.hex(random.int(8)) };
    case 'number':
    case 'integer':
      return { kind: 'number', value: random.pick([0, 1, 4, 9, 2.5, 10]) };
    case 'boolean':
      return { kind, value: random.chance(0.5) };
    case 'single-select':
      return random.chance(0.2)
        ? { kind: 'selected', value: '', freeformValues: [random.hex(3)] }
        : { kind: 'selected', value: option() };
    case 'multi-select':
      return { kind: 'selected-many', value: Array.from({ length: random.int(4) }, option) };
    default:
      return kind satisfies never;
  }
}
