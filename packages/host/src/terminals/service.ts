import type { TerminalClaim } from '@agenthost/protocol';
import type { AgentTerminal, AgentTerminalStart } from '../agents/agent-terminal.ts';
import type { Tx } from '../sync/tx.ts';

/** What other parts of the host ask of its terminals: the port in front of `terminals.ts`. */
export interface TerminalService {
  /** Starts a terminal and lists it [TERM-1]. Resolves once it is in the catalogue. Rejects with a `WireError`. */
  create(terminal: NewTerminal): Promise<void>;
  /** Ends its process group and removes it. Inside no transaction. Rejects with `-32008` when there is none. */
  dispose(uri: string): Promise<void>;
  /** The terminals that this session holds now. */
  heldBy(session: string): readonly string[];
  /** Removes them all: the session goes [SESS-3] [TERM-6]. Called inside the transaction that disposes the session. */
  disposeHeldBy(tx: Tx, session: string): void;
  /** A terminal for an agent; see `AgentSessionHost.terminal`. */
  startForAgent(
    owner: { readonly session: string; readonly workingDirectory: string },
    start: AgentTerminalStart,
  ): Promise<AgentTerminal>;
}

/** A terminal to be started, every default filled in but the title. */
export interface NewTerminal {
  readonly uri: string;
  readonly claim: TerminalClaim;
  /** Absent: the shell's or program's name until the program sets one. */
  readonly title?: string;
  /** Absolute path; exists. */
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
  /** Absent: the user's shell, with shell integration. */
  readonly command?: readonly [program: string, ...args: string[]];
  /** Set on top of a terminal's usual environment. */
  readonly env?: Readonly<Record<string, string>>;
}
