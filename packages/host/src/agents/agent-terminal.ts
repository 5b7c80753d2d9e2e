/** A command to run in a terminal. */
export interface AgentTerminalStart {
  /** Program and arguments, or a line for the user's shell. */
  readonly command: readonly [program: string, ...args: string[]] | string;
  /** Set on top of a terminal's usual environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path. Default: the chat's working directory. */
  readonly cwd?: string;
  /** Default: the command as typed, shortened. */
  readonly title?: string;
  /** Who uses it. Default: nobody, the session holds it in the background. */
  readonly use?: TerminalUse;
}

/** The turn, and once it is known the tool call, that uses a terminal. */
export interface TerminalUse {
  readonly turnId: string;
  readonly toolCallId?: string;
}

/** A terminal that an agent has started. Terminals outlive turns; those that a session still holds go with it [TERM-6]. */
export interface AgentTerminal {
  /** The terminal's channel. */
  readonly uri: string;
  readonly title: string;
  /** Resolves when the process has ended, with 128 + n for signal n. A host that stops first leaves it pending. */
  readonly exited: Promise<{ readonly exitCode: number }>;
  /** Resolves when a person has sent it to the background: a turn that waits for it should go on [TERM-5]. */
  readonly detached: Promise<void>;
  /** The newest output as text (escape sequences kept), at most `maxBytes` of UTF-8, never cut inside a character. */
  output(maxBytes: number): {
    readonly text: string;
    readonly isTruncated: boolean;
    readonly exitCode?: number;
  };
  /** Types into it. */
  write(data: string): void;
  /** Says who uses it now; `undefined` sends it to the background. Does nothing while a client holds it. */
  use(by: TerminalUse | undefined): void;
  /** Ends its processes; the terminal stays to be looked at. */
  kill(): Promise<void>;
  /**
   * Lets go of it: ends its processes and removes the terminal, unless a person has taken it or sent it to the background.
   * Idempotent.
   */
  release(): Promise<void>;
}
