import type { AnnotationsSummary } from '../annotations/state.ts';
import type { Changeset } from '../changeset/state.ts';
import type { ChatSummary } from '../chat/state.ts';
import type { SessionConfigState } from '../config/schema.ts';
import type { ErrorInfo, URI, WithMeta } from '../wire/basics.ts';
import type { ClientPluginCustomization, Customization } from './customization.ts';
import type { SessionInputRequest } from './input-needed.ts';
import type { SessionStatus } from './status.ts';

/** What a session's state and its catalogue entry both tell. */
export interface SessionMetadata {
  /** Id of its agent. */
  provider: string;
  title: string;
  /** Derived from its chats [SESS-5], but for `IsRead` and `IsArchived`. */
  status: SessionStatus;
  /** What it does just now, for people [SESS-5]. Absent: nothing to tell. */
  activity?: string;
  project?: ProjectInfo;
  /** Of every chat that has none of its own. */
  workingDirectory?: URI;
  /** Kept up to date in the catalogue entry alone [SESS-5]. Absent: no annotations channel. */
  annotations?: AnnotationsSummary;
}

/** The repository or folder that a session works on. */
export interface ProjectInfo {
  uri: URI;
  displayName: string;
}

/** A session as its subscribers see it. */
export interface SessionState extends SessionMetadata, WithMeta {
  lifecycle: SessionLifecycle;
  /** Only with lifecycle `creationFailed`. */
  creationError?: ErrorInfo;
  /** Tools of the host. */
  serverTools?: ToolDefinition[];
  /** At most one entry per client [SESS-8]. */
  activeClients: SessionActiveClient[];
  /** The catalogue of its chats [SESS-6]. */
  chats: ChatSummary[];
  /** Where input goes that names no chat. */
  defaultChat?: URI;
  /** Absent: nothing to set. */
  config?: SessionConfigState;
  customizations?: Customization[];
  changesets?: Changeset[];
  /** Every open question of every chat [SESS-7]. Since 0.5.1 [CONN-9]. */
  inputNeeded?: SessionInputRequest[];
}

/** `creating` until the agent is there: `ready`, or it could not be had [SESS-2]. */
export type SessionLifecycle = 'creating' | 'ready' | 'creationFailed';

/** A session as `listSessions` and the root notifications show it [ROOT-2] [ROOT-3]. */
export interface SessionSummary extends SessionMetadata, WithMeta {
  resource: URI;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601; the latest of its chats' [SESS-5]. */
  modifiedAt: string;
  changes?: ChangesSummary;
}

/** How much a session changed. An absent count is not known. */
export interface ChangesSummary {
  /** Lines. */
  additions?: number;
  /** Lines. */
  deletions?: number;
  files?: number;
}

/** A client that lends a session its tools [SESS-8]. */
export interface SessionActiveClient {
  clientId: string;
  displayName?: string;
  tools: ToolDefinition[];
  /** Plugins that the client publishes for this session [CUST-2]. */
  customizations?: ClientPluginCustomization[];
}

/** A tool that a model may call, with the fields of MCP. */
export interface ToolDefinition extends WithMeta {
  name: string;
  title?: string;
  description?: string;
  /** Absent: any input. */
  inputSchema?: ToolSchema;
  /** Of `structuredContent`. Absent: any. */
  outputSchema?: ToolSchema;
  annotations?: ToolAnnotations;
}

/** A JSON Schema for an object; keywords besides these pass through. */
export interface ToolSchema {
  /** `object`. */
  type: string;
  /** A schema for each field. */
  properties?: Record<string, unknown>;
  required?: string[];
  [keyword: string]: unknown;
}

/** What a tool says of itself. Hints, never guarantees; absent: unknown. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}
