import type {
  AgentInfo,
  Message,
  SessionConfigSchema,
  SessionConfigValueItem,
  Turn,
} from '@agenthost/protocol';
import type { AgentTerminal, AgentTerminalStart } from './agent-terminal.ts';
import type { ClientTool } from './client-tool.ts';
import type { TurnInput, TurnOutput } from './turn.ts';

/**
 * A kind of agent: describes itself and opens a conversation for a chat. Providers never build actions and never see
 * sockets; whatever they forget, the turn supervisor ends.
 */
export interface AgentProvider {
  /** Provider id: `[a-z][a-z0-9+.-]*`. */
  readonly id: string;
  /**
   * False: a new session of it cannot be told of the turns before, by `OpenAgentSession.history`. Where that matters (after a truncation,
   * in a fork, when it has saved no memory) the next turn says so in the transcript [CHAT-6]. Default true.
   */
  readonly takesHistory?: boolean;
  /** What clients see of it now. Cheap; called whenever `onInfoChanged` fired. */
  describe(): AgentInfo;
  /** Registers for changes of `describe()` (models found, for instance). Returns the way out. */
  onInfoChanged?(listener: () => void): () => void;
  /** Version and reason of unavailability, for people (`agenthost agents`). May start nothing. */
  availability(): Promise<AgentAvailability>;
  /** Schema and default values of session config for this agent; absent: none. */
  resolveConfig?(input: {
    workingDirectory: string;
    values: Readonly<Record<string, unknown>>;
  }): Promise<ResolvedConfig>;
  /**
   * Values of a config property with `enumDynamic` that match what somebody has typed, best first; '' asks for a first choice. Absent
   * or `undefined`: those in the property's `enum` are all there are [ROOT-4].
   */
  completeConfig?(input: CompleteConfig): Promise<readonly SessionConfigValueItem[] | undefined>;
  /** Opens the agent's side of a chat. Rejects with `AgentError`. The signal ends the attempt. */
  openSession(options: OpenAgentSession, signal: AbortSignal): Promise<AgentSession>;
  /**
   * A person has taken back what they had allowed this chat's agent for good, and the agent remembers by itself: sessions that are opened from now on
   * must not know of it, as far as that is in the provider's hands. Turns that run go on. Absent: a new session is enough.
   */
  forgetGrants?(chat: string): void;
  /** Ends everything it runs (children included). Idempotent. */
  dispose(): Promise<void>;
}

/** A config property whose values somebody looks for, and what else is chosen so far. */
export interface CompleteConfig {
  readonly property: string;
  readonly query: string;
  /** Absolute path. */
  readonly workingDirectory: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Whether an agent can run on this machine, and what is known of it without starting it. */
export interface AgentAvailability {
  readonly available: boolean;
  readonly version?: string;
  /** Command line or location, for people. */
  readonly source?: string;
  /** Why it is not available. */
  readonly reason?: string;
  /** Command that installs it, where it is not there. */
  readonly install?: string;
}

/** A session's config as the agent has it now: what can be set, and the value of each property that has one. */
export interface ResolvedConfig {
  readonly schema: SessionConfigSchema;
  readonly values: Readonly<Record<string, unknown>>;
}

/** How far an agent is that starts: its process runs and is being introduced, or its session is being opened. */
export type AgentStartStep = 'handshake' | 'session';

/** The chat that an agent is opened for. `session` and `chat` are URIs; `config` holds the session's values by property. */
export interface OpenAgentSession {
  readonly session: string;
  readonly chat: string;
  /** Absolute path of the chat's working directory; exists. */
  readonly workingDirectory: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** What `host.saveMemory` was given last for this chat, over restarts; absent for a new chat. */
  readonly memory: unknown;
  /** The chat's latest completed turns, oldest first, for agents that have lost or never had a memory of their own. */
  history(): Promise<readonly Turn[]>;
  /** Hears how far the start is, for people who wait for it [ROOT-3]. Steps may be left out. */
  onStep?(step: AgentStartStep): void;
  readonly host: AgentSessionHost;
}

/** What the host does for an open agent session, outside of turns too. All calls after its close do nothing. */
export interface AgentSessionHost {
  /** Stores an opaque JSON value with the chat, durably. */
  saveMemory(memory: unknown): void;
  /** The agent's own title for the conversation; ignored once a person has named it. */
  title(title: string): void;
  /** Session config that the agent itself offers or changed (modes, models, options). Replaces what it said before. */
  config(config: ResolvedConfig): void;
  /** Slash commands that the agent offers, without the slash. */
  commands(commands: readonly AgentCommand[]): void;
  /**
   * Runs a command in a terminal that clients can watch and type in, held by the chat's session [TERM-5]. Rejects with
   * `AgentError` when it cannot be started. Show it in a tool call with a `terminal` block that names its `uri`.
   */
  terminal(start: AgentTerminalStart): Promise<AgentTerminal>;
  /** Tools that active clients offer to this session now [SESS-8]; `toolsChanged` tells of others. Run them by `TurnOutput.clientTool`. */
  clientTools(): readonly ClientTool[];
  /**
   * Whether a real path (after links) is the host's own: its data folder, say. Whoever reads and writes files in an agent's place leaves
   * those alone.
   */
  isPrivate(realPath: string): Promise<boolean>;
  /**
   * Resolves when the host can take more: await it after calls that return nothing, here and of a turn, where an agent makes many.
   * `undefined`: it can now.
   */
  ready(): Promise<void> | undefined;
  /** The agent has gone by itself (process exit). Open turns end with `agentExited`; the next turn opens a new session. */
  exited(reason: string): void;
}

/** A slash command of an agent: its name without the slash, a line about it, and what to type after it. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

/** The agent's side of one chat. */
export interface AgentSession {
  /**
   * Runs one turn to its end. Resolving completes the turn, rejecting ends it with an error (`AgentError` gives the
   * `errorType`). When `signal` aborts (cancel, dispose) it should stop soon; output after that is dropped. If it has
   * not settled 10 s after the abort the host calls `terminate`.
   */
  runTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void>;
  /**
   * Takes a message into the turn that runs [CHAT-12]. Resolves true when the agent has it, false when it cannot take it now: the host
   * queues it then, as it does when this rejects. Called one message at a time, not before `runTurn`; settle it soon once the turn is over.
   * Absent: the agent takes none.
   */
  steer?(message: Message): Promise<boolean>;
  /** A mutable config value changed by a client. */
  setConfig?(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** `AgentSessionHost.clientTools` gives something else now. */
  toolsChanged?(): void;
  /** Ends it nicely: called on dispose, idle and host stop. Idempotent. */
  close(): Promise<void>;
  /** Ends it now, children included (TERM, wait, KILL). Idempotent. */
  terminate(): Promise<void>;
}
