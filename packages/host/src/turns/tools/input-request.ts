import {
  type ChatAction,
  type ChatInputAnswer,
  type ChatInputRequest,
  type ChatState,
  findOpenRequest,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { InputQuestions, InputResponse } from '../../agents/turn.ts';
import type { Channel } from '../../sync/channel.ts';

type Emit = (make: (chat: Channel<'chat'>) => ChatAction | undefined) => void;

const CANCELLED: InputResponse = { response: 'cancel', answers: {} };

/** The open questions of a turn to users, and the callers that wait for answers [CHAT-13]. */
export class LiveInputRequests {
  readonly #emit: Emit;
  readonly #newId: () => string;
  readonly #waiting = new Map<string, (response: InputResponse) => void>();
  #isOver = false;

  constructor(parts: { emit: Emit; newId: () => string }) {
    this.#emit = parts.emit;
    this.#newId = parts.newId;
  }

  /** Implements `TurnOutput.ask`. */
  ask(questions: InputQuestions, withdrawn?: AbortSignal): Promise<InputResponse> {
    if (this.#isOver || withdrawn?.aborted === true) return Promise.resolve(CANCELLED);
    const { promise, resolve } = Promise.withResolvers<InputResponse>();
    const request = requestOf(questions, questions.requestId ?? this.#newId());
    const { id } = request;
    // A new request under the same id replaces the old one, which is cancelled.
    this.#waiting.get(id)?.(CANCELLED);
    const withdraw = (): void => {
      if (this.#waiting.get(id) === settle) this.#withdraw(id);
    };
    const settle = (response: InputResponse): void => {
      withdrawn?.removeEventListener('abort', withdraw);
      if (this.#waiting.get(id) === settle) this.#waiting.delete(id);
      resolve(response);
    };
    this.#waiting.set(id, settle);
    withdrawn?.addEventListener('abort', withdraw, { once: true });
    this.#emit(() => ({ type: 'chat/inputRequested', request }));
    return promise;
  }

  /** Passes on the answer after a request was closed, unless the request was asked again since. */
  completed(state: ChatState, requestId: string): void {
    if (findOpenRequest(state, requestId) !== undefined) return;
    const part = state.activeTurn?.responseParts.findLast(
      (each) => each.kind === 'inputRequest' && each.request.id === requestId,
    );
    if (part?.kind !== 'inputRequest' || part.response === undefined) return;
    const { request, response } = part;
    this.#waiting.get(requestId)?.({ response, answers: response === 'accept' ? givenAnswers(request) : {} });
  }

  /** Cancels all requests because the turn has ended. */
  end(): void {
    this.#isOver = true;
    for (const settle of [...this.#waiting.values()]) settle(CANCELLED);
  }

  #withdraw(requestId: string): void {
    this.#emit((chat) =>
      findOpenRequest(chat.state, requestId) !== undefined
        ? { type: 'chat/inputCompleted', requestId, response: 'cancel' }
        : undefined,
    );
    this.#waiting.get(requestId)?.(CANCELLED);
  }
}

function requestOf({ message, url, questions }: InputQuestions, id: string): ChatInputRequest {
  return {
    id,
    ...defined({ message, url }),
    ...(questions === undefined ? {} : { questions: [...questions] }),
  };
}

/** The submitted answers to the current questions. Drafts are left out. */
function givenAnswers({ questions = [], answers = {} }: ChatInputRequest): Record<string, ChatInputAnswer> {
  const given = questions.flatMap(({ id }): [string, ChatInputAnswer][] => {
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
    return answer === undefined || answer.state === 'draft' ? [] : [[id, answer]];
  });
  return Object.fromEntries(given);
}
