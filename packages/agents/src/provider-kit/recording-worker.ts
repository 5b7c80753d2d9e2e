import type { AgentError, TurnOutput, WorkerChat, WorkerChatStart } from '@agenthost/host/agent';

/** One turn of a worker chat, with its outcome. */
export interface RecordedWorkerTurn<T extends TurnOutput> {
  readonly prompt: string;
  readonly output: T;
  isEnded: boolean;
  /** Cancels only this turn, as a user does. */
  cancel(): void;
  /** The error of a failed turn; else absent. */
  error?: AgentError;
}

/** A worker chat opened by a provider. */
export class RecordedWorker<T extends TurnOutput> implements WorkerChat {
  readonly uri: string;
  readonly start: WorkerChatStart;
  readonly turns: RecordedWorkerTurn<T>[] = [];
  readonly #newOutput: () => T;
  readonly #signal: AbortSignal;
  readonly #began: () => void;

  /** `signal` aborts with the parent's turn; `began` is called when a turn of the worker starts. */
  constructor(
    uri: string,
    start: WorkerChatStart,
    parent: { newOutput(): T; signal: AbortSignal; began(): void },
  ) {
    this.uri = uri;
    this.start = start;
    this.#newOutput = () => parent.newOutput();
    this.#signal = parent.signal;
    this.#began = () => parent.began();
  }

  turn(prompt: string) {
    const cancelled = new AbortController();
    const turn: RecordedWorkerTurn<T> = {
      prompt,
      output: this.#newOutput(),
      isEnded: false,
      cancel: () => {
        turn.isEnded = true;
        cancelled.abort();
      },
    };
    this.turns.push(turn);
    this.#began();
    return {
      output: turn.output,
      signal: AbortSignal.any([this.#signal, cancelled.signal]),
      end: (error?: AgentError) => {
        if (turn.isEnded) return;
        turn.isEnded = true;
        if (error !== undefined) turn.error = error;
      },
    };
  }
}
