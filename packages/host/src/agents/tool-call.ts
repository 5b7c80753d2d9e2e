import type {
  ConfirmationOption,
  FileEdit,
  Message,
  StringOrMarkdown,
  ToolCallContributor,
  ToolCallResult,
  ToolResultContent,
} from '@agenthost/protocol';

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
  /** Choices in place of the host's, shown in this order, but those that allow only once first. */
  readonly options?: readonly ConfirmationOption[];
  /**
   * Ids among `options` by which a person allows more than this call. The agent keeps that by itself: the host lists it as the agent's, and opens a new
   * session of the agent without its memory when somebody revokes it. The host lets this very input (or edits of these files) run in this session, too.
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
