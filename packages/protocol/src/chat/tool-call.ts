import type { ContentRef, StringOrMarkdown, URI } from '../common/types.ts';
import type { Message } from './message.ts';

export interface ConfirmationOption {
  id: string;
  label: string;
  kind: ConfirmationOptionKind;
  group?: number;
}

export type ConfirmationOptionKind = 'approve' | 'deny';

export interface FileEdit {
  before?: { uri: string; content: ContentRef };
  after?: { uri: string; content: ContentRef };
  diff?: { added?: number; removed?: number };
}

export interface ToolCallActionBase {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
}

export interface ToolCallBase {
  toolCallId: string;
  toolName: string;
  displayName: string;
  intention?: string;
  contributor?: ToolCallContributor;
  _meta?: Record<string, unknown>;
}

export type ToolCallCancellationReason = 'denied' | 'skipped' | 'result-denied';

export interface ToolCallCancelledState {
  toolCallId: string;
  toolName: string;
  displayName: string;
  intention?: string;
  contributor?: ToolCallContributor;
  _meta?: Record<string, unknown>;
  invocationMessage: StringOrMarkdown;
  toolInput?: string;
  status: 'cancelled';
  reason: ToolCallCancellationReason;
  reasonMessage?: StringOrMarkdown;
  userSuggestion?: Message;
  selectedOption?: ConfirmationOption;
}

export interface ToolCallClientContributor {
  kind: 'client';
  clientId: string;
}

export interface ToolCallCompletedState {
  toolCallId: string;
  toolName: string;
  displayName: string;
  intention?: string;
  contributor?: ToolCallContributor;
  _meta?: Record<string, unknown>;
  invocationMessage: StringOrMarkdown;
  toolInput?: string;
  success: boolean;
  pastTenseMessage: StringOrMarkdown;
  content?: ToolResultContent[];
  structuredContent?: Record<string, unknown>;
  error?: { message: string; code?: string };
  status: 'completed';
  confirmed: ToolCallConfirmationReason;
  selectedOption?: ConfirmationOption;
}

export type ToolCallConfirmationReason = 'not-needed' | 'user-action' | 'setting';

export type ToolCallConfirmationState =
  | ToolCallPendingConfirmationState
  | ToolCallPendingResultConfirmationState;

export type ToolCallContributor = ToolCallClientContributor | ToolCallMcpContributor;

export interface ToolCallMcpContributor {
  kind: 'mcp';
  customizationId: string;
}

export interface ToolCallParameterFields {
  invocationMessage: StringOrMarkdown;
  toolInput?: string;
}

export interface ToolCallPendingConfirmationState {
  toolCallId: string;
  toolName: string;
  displayName: string;
  intention?: string;
  contributor?: ToolCallContributor;
  _meta?: Record<string, unknown>;
  invocationMessage: StringOrMarkdown;
  toolInput?: string;
  status: 'pending-confirmation';
  confirmationTitle?: StringOrMarkdown;
  edits?: { items: FileEdit[] };
  editable?: boolean;
  options?: ConfirmationOption[];
}

export interface ToolCallPendingResultConfirmationState {
  toolCallId: string;
  toolName: string;
  displayName: string;
  intention?: string;
  contributor?: ToolCallContributor;
  _meta?: Record<string, unknown>;
  invocationMessage: StringOrMarkdown;
  toolInput?: string;
  success: boolean;
  pastTenseMessage: StringOrMarkdown;
  content?: ToolResultContent[];
  structuredContent?: Record<string, unknown>;
  error?: { message: string; code?: string };
  status: 'pending-result-confirmation';
  confirmed: ToolCallConfirmationReason;
  selectedOption?: ConfirmationOption;
}

export interface ToolCallResponsePart {
  kind: 'toolCall';
  toolCall: ToolCallState;
}

export interface ToolCallResult {
  success: boolean;
  pastTenseMessage: StringOrMarkdown;
  content?: ToolResultContent[];
  structuredContent?: Record<string, unknown>;
  error?: { message: string; code?: string };
}

export interface ToolCallRunningState {
  toolCallId: string;
  toolName: string;
  displayName: string;
  intention?: string;
  contributor?: ToolCallContributor;
  _meta?: Record<string, unknown>;
  invocationMessage: StringOrMarkdown;
  toolInput?: string;
  status: 'running';
  confirmed: ToolCallConfirmationReason;
  selectedOption?: ConfirmationOption;
  content?: ToolResultContent[];
}

export type ToolCallState =
  | ToolCallStreamingState
  | ToolCallPendingConfirmationState
  | ToolCallRunningState
  | ToolCallPendingResultConfirmationState
  | ToolCallCompletedState
  | ToolCallCancelledState;

export interface ToolCallStreamingState {
  toolCallId: string;
  toolName: string;
  displayName: string;
  intention?: string;
  contributor?: ToolCallContributor;
  _meta?: Record<string, unknown>;
  status: 'streaming';
  partialInput?: string;
  invocationMessage?: StringOrMarkdown;
}

export type ToolResultContent =
  | ToolResultTextContent
  | ToolResultEmbeddedResourceContent
  | ToolResultResourceContent
  | ToolResultFileEditContent
  | ToolResultTerminalContent
  | ToolResultTerminalCompleteContent
  | ToolResultSubagentContent;

export interface ToolResultEmbeddedResourceContent {
  type: 'embeddedResource';
  data: string;
  contentType: string;
}

export interface ToolResultFileEditContent {
  before?: { uri: string; content: ContentRef };
  after?: { uri: string; content: ContentRef };
  diff?: { added?: number; removed?: number };
  type: 'fileEdit';
}

export interface ToolResultResourceContent {
  uri: URI;
  sizeHint?: number;
  contentType?: string;
  nonce?: string;
  type: 'resource';
}

export interface ToolResultSubagentContent {
  type: 'subagent';
  resource: URI;
  title: string;
  agentName?: string;
  description?: string;
}

export interface ToolResultTerminalCompleteContent {
  type: 'terminalComplete';
  resource?: URI;
  exitCode?: number;
  cwd?: URI;
  preview?: string;
  truncated?: boolean;
}

export interface ToolResultTerminalContent {
  type: 'terminal';
  resource: URI;
  title: string;
}

export interface ToolResultTextContent {
  type: 'text';
  text: string;
}
