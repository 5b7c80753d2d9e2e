import type { AnnotationsSummary } from '../annotations/state.ts';
import type { Changeset } from '../changeset/state.ts';
import type { ChatInputRequest } from '../chat/input-request.ts';
import type { ChatSummary } from '../chat/state.ts';
import type { ToolCallConfirmationState, ToolCallState } from '../chat/tool-call.ts';
import type { SessionConfigState } from '../common/config-schema.ts';
import type { ErrorInfo, URI } from '../common/types.ts';
import type { ClientPluginCustomization, Customization } from './customization.ts';
import type { SessionStatus } from './status.ts';

export interface ChangesSummary {
  additions?: number;
  deletions?: number;
  files?: number;
}

export interface ProjectInfo {
  uri: URI;
  displayName: string;
}

export interface SessionActiveClient {
  clientId: string;
  displayName?: string;
  tools: ToolDefinition[];
  customizations?: ClientPluginCustomization[];
}

export interface SessionChatInputRequest {
  id: string;
  chat: URI;
  kind: 'chatInput';
  request: ChatInputRequest;
}

export type SessionInputRequest =
  | SessionChatInputRequest
  | SessionToolConfirmationRequest
  | SessionToolClientExecutionRequest;

export interface SessionInputRequestBase {
  id: string;
  chat: URI;
}

export type SessionLifecycle = 'creating' | 'ready' | 'creationFailed';

export interface SessionMetadata {
  provider: string;
  title: string;
  status: SessionStatus;
  activity?: string;
  project?: ProjectInfo;
  workingDirectory?: URI;
  annotations?: AnnotationsSummary;
}

export interface SessionState {
  provider: string;
  title: string;
  status: SessionStatus;
  activity?: string;
  project?: ProjectInfo;
  workingDirectory?: URI;
  annotations?: AnnotationsSummary;
  lifecycle: SessionLifecycle;
  creationError?: ErrorInfo;
  serverTools?: ToolDefinition[];
  activeClients: SessionActiveClient[];
  chats: ChatSummary[];
  defaultChat?: URI;
  config?: SessionConfigState;
  customizations?: Customization[];
  changesets?: Changeset[];
  inputNeeded?: SessionInputRequest[];
  _meta?: Record<string, unknown>;
}

export interface SessionSummary {
  provider: string;
  title: string;
  status: SessionStatus;
  activity?: string;
  project?: ProjectInfo;
  workingDirectory?: URI;
  annotations?: AnnotationsSummary;
  resource: URI;
  createdAt: string;
  modifiedAt: string;
  changes?: ChangesSummary;
  _meta?: Record<string, unknown>;
}

export interface SessionToolClientExecutionRequest {
  id: string;
  chat: URI;
  kind: 'toolClientExecution';
  turnId: string;
  clientId: string;
  toolCall: ToolCallState;
}

export interface SessionToolConfirmationRequest {
  id: string;
  chat: URI;
  kind: 'toolConfirmation';
  turnId: string;
  toolCall: ToolCallConfirmationState;
}

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface ToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: { type: string; properties?: string; required?: string };
  outputSchema?: { type: string; properties?: string; required?: string };
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
}
