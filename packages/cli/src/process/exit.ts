import { errorCode } from '@agenthost/protocol/values';
/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  /** The turn failed, the host refused, or another error. */
  error: 1,
  /** Wrong usage. */
  usage: 2,
  /** A request of the agent was denied. */
  denied: 3,
  /** No host, connection refused, or connection lost. */
  cannotConnect: 4,
  /** `--timeout` was over first, with terminals. */
  timedOut: 124,
  /** Ctrl-C, SIGTERM, or the reader of the output left. */
  interrupted: 130,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error with a one-line message for the user. `cause` is shown with `--verbose`. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** A mistake on the command line. */
export const usageError = (message: string): CliError => new CliError(EXIT.usage, message);

/** Error codes of an output whose reader is gone. These are not errors. */
const READER_LEFT_CODES = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/** Why stdout cannot be written any more, for messages; `undefined` while it can be written, and if its reader has left. */
export function outputTrouble({ aborted, reason }: AbortSignal): CliError | undefined {
  if (!aborted || !(reason instanceof Error)) return undefined;
  const code = errorCode(reason);
  if (code === undefined || READER_LEFT_CODES.has(code)) return undefined;
  const why = code === 'ENOSPC' ? 'no space left' : reason.message;
  return new CliError(EXIT.error, `cannot write to standard output: ${why}`, { cause: reason });
}
