import type { AnnotationsSummary } from '../annotations/state.ts';
import type { Changeset, ChangesSummary } from '../changeset/state.ts';
import type { ChatInteractivity, ChatOrigin, ChatSummary } from '../chat/state.ts';
import type { SessionConfigState } from '../config/schema.ts';
import type { Count, ErrorInfo, URI, WithMeta } from '../wire/basics.ts';
import type { ClientPluginCustomization, Customization } from './customization.ts';
import type { SessionInputRequest } from './input-needed.ts';
import type { SessionStatus } from './status.ts';

/** Fields of both a session's state and its catalogue entry. */
export interface SessionMetadata {
  /** Id of its agent. */
  provider: string;
  title: string;
  /** Derived from its chats [SESS-5], except `IsRead` and `IsArchived`. */
  status: SessionStatus;
  /** Present activity, for people [SESS-5]. Absent: none. */
  activity?: string;
  project?: ProjectInfo;
  /** `file:` URIs, the primary one first [SESS-20]. For every chat without its own. Absent: none was named. */
  workingDirectories?: URI[];
  /** Kept up to date in the catalogue entry only [SESS-5]. Absent: no annotations channel. */
  annotations?: AnnotationsSummary;
  /** What created the session. Absent: a client [ROOT-21]. */
  origin?: SessionOrigin;
}

/** What created a session. */
export type SessionOrigin = AutomationSessionOrigin;

/** Created by a run of an automation [RUN-4]. */
export interface AutomationSessionOrigin {
  kind: 'automation';
  automation: URI;
  /** The run's channel. */
  run: URI;
}

/** The repository or folder of a session. */
export interface ProjectInfo {
  uri: URI;
  displayName: string;
}

/** The state of a session. */
export interface SessionState extends SessionMetadata, WithMeta {
  lifecycle: SessionLifecycle;
  /** Only with lifecycle `failed`. */
  creationError?: ErrorInfo;
  /** Tools of the host. */
  serverTools?: ToolDefinition[];
  /** At most one entry per client [SESS-8]. */
  activeClients: SessionActiveClient[];
  /** The catalogue of its chats [SESS-6]. */
  chats: ChatSummary[];
  /** The chat for input that names no chat. */
  defaultChat?: URI;
  /** Absent: no settings. */
  config?: SessionConfigState;
  customizations?: Customization[];
  changesets?: Changeset[];
  /** Open requests of all chats [SESS-7]. Since 0.5.1 [CONN-9]. */
  inputNeeded?: SessionInputRequest[];
}

/** `creating` until the agent has started (`ready`) or could not be started (`failed`) [SESS-2] [SESS-24]. */
export type SessionLifecycle = 'creating' | 'ready' | 'failed';

/** A session in `listSessions` and in root notifications [ROOT-2] [ROOT-3]. */
export interface SessionSummary extends SessionMetadata, WithMeta {
  resource: URI;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601; the latest among its chats [SESS-5]. */
  modifiedAt: string;
  changes?: ChangesSummary;
  /** All its chats, in the order of the session's catalogue [ROOT-21] [ROOT-22]. Absent or empty: subscribe to the session to see them. */
  chats?: SessionChatSummary[];
  /** The chat for input that names no chat. */
  defaultChat?: URI;
  /** Extension: the questions to people. Absent: none, or unknown. */
  'x-asks'?: SessionAsks;
  /**
   * Extension: the last line of the last answer, at most 160 characters. While a turn runs: of its text so far, or what its last tool call does; at
   * most one change in 3 s. Absent or empty: none, or unknown.
   */
  'x-preview'?: string;
}

/** The open requests of a session that a person can answer, without those that a client answers. */
export interface SessionAsks {
  /** 0: all were answered. */
  count: Count;
  /** The oldest one. Absent: there is none. */
  first?: SessionAsk;
}

/** One open request, with what is needed to show it and to answer it without a subscription. */
export interface SessionAsk {
  kind: 'chatInput' | 'toolConfirmation' | 'toolAuthentication';
  /** Its `id` in the session's `inputNeeded`. */
  id: string;
  /** The chat that waits. */
  chat: URI;
  /** The question as one line of plain text, at most 200 characters. */
  title: string;
  /** `chatInput`: answered by `chat/inputCompleted`. */
  requestId?: string;
  /** `chatInput`: true: it can be accepted only with answers. */
  needsAnswers?: true;
  /** The turn of a tool call. */
  turnId?: string;
  /** A tool call. `toolConfirmation`: answered by `chat/toolCallConfirmed`. */
  toolCallId?: string;
  /** `toolConfirmation`: true: the result waits, and is answered by `chat/toolCallResultConfirmed`. */
  isResult?: true;
}

/** A chat in the catalogue entry of its session: enough to list it without a subscription [ROOT-21]. */
export interface SessionChatSummary {
  resource: URI;
  title: string;
  /** Absent: unknown. */
  origin?: ChatOrigin;
  /** Absent: `full`. */
  interactivity?: ChatInteractivity;
  /** Absent: unknown. */
  status?: SessionStatus;
  /** Absent: unknown. */
  changes?: ChangesSummary;
}

/** A client that offers tools to a session [SESS-8]. */
export interface SessionActiveClient {
  clientId: string;
  displayName?: string;
  tools: ToolDefinition[];
  /** Plugins that the client publishes for this session [CUST-2]. */
  customizations?: ClientPluginCustomization[];
}

/** A tool for a model, with the fields of MCP. */
export interface ToolDefinition extends WithMeta {
  name: string;
  title?: string;
  description?: string;
  /** Absent: any input. */
  inputSchema?: ToolSchema;
  /** Schema of `structuredContent`. Absent: any. */
  outputSchema?: ToolSchema;
  annotations?: ToolAnnotations;
}

/** A JSON Schema for an object; other keywords are passed on. */
export interface ToolSchema {
  /** `object`. */
  type: string;
  /** A schema for each field. */
  properties?: Record<string, unknown>;
  required?: string[];
  [keyword: string]: unknown;
}

/** A tool's description of itself: hints, no guarantees. Absent: unknown. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}
