import type {
  AgentInfo,
  ChatInputAnswer,
  ChatInputQuestion,
  ChatInputResponseKind,
  ConfirmationOption,
  FileEdit,
  Message,
  SessionConfigSchema,
  SessionConfigValueItem,
  StringOrMarkdown,
  ToolCallContributor,
  ToolCallResult,
  ToolResultContent,
  Turn,
  UsageInfo,
} from '@agenthost/protocol';
import type { ClientTool, ClientToolCall } from './client-tool.ts';

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
  /** The agent has gone by itself (process exit). Open turns end with `agentExited`; the next turn opens a new session. */
  exited(reason: string): void;
}

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

/** What a turn starts from. The message may name a model and an agent of its own. */
export interface TurnInput {
  readonly turnId: string;
  readonly message: Message;
  /**
   * What happened in the chat since the agent's last turn without it, oldest first, in words for a model: the commands that a person
   * ran and what they printed [CHAT-17]. Belongs in front of the message; mostly empty. Begins with the session's instructions when
   * this agent session has not been told them, or others.
   */
  readonly context: readonly string[];
  /**
   * The session's instructions in words for a model, when the agent has been told them in an earlier turn: for agents that find only
   * now that they have lost what they knew. Absent: there are none, or `context` begins with them.
   */
  readonly instructions?: string;
  /** BCP 47 tag of the client that started the turn; `en` when unknown [CHAT-19]. */
  readonly locale: string;
  /**
   * Reads a resource that an attachment names: a file by the host's path policy, or what a content URI of the host stands for. `maxBytes`
   * is 32 MiB by default. Rejects with `UnreadableResource`.
   */
  readResource(
    uri: string,
    options?: { readonly maxBytes?: number },
  ): Promise<{ readonly data: Uint8Array; readonly contentType?: string }>;
}

/**
 * What a provider does with a turn. Every method may be called at any time: after the turn's end they do nothing
 * (promises that wait for a person then resolve as skipped). Text methods resolve when the host can take more
 * (back-pressure): await them.
 */
