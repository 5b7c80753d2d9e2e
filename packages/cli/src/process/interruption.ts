import type { Context } from './context.ts';
import { EXIT, type ExitCode, outputTrouble } from './exit.ts';

/** Why a command has to stop before it is done. */
export interface StopReason {
  readonly exitCode: ExitCode;
  /** For the user; absent when the user interrupted. */
  readonly message?: string;
}

/** Further reasons for an interruption. */
export interface InterruptionOptions {
  readonly timeoutMs?: number | undefined;
}

/**
 * Ends a command in order: at Ctrl-C or SIGTERM, when the reader of its output leaves, and when its time is up. A second
 * signal ends the process at once.
 */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #giveBackSignals: () => void;
  readonly #forgetOutput: () => void;
  readonly #timer: NodeJS.Timeout | undefined;
  #reason: StopReason | undefined;

  constructor(context: Context, { timeoutMs }: InterruptionOptions = {}) {
    this.#giveBackSignals = context.onSignal(['SIGINT', 'SIGTERM'], () => {
      if (this.#reason === undefined) this.stop({ exitCode: EXIT.interrupted });
      else context.exitNow(EXIT.interrupted);
    });
    const outputGone = (): void =>
      this.stop(outputTrouble(context.outputClosed) ?? { exitCode: EXIT.interrupted });
    context.outputClosed.addEventListener('abort', outputGone, { once: true });
    this.#forgetOutput = () => context.outputClosed.removeEventListener('abort', outputGone);
    if (context.outputClosed.aborted) outputGone();
    if (timeoutMs !== undefined) {
      const message = `timed out after ${timeoutMs / 1_000} s`;
      this.#timer = setTimeout(() => this.stop({ exitCode: EXIT.error, message }), timeoutMs);
    }
  }

  /** Why the command has to stop; `undefined` while it does not have to. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Aborts when the command has to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason stays. */
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller.abort();
  }

  /** Removes all listeners and timers. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#giveBackSignals();
    this.#forgetOutput();
  }
}
