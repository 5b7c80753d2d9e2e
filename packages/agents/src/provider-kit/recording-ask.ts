import type { InputQuestions, InputResponse } from '@agenthost/host/agent';
import type { ChatInputAnswerValue } from '@agenthost/protocol';

/** An input request of a recording turn, with the test's response. */
export class RecordedAsk {
  readonly request: InputQuestions;
  /** The response for the provider. */
  readonly response: Promise<InputResponse>;
  /** The given response; absent while the request is open. */
  given: InputResponse | undefined;
  readonly #resolve: (response: InputResponse) => void;
  readonly #onClosed: () => void;

  constructor(request: InputQuestions, onClosed: () => void) {
    const { promise, resolve } = Promise.withResolvers<InputResponse>();
    this.request = request;
    this.response = promise;
    this.#resolve = resolve;
    this.#onClosed = onClosed;
  }

  get isOpen(): boolean {
    return this.given === undefined;
  }

  /** Accepts with these submitted values by question id. */
  accept(values: Readonly<Record<string, ChatInputAnswerValue>> = {}): void {
    const answers = Object.entries(values).map(([id, value]) => [id, { state: 'submitted', value }] as const);
    this.#close({ response: 'accept', answers: Object.fromEntries(answers) });
  }

  decline(): void {
    this.#close({ response: 'decline', answers: {} });
  }

  /** Cancels the request, as a user or the end of the turn does. */
  cancel(): void {
    this.#close({ response: 'cancel', answers: {} });
  }

  #close(response: InputResponse): void {
    if (!this.isOpen) return;
    this.given = response;
    this.#resolve(response);
    this.#onClosed();
  }
}
