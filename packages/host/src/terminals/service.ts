import type { TerminalClaim } from '@agenthost/protocol';
import type { AgentTerminal, AgentTerminalStart } from '../agents/agent-terminal.ts';
import type { Tx } from '../sync/tx.ts';

/** The port of `terminals.ts` for other parts of the host. */
export interface TerminalService {
  /** Starts a terminal and lists it [TERM-1]. Resolves once it is in the catalogue. Rejects with a `WireError`. */
  create(terminal: NewTerminal): Promise<void>;
  /** Ends the process group of a terminal and removes the terminal. Do not call it inside a transaction. Rejects with `-32008` when there is no such terminal. */
  dispose(uri: string): Promise<void>;
  /** URIs of the terminals that this session holds. */
  heldBy(session: string): readonly string[];
  /** Removes the terminals of a session that is disposed of, in the same transaction [SESS-3] [TERM-6]. */
  disposeHeldBy(tx: Tx, session: string): void;
  /** Starts a terminal for an agent; see `AgentSessionHost.terminal`. */
  startForAgent(
    owner: { readonly session: string; readonly chat: string; readonly workingDirectory: string },
    start: AgentTerminalStart,
  ): Promise<AgentTerminal>;
}

/** A terminal to start. Every default but that of the title is filled in. */
export interface NewTerminal {
  readonly uri: string;
  readonly claim: TerminalClaim;
  /** Absent: the name of the shell or program, until the program sets a title. */
  readonly title?: string;
  /** Absolute path of a folder that exists. */
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
  /** Absent: the user's shell, with shell integration. */
  readonly command?: readonly [program: string, ...args: string[]];
  /** Added to the usual environment of a terminal. */
  readonly env?: Readonly<Record<string, string>>;
}
