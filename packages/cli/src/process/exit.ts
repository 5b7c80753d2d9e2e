/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  /** The turn failed, the host said no, or something broke. */
  error: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** Something that the agent asked for was denied. */
  denied: 3,
  /** There is no host, or it does not let us in, or it is gone. */
  cannotConnect: 4,
  /** `--timeout` was over first, with terminals. */
  timedOut: 124,
  /** Ctrl-C, SIGTERM, or the reader of the output left. */
  interrupted: 130,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What a person is told in one line; `cause` shows with `--verbose`. */
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
