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

/** A value for a question: plain where the question says what is meant (options by their ids), else in full. */
export type AnswerInput = string | number | boolean | readonly string[] | ChatInputAnswerValue;

type InputAction = Extract<ClientAction, { type: 'chat/inputAnswerChanged' | 'chat/inputCompleted' }>;

/** What an open input request is read from and answered on. */
export interface InputRequestPort {
  readonly requestId: string;
  /** The chat that asks. */
  readonly chat: URI;
  /** The request as this client sees it now; `undefined` when it is not open. */
  read(): ChatInputRequest | undefined;
  dispatch(action: InputAction): Promise<DispatchOutcome>;
}

/**
 * What an agent asks people, to be filled in together: what one client types all others see. Whoever closes it first decides; what comes
 * after that, and what does not fit its question, is `rejected` with a reason [CHAT-13].
 */
export class InputRequestHandle {
  readonly #port: InputRequestPort;

  constructor(port: InputRequestPort) {
    this.#port = port;
  }

  get id(): string {
    return this.#port.requestId;
  }

  /** The chat that asks. */
  get chat(): URI {
    return this.#port.chat;
  }

  /** The questions, with what all clients have answered so far; `undefined` once it is closed. */
  get request(): ChatInputRequest | undefined {
    return this.#port.read();
  }

  /** Why `accept` would be rejected now, with these values on top of what is there already; `undefined` when it would not. */
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

  /** Shows all clients what is being typed; it needs not fit yet, and answers nothing. */
  draft(questionId: string, value: AnswerInput): Promise<DispatchOutcome> {
    return this.#change(questionId, { state: 'draft', value: this.#valueOf(questionId, value) });
  }

  /** Answers one question; the request stays open. */
  submit(questionId: string, value: AnswerInput): Promise<DispatchOutcome> {
    return this.#change(questionId, { state: 'submitted', value: this.#valueOf(questionId, value) });
  }

  /** Leaves one question out, which no required one allows. */
  skip(questionId: string, reason?: string): Promise<DispatchOutcome> {
    return this.#change(questionId, {
      state: 'skipped',
      ...(reason === undefined ? {} : { freeformValues: [reason] }),
    });
  }

  /** Takes an answer or a draft back. */
  clear(questionId: string): Promise<DispatchOutcome> {
    return this.#change(questionId, undefined);
  }

  /** Closes it with what was submitted, by whomever, and these values on top. */
  accept(values: Readonly<Record<string, AnswerInput>> = {}): Promise<DispatchOutcome> {
    return this.#complete('accept', this.#submitted(values));
  }

  /** Closes it: no. */
  decline(): Promise<DispatchOutcome> {
    return this.#complete('decline');
  }

  /** Closes it without saying yes or no. */
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
