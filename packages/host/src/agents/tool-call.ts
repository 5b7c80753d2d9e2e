import type {
  ConfirmationOption,
  FileEdit,
  McpAuthRequirement,
  Message,
  StringOrMarkdown,
  ToolCallContributor,
  ToolCallResult,
  ToolDefinition,
  ToolResultContent,
} from '@agenthost/protocol';
import type { ModelRequest, ModelRequestAnswer } from './model-request.ts';

/**
 * An announced tool call. `toolName` is for programs, `displayName` and `intention` are for people. Without
 * `contributor` the agent runs it.
 */
export interface ToolCallStart {
  /** Unique in the turn. Default: chosen by the host. */
  readonly toolCallId?: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly intention?: string;
  readonly contributor?: ToolCallContributor;
  /** Kind of tool according to the agent. Approvals do not rely on it alone. Default `other`. */
  readonly kind?: ToolKind;
  readonly meta?: Record<string, unknown>;
}

/** The kinds of tool. */
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

/** A tool call with complete input: a description for people, and the file changes that it would make. */
export interface ToolCallReady {
  readonly invocationMessage: StringOrMarkdown;
  /** Raw input; JSON text when the tool takes an object. */
  readonly toolInput?: string;
  readonly edits?: readonly FileEdit[];
  readonly meta?: Record<string, unknown>;
}

/**
 * A question to a person before a tool call runs or continues. The session's `approvals` or a remembered
 * approval may answer it. Without `options` the host offers its own.
 */
export interface ToolCallQuestion extends ToolCallReady {
  readonly confirmationTitle?: StringOrMarkdown;
  /** Corrected kind of tool. Default: that of the call. */
  readonly kind?: ToolKind;
  /** Whether a client may change `toolInput` when it approves. Default false. */
  readonly editable?: boolean;
  /** Whether a person is asked even if the session's `approvals` or a remembered approval allow it. Default false. */
  readonly isAlwaysAsked?: boolean;
  /** Options instead of the host's, shown in this order except that options for one call come first. */
  readonly options?: readonly ConfirmationOption[];
  /**
   * Ids of `options` that allow more than this call. The agent remembers them itself: the host lists them as
   * the agent's, and opens a new session of the agent without its memory when one is revoked. The host also
   * allows the same input (or edits of the same files) in this session.
   */
  readonly alwaysOptions?: readonly string[];
}

/** The answer to `confirm`, from a person or a setting; `skipped` when none will come. */
export type ToolCallAnswer =
  | {
      readonly approved: true;
      /** Replaces `toolInput` when a client edited it. */
      readonly toolInput?: string;
      readonly selectedOption?: ConfirmationOption;
    }
  | {
      readonly approved: false;
      /** `skipped`: nobody will answer, for example because the turn ended. */
      readonly reason: 'denied' | 'skipped';
      /** A hook denied the call, and `message` is its reason. Absent: a person or a setting did. */
      readonly by?: 'hook';
      readonly message?: StringOrMarkdown;
      readonly suggestion?: Message;
      readonly selectedOption?: ConfirmationOption;
    };

/**
 * Moves one tool call through its states [CHAT-7]. Calls that the present state does not allow do nothing.
 */
export interface ToolCallHandle {
  readonly id: string;
  /** Appends to the streamed input. */
  input(delta: string, invocationMessage?: StringOrMarkdown): Promise<void>;
  /**
   * Asks (while the input is streamed, or again while the call runs) and resolves with the answer. After an
   * approval the call runs.
   */
  confirm(question: ToolCallQuestion): Promise<ToolCallAnswer>;
  /** Runs the call without asking. While it runs: replaces the shown fields. */
  run(ready: ToolCallReady): void;
  /** Replaces the partial content of a running call. */
  content(content: readonly ToolResultContent[]): void;
  /**
   * Pauses a running call of an MCP tool until a client has signed in [CHAT-30]. The call keeps its partial content. Resolves with the
   * token, and the call runs again; resolves with `undefined` when no token will come: a client gave up, the turn or the call has ended,
   * or the call is not one of an MCP server.
   */
  signIn(auth: McpAuthRequirement): Promise<SignInToken | undefined>;
  /**
   * Ends the call. With `requiresResultConfirmation` it waits until the result is approved or denied. Of a
   * result above 256 KiB the largest texts and data are stored behind content URIs.
   */
  complete(
    result: ToolCallResult,
    options?: { requiresResultConfirmation?: boolean; meta?: Record<string, unknown> },
  ): Promise<{ approved: boolean }>;
}

/** A bearer token. Keep it in memory only. */
export interface SignInToken {
  readonly token: string;
  /** Scopes that the token grants. Absent: unknown. */
  readonly scopes?: readonly string[];
  /** Seconds that the token holds from now on. Absent: unknown. */
  readonly expiresIn?: number;
}

/** A tool that an active client of the session offers and runs. */
export interface ClientTool {
  readonly clientId: string;
  /**
   * Name for agents: that of the definition, made unique where several clients offer the same name. Unique in
   * the session.
   */
  readonly name: string;
  readonly definition: ToolDefinition;
}

/** A tool that the host itself offers and runs. */
export interface HostTool {
  /** Unique among all tools of the session. */
  readonly name: string;
  readonly definition: ToolDefinition;
}

/** A call of a tool of the host. */
export interface HostToolCall {
  readonly name: string;
  /** Unique in the turn. Default: chosen by the host. */
  readonly toolCallId?: string;
  /** JSON text that fits the tool's `inputSchema`; the host validates it. */
  readonly toolInput: string;
  /**
   * Answers requests that the tool makes to the agent's model while the call runs, after a person has allowed them. Rejects with the reason for
   * people. Only for providers with `answersTools`. Absent: such requests are refused.
   */
  askModel?(request: ModelRequest, signal: AbortSignal): Promise<ModelRequestAnswer>;
}

/** A call of a client's tool. */
export interface ClientToolCall {
  readonly clientId: string;
  /** The definition's name. */
  readonly toolName: string;
  /** Unique in the turn. Default: chosen by the host. */
  readonly toolCallId?: string;
  /** JSON text that fits the tool's `inputSchema`; the client validates it. */
  readonly toolInput: string;
  /**
   * Whether a person is asked first. Default: true for tools whose annotations say that they are destructive.
   */
  readonly asksFirst?: boolean;
}
