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
import type { AgentError } from './agent-error.ts';
import type { ClientToolCall } from './client-tool.ts';
import type { ToolCallHandle, ToolCallStart } from './tool-call.ts';

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
 * (back-pressure): await them, and `ready` in loops of the others. A turn that runs 4,096 calls ahead of the host is ended.
 */
export interface TurnOutput {
  /** Appends to the current Markdown part; starts one when the last part is something else. */
  markdown(text: string): Promise<void>;
  /** Appends to the current reasoning part; starts one when the last part is something else. */
  reasoning(text: string): Promise<void>;
  /** Resolves when the host can take more. */
  ready(): Promise<void>;
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
  /** Describes a change of a text file for `edits` or content blocks; contents are stored behind content URIs, of versions above 4 MiB both ends. */
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
