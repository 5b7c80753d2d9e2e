import type {
  AgentInfo,
  AgentKeySource,
  Message,
  SessionConfigSchema,
  SessionConfigValueItem,
  Turn,
} from '@agenthost/protocol';
import type { AgentTerminal, AgentTerminalStart } from './agent-terminal.ts';
import type { ClientTool, HostTool, SignInToken } from './tool-call.ts';
import type { TurnInput, TurnOutput } from './turn.ts';

/**
 * A kind of agent. A provider describes it and opens a session for each chat. Providers never create actions
 * and have no access to connections. The host ends whatever a provider leaves open.
 */
export interface AgentProvider {
  /** Provider id: `[a-z][a-z0-9+.-]*`. */
  readonly id: string;
  /**
   * False: a new session cannot be given the earlier turns through `OpenAgentSession.history`. Where that
   * matters (after a truncation, in a fork, without a saved memory), the next turn says so in the transcript
   * [CHAT-6]. Default true.
   */
  readonly takesHistory?: boolean;
  /**
   * Folders in working directories, such as `.claude`, whose rules and skills the agent reads itself. The host does not tell it about them again.
   * Default: none.
   */
  readonly readsFolders?: readonly string[];
  /**
   * Whether its calls of host tools come with `HostToolCall.askModel`. MCP servers of its sessions are told that they can ask for answers of a
   * model (sampling). Default false.
   */
  readonly answersTools?: boolean;
  /** The agent's present description for clients. Must be cheap; called after every `onInfoChanged`. */
  describe(): AgentInfo;
  /**
   * Adds a listener for changes of `describe()`, for example of models. Returns a function that removes it.
   */
  onInfoChanged?(listener: () => void): () => void;
  /**
   * Version, or the reason why the agent is not available, for people (`agenthost agents`, `x-listAgents`). Must not start the agent, and may
   * run its command with `--version` for a few seconds.
   */
  availability(): Promise<AgentAvailability>;
  /** Schema and default values of the session config for this agent. Absent or `undefined`: the agent has no config. */
  resolveConfig?(input: {
    workingDirectory: string;
    values: Readonly<Record<string, unknown>>;
  }): Promise<ResolvedConfig | undefined>;
  /**
   * Values of a config property with `enumDynamic` that match the query, best first; an empty query asks for
   * a first selection. Absent or `undefined`: the values in the property's `enum` are complete [ROOT-4].
   */
  completeConfig?(input: CompleteConfig): Promise<readonly SessionConfigValueItem[] | undefined>;
  /**
   * Whether `AgentSession.resumeTurn` of a session that is opened with this memory could continue a turn that failed [CHAT-22]. Must be cheap;
   * called when a turn fails, also for turns that an earlier host left open. Absent: never.
   */
  canResumeTurns?(memory: unknown): boolean;
  /**
   * A client passed a token for one of the `protectedResources` of `describe()`, for the client's own turns. Keep it in memory only. An
   * empty token revokes the client's earlier one. Rejects with `AgentError` if the token is refused.
   */
  authenticate?(token: ClientToken): Promise<void>;
  /**
   * Stores the key of the agent's service where only the host's user can read it; an empty key removes the stored one. The next turn uses it. Rejects
   * with `AgentError`, of type `invalidKey` for a text that cannot be a key. Absent: the agent takes no key.
   */
  setKey?(key: string): Promise<void>;
  /** Opens the agent's side of a chat. Rejects with `AgentError`. The signal ends the attempt. */
  openSession(options: OpenAgentSession, signal: AbortSignal): Promise<AgentSession>;
  /**
   * A person revoked a permanent permission that the agent itself remembers. Sessions opened from now on must
   * not have it, as far as the provider can ensure that. Running turns continue. Absent: a new session is
   * sufficient.
   */
  forgetGrants?(chat: string): void;
  /** Ends everything that the provider runs, including processes. Idempotent. */
  dispose(): Promise<void>;
}

/** A token that a client passed [AUTH-20]. */
export interface ClientToken extends SignInToken {
  readonly clientId: string;
  /** The identifier of the resource. */
  readonly resource: string;
}

