import type { ContentRef, StringOrMarkdown, URI, WithMeta } from '../wire/basics.ts';
import type { Message } from './message.ts';

/** A tool call within a turn. */
export interface ToolCallResponsePart {
  kind: 'toolCall';
  toolCall: ToolCallState;
}

/** Where a tool call stands; [CHAT-7] says which may follow which. */
export type ToolCallState =
  | ToolCallStreamingState
  | ToolCallPendingConfirmationState
  | ToolCallRunningState
  | ToolCallPendingResultConfirmationState
  | ToolCallCompletedState
  | ToolCallCancelledState;

/** The two states in which a tool call waits for a person. */
export type ToolCallConfirmationState =
  | ToolCallPendingConfirmationState
  | ToolCallPendingResultConfirmationState;

/** What a tool call has from its start. */
export interface ToolCallBase extends WithMeta {
  /** Unique in the chat. */
  toolCallId: string;
  /** For programs. */
  toolName: string;
  /** For people. */
  displayName: string;
  /** What the call is meant to achieve, for people. */
  intention?: string;
  /** Absent: a tool of the host or the agent. */
  contributor?: ToolCallContributor;
}

/** Who runs the tool. */
export type ToolCallContributor = ToolCallClientContributor | ToolCallMcpContributor;

/** An active client, which runs it and completes it [CHAT-9]. */
export interface ToolCallClientContributor {
  kind: 'client';
  clientId: string;
}

/** An MCP server, by the id of its customization; the host runs it. */
export interface ToolCallMcpContributor {
  kind: 'mcp';
  customizationId: string;
}

/** What a tool call has once its input is complete. */
export interface ToolCallParameterFields {
  /** What it does or is about to do. */
  invocationMessage: StringOrMarkdown;
  /** As the tool gets it, mostly JSON. */
  toolInput?: string;
}

/** What a tool call has once somebody or something let it run. */
export interface ToolCallConfirmedFields {
  confirmed: ToolCallConfirmationReason;
  /** The option that a person chose. Absent: there were none. */
  selectedOption?: ConfirmationOption;
}

/** Nobody had to be asked, a person said yes, or a setting did. */
export type ToolCallConfirmationReason = 'not-needed' | 'user-action' | 'setting';

/** The input is still coming. */
export interface ToolCallStreamingState extends ToolCallBase {
  status: 'streaming';
  /** As much of `toolInput` as there is. */
  partialInput?: string;
  invocationMessage?: StringOrMarkdown;
}

/** Waits for a yes before it runs, or before it goes on. */
export interface ToolCallPendingConfirmationState extends ToolCallBase, ToolCallParameterFields {
  status: 'pending-confirmation';
  /** Heading of the question. */
  confirmationTitle?: StringOrMarkdown;
  /** What would be changed. */
  edits?: { items: FileEdit[] };
  /** True: the answer may change the input [CHAT-8]. Absent: false. */
  editable?: boolean;
  /** Answers to choose from, in the order to show. Absent: plain yes and no. */
  options?: ConfirmationOption[];
}

/** At work. */
export interface ToolCallRunningState extends ToolCallBase, ToolCallParameterFields, ToolCallConfirmedFields {
  status: 'running';
  /** What there is of the result. */
  content?: ToolResultContent[];
}

/** Done, and waits for a yes before the model sees the result. */
export interface ToolCallPendingResultConfirmationState
  extends ToolCallBase,
    ToolCallParameterFields,
    ToolCallConfirmedFields,
    ToolCallResult {
  status: 'pending-result-confirmation';
}

/** Done, well or not. */
export interface ToolCallCompletedState
  extends ToolCallBase,
    ToolCallParameterFields,
    ToolCallConfirmedFields,
    ToolCallResult {
  status: 'completed';
}

/** Did not run, did not finish, or its result was refused. */
export interface ToolCallCancelledState extends ToolCallBase, ToolCallParameterFields {
  status: 'cancelled';
  reason: ToolCallCancellationReason;
  /** More about why. */
  reasonMessage?: StringOrMarkdown;
  /** What to do in its place. */
  userSuggestion?: Message;
  selectedOption?: ConfirmationOption;
}

/** A person said no, the turn ended first, or a person said no to the result [CHAT-5] [CHAT-7]. */
export type ToolCallCancellationReason = 'denied' | 'skipped' | 'result-denied';

/** An answer to a confirmation. */
export interface ConfirmationOption {
  id: string;
  /** In the language of whoever started the turn [CHAT-19]. */
  label: string;
  kind: ConfirmationOptionKind;
  /** Options of different groups are shown apart. */
  group?: number;
}

/** Whether an option means yes or no. */
export type ConfirmationOptionKind = 'approve' | 'deny';

/** What came of a tool call. */
export interface ToolCallResult {
  success: boolean;
  /** What it did. */
  pastTenseMessage: StringOrMarkdown;
  content?: ToolResultContent[];
  /** As the tool's `outputSchema` says. */
  structuredContent?: Record<string, unknown>;
  /** Only without success. */
  error?: ToolCallError;
}

/** Why a tool call failed. */
export interface ToolCallError {
  message: string;
  code?: string;
}

/** A file before and after a change: one of them absent when it was created or deleted, URIs differing when moved. */
export interface FileEdit {
  before?: FileVersion;
  after?: FileVersion;
  diff?: DiffCounts;
}

/** A file as it was at one time [CS-3]. */
export interface FileVersion {
  uri: URI;
  content: ContentRef;
}

/** Lines of a diff [CS-3]. An absent count is not known. */
export interface DiffCounts {
  added?: number;
  removed?: number;
}

/** A piece of a tool's result. */
export type ToolResultContent =
  | ToolResultTextContent
  | ToolResultEmbeddedResourceContent
  | ToolResultResourceContent
  | ToolResultFileEditContent
  | ToolResultTerminalContent
  | ToolResultTerminalCompleteContent
  | ToolResultSubagentContent;

/** Text. */
export interface ToolResultTextContent {
  type: 'text';
  text: string;
}

/** A small file. */
export interface ToolResultEmbeddedResourceContent {
  type: 'embeddedResource';
  /** Base64. */
  data: string;
  /** Media type. */
  contentType: string;
}

/** A file by reference. */
export interface ToolResultResourceContent extends ContentRef {
  type: 'resource';
}

/** A file that the tool changed. */
export interface ToolResultFileEditContent extends FileEdit {
  type: 'fileEdit';
}

/** A terminal that the tool works in, to be watched live. */
export interface ToolResultTerminalContent {
  type: 'terminal';
  /** The terminal's channel. */
  resource: URI;
  title: string;
}

/** A terminal command that has ended. */
export interface ToolResultTerminalCompleteContent {
  type: 'terminalComplete';
  /** The terminal's channel. Absent: gone. */
  resource?: URI;
  exitCode?: number;
  cwd?: URI;
  /** Some of its output. */
  preview?: string;
  /** True: `preview` is not all. Absent: false. */
  truncated?: boolean;
}

/** A worker chat that the tool started; its origin names this call in return [CHAT-2]. */
export interface ToolResultSubagentContent {
  type: 'subagent';
  /** The worker's chat. */
  resource: URI;
  title: string;
  agentName?: string;
  description?: string;
}
