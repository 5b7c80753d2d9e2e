import {
  type ChatInputAnswer,
  type ChatInputAnswerValue,
  type ChatInputQuestion,
  type ChatInputRequest,
  type ChatInputResponseKind,
  type ClientAction,
  checkAnswered,
  checkInputAnswer,
  type InputProblem,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

/**
 * A value for a question: a plain value where the kind of question determines its meaning (options by id),
 * else the full answer.
 */
export type AnswerInput = string | number | boolean | readonly string[] | ChatInputAnswerValue;

type InputAction = Extract<ClientAction, { type: 'chat/inputAnswerChanged' | 'chat/inputCompleted' }>;

/** The parts of a client that a handle of an input request uses. */
export interface InputRequestPort {
  readonly requestId: string;
  /** URI of the chat that asks. */
  readonly chat: URI;
  /** The request in the state of this client; `undefined` when it is not open. */
  read(): ChatInputRequest | undefined;
  dispatch(action: InputAction): Promise<DispatchOutcome>;
}

/**
 * Questions of an agent that several clients can fill in together: each sees what the others type. The first
 * client that closes the request decides. Later answers, and answers that do not fit their question, are
 * `rejected` with a reason [CHAT-13].
 */
export class InputRequestHandle {
  readonly #port: InputRequestPort;

  constructor(port: InputRequestPort) {
    this.#port = port;
  }

  get id(): string {
    return this.#port.requestId;
  }

  /** URI of the chat that asks. */
  get chat(): URI {
    return this.#port.chat;
  }

  /** The questions and all answers so far. `undefined` once the request is closed. */
  get request(): ChatInputRequest | undefined {
    return this.#port.read();
  }

  /** Why `accept` with these values would be rejected now. `undefined` when it would not be. */
  problem(values: Readonly<Record<string, AnswerInput>> = {}): InputProblem | undefined {
    const { request } = this;
    if (request === undefined) return undefined;
    const answers = { ...request.answers, ...this.#submitted(values) };
    for (const question of request.questions ?? []) {
      const answer = Object.hasOwn(answers, question.id) ? answers[question.id] : undefined;
      const problem = answer?.state === 'submitted' ? checkInputAnswer(question, answer) : undefined;
      if (problem !== undefined) return problem;
    }
    return checkAnswered(request, answers);
  }

  /** Shows other clients a value being typed. It need not fit the question and does not answer it. */
  draft(questionId: string, value: AnswerInput): Promise<DispatchOutcome> {
    return this.#change(questionId, { state: 'draft', value: this.#valueOf(questionId, value) });
  }

  /** Answers one question. The request stays open. */
  submit(questionId: string, value: AnswerInput): Promise<DispatchOutcome> {
    return this.#change(questionId, { state: 'submitted', value: this.#valueOf(questionId, value) });
  }

  /** Skips a question. A required question cannot be skipped. */
  skip(questionId: string, reason?: string): Promise<DispatchOutcome> {
    return this.#change(questionId, {
      state: 'skipped',
      ...(reason === undefined ? {} : { freeformValues: [reason] }),
    });
  }

  /** Removes an answer or a draft. */
  clear(questionId: string): Promise<DispatchOutcome> {
    return this.#change(questionId, undefined);
  }

  /** Accepts the request with all submitted answers and these values on top. */
  accept(values: Readonly<Record<string, AnswerInput>> = {}): Promise<DispatchOutcome> {
    return this.#complete('accept', this.#submitted(values));
  }

  /** Declines the request. */
  decline(): Promise<DispatchOutcome> {
    return this.#complete('decline');
  }

  /** Dismisses the request without a decision. */
  cancel(): Promise<DispatchOutcome> {
    return this.#complete('cancel');
  }

  #change(questionId: string, answer: ChatInputAnswer | undefined): Promise<DispatchOutcome> {
    return this.#port.dispatch({
      type: 'chat/inputAnswerChanged',
      requestId: this.id,
      questionId,
      ...defined({ answer }),
    });
  }

  #complete(
    response: ChatInputResponseKind,
    answers: Record<string, ChatInputAnswer> = {},
  ): Promise<DispatchOutcome> {
    return this.#port.dispatch({
      type: 'chat/inputCompleted',
      requestId: this.id,
      response,
      ...(Object.keys(answers).length === 0 ? {} : { answers }),
    });
  }

  #submitted(values: Readonly<Record<string, AnswerInput>>): Record<string, ChatInputAnswer> {
    return Object.fromEntries(
      Object.entries(values).map(([id, value]) => [
        id,
        { state: 'submitted' as const, value: this.#valueOf(id, value) },
      ]),
    );
  }

  #valueOf(questionId: string, value: AnswerInput): ChatInputAnswerValue {
    return answerValue(
      this.request?.questions?.find(({ id }) => id === questionId),
      value,
    );
  }
}

function answerValue(question: ChatInputQuestion | undefined, value: AnswerInput): ChatInputAnswerValue {
  if (typeof value === 'number') return { kind: 'number', value };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (typeof value === 'string') {
    return { kind: question?.kind === 'single-select' ? 'selected' : 'text', value };
  }
  return 'kind' in value ? value : { kind: 'selected-many', value: [...value] };
}
