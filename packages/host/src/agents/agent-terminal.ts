/** A command to run in a terminal. */
export interface AgentTerminalStart {
  /** Program and arguments, or a command line for the user's shell. */
  readonly command: readonly [program: string, ...args: string[]] | string;
  /** Variables set on top of a terminal's usual environment. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path of the working directory. Default: that of the chat. */
  readonly cwd?: string;
  /** Title. Default: the command as typed, shortened. */
  readonly title?: string;
  /** The turn and tool call that use it. Default: none; the session holds it in the background. */
  readonly use?: TerminalUse;
}

/** The turn, and once it is known the tool call, that uses a terminal. */
export interface TerminalUse {
  readonly turnId: string;
  readonly toolCallId?: string;
}

/**
 * A terminal started by an agent. Terminals outlive turns; those that a session still holds end with it
 * [TERM-6].
 */
export interface AgentTerminal {
  /** The terminal's channel. */
  readonly uri: string;
  readonly title: string;
  /** Resolves when the process has ended; 128 + n for signal n. Stays pending when the host stops first. */
  readonly exited: Promise<{ readonly exitCode: number }>;
  /**
   * Resolves when a person has sent it to the background. A turn that waits for it should then continue
   * [TERM-5].
   */
  readonly detached: Promise<void>;
  /**
   * The newest output as text with escape sequences, at most `maxBytes` of UTF-8. Never cut inside a
   * character.
   */
  output(maxBytes: number): {
    readonly text: string;
    readonly isTruncated: boolean;
    readonly exitCode?: number;
  };
  /** Types text into it. */
  write(data: string): void;
  /**
   * Sets the turn and tool call that use it; `undefined` sends it to the background. Does nothing while a
   * client holds it.
   */
  use(by: TerminalUse | undefined): void;
  /** Ends its processes. The terminal stays visible. */
  kill(): Promise<void>;
  /**
   * Ends its processes and removes the terminal, unless a person holds it or has sent it to the background.
   * Idempotent.
   */
  release(): Promise<void>;
}
