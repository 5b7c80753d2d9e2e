import {
  CHANNEL_LIMITS,
  type ChatAction,
  type ChatInputRequest,
  type ChatState,
  checkAnswered,
  checkInputAnswer,
  findOpenRequest,
  openRequests,
  weightOf,
} from '@agenthost/protocol';
import { type Rejection, reject, rejectSize } from '../../handler-port/channel-module.ts';

type Of<T extends ChatAction['type']> = Extract<ChatAction, { type: T }>;

/** Why an answer may not be set or cleared; `undefined` if it may [CHAT-13]. */
export function checkAnswerChanged(
  state: ChatState,
  { requestId, questionId, answer }: Of<'chat/inputAnswerChanged'>,
): Rejection | undefined {
  const request = findOpenRequest(state, requestId);
  if (request === undefined) return notOpen(state, requestId);
  const question = request.questions?.find(({ id }) => id === questionId);
  if (question === undefined) return unknownQuestion(questionId);
  if (answer === undefined) return undefined;
  return (
    checkInputAnswer(question, answer) ??
    checkRoom(state, { ...request.answers, [questionId]: answer }, request)
  );
}

/** The answers to all open requests are part of the state that each client gets. */
function checkRoom(
  state: ChatState,
  answers: NonNullable<ChatInputRequest['answers']>,
  { id: changed }: ChatInputRequest,
): Rejection | undefined {
  const { answersLength } = CHANNEL_LIMITS;
  const others = openRequests(state)
    .filter(({ id }) => id !== changed)
    .map((request) => request.answers ?? {});
  const length = weightOf([...others, answers]);
  return length > answersLength.max ? rejectSize('answers', answersLength, length) : undefined;
}

/**
 * Why a request may not be closed with this response; `undefined` if it may [CHAT-13]. Accepting requires a
 * valid submitted answer, synced before or sent along, to each required question. Declining and cancelling
 * require none.
 */
export function checkCompleted(
  state: ChatState,
  { requestId, response, answers = {} }: Of<'chat/inputCompleted'>,
): Rejection | undefined {
  const request = findOpenRequest(state, requestId);
  if (request === undefined) return notOpen(state, requestId);
  const { questions = [] } = request;
  const known = new Set(questions.map(({ id }) => id));
  const stranger = Object.keys(answers).find((id) => !known.has(id));
  if (stranger !== undefined) return unknownQuestion(stranger);
  const isAccepted = response === 'accept';
  // Synced answers were valid when they were set. The agent may have changed its questions since.
  const final = isAccepted ? { ...request.answers, ...answers } : answers;
  for (const question of questions) {
    const answer = Object.hasOwn(final, question.id) ? final[question.id] : undefined;
    const isDraftLeft = answer?.state === 'draft' && !Object.hasOwn(answers, question.id);
    const problem = answer === undefined || isDraftLeft ? undefined : checkInputAnswer(question, answer);
    if (problem !== undefined) return problem;
  }
  return isAccepted ? checkAnswered(request, final) : undefined;
}

const unknownQuestion = (questionId: string): Rejection =>
  reject('unknownQuestion', `The request has no question ${questionId}`);

/**
 * How another client has closed the request, if the chat still shows it. Tells the second of two answers
 * about the first.
 */
function notOpen({ activeTurn, turns }: ChatState, requestId: string): Rejection {
  const parts = (activeTurn ?? turns.at(-1))?.responseParts ?? [];
  const closed = parts.findLast((part) => part.kind === 'inputRequest' && part.request.id === requestId);
  if (closed?.kind !== 'inputRequest' || closed.response === undefined) {
    return reject('unknownRequest', `There is no open input request ${requestId}`);
  }
  const words = {
    accept: 'It has been answered already',
    decline: 'It has been declined already',
    cancel: 'It has been dismissed already',
  };
  return reject('requestClosed', words[closed.response]);
}
