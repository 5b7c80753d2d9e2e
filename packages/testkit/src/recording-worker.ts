import type { AgentError, TurnOutput, WorkerChat, WorkerChatStart } from '@agenthost/host';

/** One turn of a worker, and how it ended. */
export interface RecordedWorkerTurn<T extends TurnOutput> {
  readonly prompt: string;
  readonly output: T;
  isEnded: boolean;
  /** Why it failed; absent while it runs and when it completed. */
  error?: AgentError;
}

/** A worker chat that a provider opened. */
export class RecordedWorker<T extends TurnOutput> implements WorkerChat {
  readonly uri: string;
  readonly start: WorkerChatStart;
  readonly turns: RecordedWorkerTurn<T>[] = [];
  readonly #newOutput: () => T;
  readonly #signal: AbortSignal;

  /** `signal` aborts when the turn that it was opened in ends. */
  constructor(uri: string, start: WorkerChatStart, newOutput: () => T, signal: AbortSignal) {
    this.uri = uri;
    this.start = start;
    this.#newOutput = newOutput;
    this.#signal = signal;
  }

  turn(prompt: string) {
    const turn: RecordedWorkerTurn<T> = { prompt, output: this.#newOutput(), isEnded: false };
    this.turns.push(turn);
    return {
      output: turn.output,
      signal: this.#signal,
      end: (error?: AgentError) => {
        if (turn.isEnded) return;
        turn.isEnded = true;
        if (error !== undefined) turn.error = error;
      },
    };
  }
}
