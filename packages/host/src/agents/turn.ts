import type {
  ChatInputAnswer,
  ChatInputQuestion,
  ChatInputResponseKind,
  FileEdit,
  Message,
  StringOrMarkdown,
  ToolCallResult,
  UsageInfo,
} from '@agenthost/protocol';
import type { AgentError } from './errors.ts';
import type { ClientToolCall, HostToolCall, ToolCallHandle, ToolCallStart } from './tool-call.ts';

/** A rule for certain files of the working directories. */
export interface ScopedRule {
  /** The same in every turn. */
  readonly id: string;
  /** Patterns of `path.matchesGlob` for a path from a working directory; those without `/` match the name of a file. */
  readonly globs: readonly string[];
  /** For the model. */
  readonly text: string;
}

/** The start of a turn. The message may name a model and a custom agent. */
export interface TurnInput {
  readonly turnId: string;
  readonly message: Message;
  /**
   * Events in the chat since the agent's last turn that it does not know, oldest first, as text for a model:
   * commands that a person ran, with their output [CHAT-17]. Put it in front of the message. Usually empty.
   * Starts with the session's instructions when this agent session does not have them yet, or has others.
   */
  readonly context: readonly string[];
  /**
   * The session's instructions as text for a model, when the agent got them in an earlier turn: for agents
   * that find out now that they have lost them. Absent: there are none, or `context` starts with them.
   */
  readonly instructions?: string;
  /**
   * Names of the tools that the custom agent of the message may use, as its file gives them; agents name tools differently. Absent: all. Only for
   * agent sessions with `limitsTools`.
   */
  readonly tools?: readonly string[];
  /**
   * Rules that the model gets when a file that matches is attached, read or changed. They are not in `context`. Absent: there are none. Only for
   * agent sessions with `scopesRules`.
   */
  readonly rules?: readonly ScopedRule[];
  /** BCP 47 tag of the client that started the turn; `en` when unknown [CHAT-19]. */
  readonly locale: string;
  /**
   * Reads a resource that an attachment names: a file permitted by the host's path policy, or a content URI
   * of the host. `maxBytes` is 32 MiB by default. Rejects with `UnreadableResource`.
   */
  readResource(
    uri: string,
    options?: { readonly maxBytes?: number },
  ): Promise<{ readonly data: Uint8Array; readonly contentType?: string }>;
}

/**
 * Output of a provider in a turn. Methods may be called at any time; after the end of the turn they do
 * nothing, and questions resolve as skipped. The promises of text methods are backpressure: await them, and
 * `ready` between other calls in loops. A turn that is 4,096 calls ahead of the host is ended.
 */
export interface TurnOutput {
  /** Appends to the current Markdown part, or starts one when the last part is of another kind. */
  markdown(text: string): Promise<void>;
  /** Appends to the current reasoning part, or starts one when the last part is of another kind. */
  reasoning(text: string): Promise<void>;
  /** Resolves when the host can take more. */
  ready(): Promise<void>;
  /** Adds a notice to the transcript. */
  notify(content: StringOrMarkdown): void;
  /** Replaces the turn's usage. */
  usage(usage: UsageInfo): void;
  /** Sets the present activity, for people; `undefined` clears it. */
  activity(text: string | undefined): void;
  /** Announces a tool call. Its input may still be streamed. */
  toolCall(call: ToolCallStart): ToolCallHandle;
  /**
   * Runs a client's tool [CHAT-9]: shows the call, asks first if needed, and resolves with the client's
   * result. Never rejects. The result is a failed one when no client offers the tool, the call was denied,
   * the client left or took too long, the turn ended, or `withdrawn` aborted; that ends the call and stops
   * the client.
   */
  clientTool(call: ClientToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult>;
  /**
   * Runs a tool of the host, or of an MCP server that the host runs: shows the call, asks people about MCP tools that do more than read, and
   * resolves with the result. Never rejects. The result is a failed one when the host does not offer the tool, its input is invalid, people
   * denied it, the server failed, the turn has ended, or `withdrawn` aborted, which cancels a call of an MCP server.
   */
  hostTool(call: HostToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult>;
  /**
   * Asks people and waits for the answer [CHAT-13]. Several requests may be open. The same `requestId`
   * replaces the questions of an open request. Resolves with `cancel` when the turn ends first, or when
   * `withdrawn` aborts, which removes the questions.
   */
  ask(request: InputQuestions, withdrawn?: AbortSignal): Promise<InputResponse>;
  /**
   * Describes a change of a text file for `edits` or content blocks. The texts are stored behind content
   * URIs; of a version above 4 MiB only both ends.
   */
  fileEdit(change: FileChange): FileEdit;
  /**
   * Opens a worker chat for a call of this turn. The host adds the `subagent` block to the call's content and
   * result. Throws `AgentError` for an unknown call, and when the session has too many worker chats.
   */
  spawnChat(worker: WorkerChatStart): WorkerChat;
}

/** A request to people: questions in order, or a page to open. Without either it is a yes-or-no question. */
export interface InputQuestions {
  /** Unique in the turn. Default: chosen by the host. */
  readonly requestId?: string;
  /** Explanation of the whole request. */
  readonly message?: string;
  readonly url?: string;
  /** Their ids are unique among them. */
  readonly questions?: readonly ChatInputQuestion[];
}

/** The response of people. */
export interface InputResponse {
  readonly response: ChatInputResponseKind;
  /**
   * Submitted and skipped answers by question id, validated against their question [CHAT-13]; all required
   * questions are answered. Empty unless accepted.
   */
  readonly answers: Readonly<Record<string, ChatInputAnswer>>;
}

/** The worker of a tool call. `title` and `description` are for people. */
export interface WorkerChatStart {
  readonly toolCallId: string;
  readonly title: string;
  /** The kind of agent that works there, a name for programs. */
  readonly agentName?: string;
  readonly description?: string;
  /** Absolute path. Default: that of the parent chat. */
  readonly workingDirectory?: string;
}

/**
 * A chat for the work of a tool call. People can watch it and answer its questions, but not write in it
 * [CHAT-2]. Turns can run in it while the parent's turn runs; the chat stays afterwards.
 */
export interface WorkerChat {
  readonly uri: string;
  /** Starts a turn of the worker. An open turn is completed. */
  turn(prompt: string): WorkerTurn;
}

/** One turn of a worker chat. */
export interface WorkerTurn {
  /** Like the output of the parent's turn, including worker chats. */
  readonly output: TurnOutput;
  /**
   * Aborts when the turn was ended by anything except `end`: the end of the parent's turn, a cancel, or
   * disposal.
   */
  readonly signal: AbortSignal;
  /** Completes the turn, or fails it with an error. */
  end(error?: AgentError): void;
}

/**
 * A text file before and after a change. A moved file is two changes: one without `after`, one without
 * `before`.
 */
export interface FileChange {
  /** `file:` URI. */
  readonly uri: string;
  /** Text before; absent for a new file. */
  readonly before?: string;
  /** Text after; absent for a deleted file. */
  readonly after?: string;
}