export interface TurnOutput {
  /** Appends to the current Markdown part; starts one when the last part is something else. */
  markdown(text: string): Promise<void>;
  /** Appends to the current reasoning part; starts one when the last part is something else. */
  reasoning(text: string): Promise<void>;
  /** A notice of the harness in the transcript. */
  notify(content: StringOrMarkdown): void;
  /** Replaces the turn's usage. */
  usage(usage: UsageInfo): void;
  /** What the chat is doing right now, for people; `undefined` clears. */
  activity(text: string | undefined): void;
  /** Announces a tool call (its parameters may still stream). */
  toolCall(call: ToolCallStart): ToolCallHandle;
  /**
   * Runs a client's tool [CHAT-9]: shows the call, asks first where it has to, and resolves with what the client answered. Never
   * rejects: the result is a failed one when nobody offers the tool, it was denied, its client left or took too long, the turn ended, or
   * `withdrawn` aborted, which ends the call and stops the client.
   */
  clientTool(call: ClientToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult>;
  /**
   * Asks people and waits [CHAT-13]. Several may be open at once; the same `requestId` again replaces the questions of one that is.
   * Resolves with `cancel` when the turn ends first, or when `withdrawn` aborts, which takes the questions back.
   */
  ask(request: InputQuestions, withdrawn?: AbortSignal): Promise<InputResponse>;
  /** Describes a change of a text file for `edits` or content blocks; contents are stored behind content URIs. */
  fileEdit(change: FileChange): FileEdit;
  /**
   * Opens a worker chat for a call of this turn; the host adds the `subagent` block to the call's content and to its result. Throws
   * `AgentError` for a call that the turn does not have, and when the session has too many worker chats.
   */
  spawnChat(worker: WorkerChatStart): WorkerChat;
}

/** What people are asked: questions in their order, or a page to open and act on; without either it is a plain yes or no. */
export interface InputQuestions {
  /** Unique in the turn; the host makes one when absent. */
  readonly requestId?: string;
  /** What it is about as a whole. */
  readonly message?: string;
  readonly url?: string;
  /** Ids unique among them. */
  readonly questions?: readonly ChatInputQuestion[];
}

/** How people answered. */
export interface InputResponse {
  readonly response: ChatInputResponseKind;
  /**
   * By question id, submitted and skipped ones only, checked against the question [CHAT-13]; one for each required question. Empty
   * unless accepted.
   */
  readonly answers: Readonly<Record<string, ChatInputAnswer>>;
}

/** The worker that a tool call delegates to. `title` and `description` are for people. */
export interface WorkerChatStart {
  readonly toolCallId: string;
  readonly title: string;
  /** The kind of agent that works there, by the name that programs know. */
  readonly agentName?: string;
  readonly description?: string;
  /** Absolute path. Default: that of the chat that spawns it. */
  readonly workingDirectory?: string;
}

/**
 * A chat that a tool call works in: people watch it and answer its questions, and write nothing [CHAT-2]. It takes turns while the
 * turn that spawned it runs, and stays after that.
 */
export interface WorkerChat {
  readonly uri: string;
  /** Begins a turn of the worker; one that is still open counts as complete. */
  turn(prompt: string): WorkerTurn;
}

/** One turn of a worker chat. */
export interface WorkerTurn {
  /** As a turn's own; it can spawn workers in turn. */
  readonly output: TurnOutput;
  /** Aborts when anything else than `end` ended it: the end of the parent's turn, a person's cancel, disposal. */
  readonly signal: AbortSignal;
  /** Completes it, or fails it with an error. */
  end(error?: AgentError): void;
}

/** A text file before and after a change. A moved file is two changes: one without `after`, one without `before`. */
export interface FileChange {
  /** `file:` URI. */
  readonly uri: string;
  /** Text before; absent for a new file. */
  readonly before?: string;
  /** Text after; absent for a deleted file. */
  readonly after?: string;
}

/** A tool call as announced. `toolName` is for programs, `displayName` and `intention` for people; without `contributor` the agent runs it. */
export interface ToolCallStart {
  /** Unique in the turn; the host makes one when absent. */
  readonly toolCallId?: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly intention?: string;
  readonly contributor?: ToolCallContributor;
  /** What it does, as far as the agent says. What may run without a question does not rest on it alone. Default `other`. */
  readonly kind?: ToolKind;
  readonly meta?: Record<string, unknown>;
}

/** What tools do. */
export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'other';

/** A tool call whose input is complete: what it does, for people, and the file changes that it would make. */
export interface ToolCallReady {
  readonly invocationMessage: StringOrMarkdown;
  /** Raw input; JSON text where the tool takes an object. */
  readonly toolInput?: string;
  readonly edits?: readonly FileEdit[];
  readonly meta?: Record<string, unknown>;
}

/**
 * What a person is asked before a tool call runs or goes on, unless the session's `approvals` or something that is remembered answers.
 * Without `options` the host offers its own.
 */
export interface ToolCallQuestion extends ToolCallReady {
  readonly confirmationTitle?: StringOrMarkdown;
  /** What it does, where that has turned out to be something else. Default: the call's. */
  readonly kind?: ToolKind;
  /** A client may change `toolInput` before it approves. Default false. */
  readonly editable?: boolean;
  /** Choices in place of the host's, shown in this order. */
  readonly options?: readonly ConfirmationOption[];
  /**
   * Ids among `options` by which a person allows more than this call. The host remembers such a choice as well, for this very input (or
   * edits of these files) in this session.
   */
  readonly alwaysOptions?: readonly string[];
}

/** The answer to `confirm`, of a person or of a setting, or `skipped` when nobody will give one any more. */
export type ToolCallAnswer =
  | {
      readonly approved: true;
      /** `toolInput`, edited if a client edited it. */
      readonly toolInput?: string;
      readonly selectedOption?: ConfirmationOption;
    }
  | {
      readonly approved: false;
      /** `skipped` also when the turn ended first. */
      readonly reason: 'denied' | 'skipped';
      readonly message?: StringOrMarkdown;
      readonly suggestion?: Message;
      readonly selectedOption?: ConfirmationOption;
    };

/** Walks one tool call through its states [CHAT-7]. Calls that its present state does not allow do nothing. */
export interface ToolCallHandle {
  readonly id: string;
  /** Streams parameters. */
  input(delta: string, invocationMessage?: StringOrMarkdown): Promise<void>;
  /** Asks (from streaming, or again while running) and waits for the answer. On approval the call is running. */
  confirm(question: ToolCallQuestion): Promise<ToolCallAnswer>;
  /** Runs without asking. From running: replaces the shown fields. */
  run(ready: ToolCallReady): void;
  /** Replaces the partial content of a running call. */
  content(content: readonly ToolResultContent[]): void;
  /**
   * Ends it. With `requiresResultConfirmation` waits until the result is approved or denied. Of a result above 256 KiB the
   * largest texts and data go behind content URIs.
   */
  complete(
    result: ToolCallResult,
    options?: { requiresResultConfirmation?: boolean; meta?: Record<string, unknown> },
  ): Promise<{ approved: boolean }>;
}

/** A failure of an agent. `errorType` goes to clients in `chat/error` [CHAT-5]. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly errorType: string;

  constructor(errorType: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.errorType = errorType;
  }
}