/** A config property whose values are searched, and the other values chosen so far. */
export interface CompleteConfig {
  readonly property: string;
  readonly query: string;
  /** Absolute path. */
  readonly workingDirectory: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Whether an agent can run on this machine, as far as is known without starting it. */
export interface AgentAvailability {
  readonly available: boolean;
  readonly version?: string;
  /** Command line or location, for people. */
  readonly source?: string;
  /** Reason for people; only when it is not available. */
  readonly reason?: string;
  /** Command that installs it; only when it is not available. */
  readonly install?: string;
  /** Command that signs in to the agent's service. Absent: none is known. */
  readonly signIn?: string;
  /** Why its last start failed, for people; only when it is available. Absent: it did not fail, or was not started. */
  readonly failure?: string;
  /** Name of the package that it comes from, for people. Absent: it comes from none. */
  readonly package?: string;
  /** Where its key comes from. Absent: it takes no key. */
  readonly key?: AgentKeySource;
  /** Whether it is a part of the host's program. Absent: false. */
  readonly isBuiltIn?: boolean;
}

/** A session's config: its schema, and the present value of each property that has one. */
export interface ResolvedConfig {
  readonly schema: SessionConfigSchema;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Progress of an agent's start: `handshake` (its process runs and is being initialized), then `session` (its
 * session is being opened).
 */
export type AgentStartStep = 'handshake' | 'session';

/**
 * The chat that an agent is opened for. `session` and `chat` are URIs. `config` has the session's values by
 * property.
 */
export interface OpenAgentSession {
  readonly session: string;
  readonly chat: string;
  /** Absolute path of the chat's primary working directory. It exists. */
  readonly workingDirectory: string;
  /** Absolute paths of its other working directories. They exist. Absent: none. */
  readonly moreDirectories?: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * The value last passed to `host.saveMemory` for this chat, also before a restart. `undefined` for a new
   * chat.
   */
  readonly memory: unknown;
  /** The chat's latest completed turns, oldest first, for agents without a memory of their own. */
  history(): Promise<readonly Turn[]>;
  /** Reports the progress of the start to people [ROOT-3]. Steps may be omitted. */
  onStep?(step: AgentStartStep): void;
  readonly host: AgentSessionHost;
}

/**
 * Services of the host for an open agent session, also outside of turns. After the session's close all
 * methods do nothing.
 */
export interface AgentSessionHost {
  /** Stores a JSON value with the chat, durably. The host does not interpret it. */
  saveMemory(memory: unknown): void;
  /** Sets the agent's title of the conversation. Ignored once a person has renamed it. */
  title(title: string): void;
  /** Replaces the session config that the agent offers (modes, models, options). */
  config(config: ResolvedConfig): void;
  /** Replaces the slash commands that the agent offers. */
  commands(commands: readonly AgentCommand[]): void;
  /**
   * Runs a command in a terminal that clients can watch and type in, held by the chat's session [TERM-5].
   * Rejects with `AgentError` when it cannot be started. Show it in a tool call with a `terminal` block that
   * has its `uri`.
   */
  terminal(start: AgentTerminalStart): Promise<AgentTerminal>;
  /**
   * Tools that active clients offer to this session now [SESS-8]; `toolsChanged` reports changes. Run them
   * with `TurnOutput.clientTool`.
   */
  clientTools(): readonly ClientTool[];
  /**
   * Tools that the host itself offers to this session now, such as those for comments and of MCP servers; `toolsChanged` reports changes. Their names differ from
   * those of client tools. Run them with `TurnOutput.hostTool`.
   */
  hostTools(): readonly HostTool[];
  /**
   * Whether a real path (after symlinks) is private to the host, such as its data folder. Code that reads and
   * writes files for an agent must not touch private paths.
   */
  isPrivate(realPath: string): Promise<boolean>;
  /**
   * The real paths of the host's private files and folders that exist now, for sandboxes that have to hide them. A working directory may lie
   * in one of them.
   */
  privatePaths(): Promise<readonly string[]>;
  /**
   * Backpressure for calls that return nothing, here and of a turn: await it between many calls. `undefined`:
   * the host can take more now.
   */
  ready(): Promise<void> | undefined;
  /**
   * The agent process exited unexpectedly. Open turns end with `agentExited`; the next turn opens a new
   * session.
   */
  exited(reason: string): void;
}

/** A slash command of an agent: its name without the slash, a description, and a hint for its arguments. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

/** The agent's side of one chat. */
export interface AgentSession {
  /**
   * Runs one turn. Resolving completes the turn; rejecting ends it with an error (`AgentError` gives the
   * `errorType`). Should end soon after `signal` aborts (cancel, dispose); later output is dropped. When it
   * has not settled 10 s after the abort, the host calls `terminate`.
   */
  runTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void>;
  /**
   * Continues a turn that failed, with the input that it was started with [CHAT-23]. Otherwise like `runTurn`. Its output is appended to
   * that of the turn. The session may be another one than the one that began the turn. Absent: `runTurn` is called.
   */
  resumeTurn?(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void>;
  /**
   * Takes a message into the running turn [CHAT-12]. Resolves with true when the agent has it. With false, or
   * a rejection, the host queues the message. Called for one message at a time and not before `runTurn`; must
   * settle soon after the turn. Absent: the agent takes no messages during a turn.
   */
  steer?(message: Message): Promise<boolean>;
  /** Whether it offers its model only the tools in `TurnInput.tools`. Otherwise people are told that it cannot. Default false. */
  readonly limitsTools?: boolean;
  /** Whether its model gets the rules in `TurnInput.rules` when they apply. Otherwise their texts are instructions. Default false. */
  readonly scopesRules?: boolean;
  /** A client changed mutable config values. */
  setConfig?(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** The result of `AgentSessionHost.clientTools` or `hostTools` has changed. */
  toolsChanged?(): void;
  /**
   * Ids of the processes that it runs in now; other sessions may share them. The host shows the ports of their descendants, and of
   * programs that these have left behind if the processes have a `markedEnvironment`. Must be cheap. Absent: none.
   */
  processIds?(): readonly number[];
  /** Closes the session in order: on dispose, when idle, and when the host stops. Idempotent. */
  close(): Promise<void>;
  /** Ends the session at once, including its processes (TERM, wait, KILL). Idempotent. */
  terminate(): Promise<void>;
}

/**
 * Registry of child processes that agents run in. The host records them durably and ends those that outlived
 * a killed host at its next start.
 */
export interface ChildRegistry {
  /** Records a started child and its process group. Resolves when the record is durable. */
  record(child: { pid: number; command: string }): Promise<void>;
  /** Removes the record of a child that has ended. */
  forget(pid: number): void;
}
