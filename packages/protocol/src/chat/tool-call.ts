import type { McpAuthRequirement } from '../mcp/state.ts';
import type { ContentRef, StringOrMarkdown, URI, WithMeta } from '../wire/basics.ts';
import type { Author } from './author.ts';
import type { Message } from './message.ts';

/** A tool call within a turn. */
export interface ToolCallResponsePart {
  kind: 'toolCall';
  toolCall: ToolCallState;
}

/** The state of a tool call. [CHAT-7] lists the transitions. */
export type ToolCallState =
  | ToolCallStreamingState
  | ToolCallPendingConfirmationState
  | ToolCallRunningState
  | ToolCallAuthRequiredState
  | ToolCallPendingResultConfirmationState
  | ToolCallCompletedState
  | ToolCallCancelledState;

/** The two states in which a tool call waits for a person. */
export type ToolCallConfirmationState =
  | ToolCallPendingConfirmationState
  | ToolCallPendingResultConfirmationState;

/** Fields of every tool call. */
export interface ToolCallBase extends WithMeta {
  /** Unique in the chat. */
  toolCallId: string;
  /** Name for programs. */
  toolName: string;
  /** Name for people. */
  displayName: string;
  /** Purpose of the call, for people. */
  intention?: string;
  /** Absent: a tool of the host or the agent. */
  contributor?: ToolCallContributor;
}

/** The party that runs the tool. */
export type ToolCallContributor = ToolCallClientContributor | ToolCallMcpContributor;

/** An active client, which runs and completes the call [CHAT-9]. */
export interface ToolCallClientContributor {
  kind: 'client';
  clientId: string;
}

/** An MCP server, by the id of its customization. The host runs the call. */
export interface ToolCallMcpContributor {
  kind: 'mcp';
  customizationId: string;
}

/** Fields of a tool call with complete input. */
export interface ToolCallParameterFields {
  /** Text for people: the effect of the call. */
  invocationMessage: StringOrMarkdown;
  toolInput?: ToolInput;
}

/** The raw input of a call, usually JSON; a large one by reference, which `resourceRead` resolves [CHAT-35]. */
export type ToolInput = string | ToolInputRef;

/** The input of a call behind a URI. */
export interface ToolInputRef extends ContentRef {
  /** The first characters of the input, for clients that show it, and for those that know no references. Absent: not given. */
  'x-beginning'?: string;
}

/** Fields of a tool call that was confirmed. */
export interface ToolCallConfirmedFields {
  confirmed: ToolCallConfirmationReason;
  /** The option that a person selected. Absent: none. */
  selectedOption?: ConfirmationOption;
  /** Extension: who approved the call, or its result after that. Absent: nobody was asked. */
  'x-answeredBy'?: Author;
}

/** Why the call may run: no approval needed, approved by a person, or approved by a setting. */
export type ToolCallConfirmationReason = 'not-needed' | 'user-action' | 'setting';

/** The input is being streamed. */
export interface ToolCallStreamingState extends ToolCallBase {
  status: 'streaming';
  /** The part of `toolInput` received so far. */
  partialInput?: string;
  invocationMessage?: StringOrMarkdown;
}

/** Waits for approval before it runs or continues. */
export interface ToolCallPendingConfirmationState extends ToolCallBase, ToolCallParameterFields {
  status: 'pending-confirmation';
  /** Heading of the question. */
  confirmationTitle?: StringOrMarkdown;
  /** Absent: nobody assesses the risk. */
  riskAssessment?: ToolCallRiskAssessment;
  /** File changes that the call would make. */
  edits?: { items: FileEdit[] };
  /** True: the answer may change the input [CHAT-8]. Absent: false. */
  editable?: boolean;
  /** Options in display order. Absent: plain yes and no. */
  options?: ConfirmationOption[];
}

/** Running. */
export interface ToolCallRunningState extends ToolCallBase, ToolCallParameterFields, ToolCallConfirmedFields {
  status: 'running';
  /** Partial result. */
  content?: ToolResultContent[];
}

/** Waits for a token that its MCP server needs; `authenticate` lets it go on [CHAT-30]. */
export interface ToolCallAuthRequiredState
  extends ToolCallBase,
    ToolCallParameterFields,
    ToolCallConfirmedFields {
  status: 'auth-required';
  contributor: ToolCallMcpContributor;
  /** The token that the server needs. */
  auth: McpAuthRequirement;
  /** Partial result from before the pause. */
  content?: ToolResultContent[];
}

/** An assessment of a call's risk, for the person who approves it [CHAT-33]. */
export type ToolCallRiskAssessment = ToolCallRiskAssessmentLoading | ToolCallRiskAssessmentComplete;

/** The assessment follows. */
export interface ToolCallRiskAssessmentLoading {
  kind: 'judge';
  status: 'loading';
}

/** The assessment of a model. */
export interface ToolCallRiskAssessmentComplete {
  kind: 'judge';
  status: 'complete';
  /** For people. */
  reason: StringOrMarkdown;
  /** From 0, dangerous, to 1, safe. */
  safety: number;
}

/** Has run; the result waits for approval before the model sees it. */
export interface ToolCallPendingResultConfirmationState
  extends ToolCallBase,
    ToolCallParameterFields,
    ToolCallConfirmedFields,
    ToolCallResult {
  status: 'pending-result-confirmation';
}

/** Ended, successfully or not. */
export interface ToolCallCompletedState
  extends ToolCallBase,
    ToolCallParameterFields,
    ToolCallConfirmedFields,
    ToolCallResult {
  status: 'completed';
}

/** Did not run, did not finish, or its result was denied. */
export interface ToolCallCancelledState extends ToolCallBase, ToolCallParameterFields {
  status: 'cancelled';
  reason: ToolCallCancellationReason;
  /** Reason, for people. */
  reasonMessage?: StringOrMarkdown;
  /** Message of the user about a better action than the call. */
  userSuggestion?: Message;
  selectedOption?: ConfirmationOption;
  /** Extension: who denied the call or its result. */
  'x-answeredBy'?: Author;
}

/** Denied by a person, ended with its turn, or the result was denied by a person [CHAT-5] [CHAT-7]. */
export type ToolCallCancellationReason = 'denied' | 'skipped' | 'result-denied';

/** An option of an approval. */
export interface ConfirmationOption {
  id: string;
  /** In the language of the client that started the turn [CHAT-19]. */
  label: string;
  kind: ConfirmationOptionKind;
  /** Options of different groups are shown separately. */
  group?: number;
  /** An extension: true if the approval or denial also covers later calls. */
  'x-lasting'?: true;
}

/** Whether an option approves or denies. */
export type ConfirmationOptionKind = 'approve' | 'deny';

/** The result of a tool call. */
export interface ToolCallResult {
  success: boolean;
  /** Text for people: the effect that the call had. */
  pastTenseMessage: StringOrMarkdown;
  content?: ToolResultContent[];
  /** Fits the tool's `outputSchema`. */
  structuredContent?: Record<string, unknown>;
  /** Only when `success` is false. */
  error?: ToolCallError;
}

/** Why a tool call failed. */
export interface ToolCallError {
  message: string;
  code?: string;
}

/**
 * A file before and after a change. A created file has no `before`, a deleted file no `after`; a moved file
 * has two URIs.
 */
export interface FileEdit {
  before?: FileVersion;
  after?: FileVersion;
  diff?: DiffCounts;
}

/** A version of a file [CS-3]. */
export interface FileVersion {
  uri: URI;
  content: ContentRef;
}

/** Lines of a diff [CS-3]. An absent count is unknown. */
export interface DiffCounts {
  added?: number;
  removed?: number;
}

/** A block of a tool's result. */
export type ToolResultContent =
  | ToolResultTextContent
  | ToolResultEmbeddedResourceContent
  | ToolResultResourceContent
  | ToolResultFileEditContent
  | ToolResultTerminalContent
  | ToolResultSubagentContent;

/** Text. */
export interface ToolResultTextContent {
  type: 'text';
  text: string;
}

/** A small file inside the result. */
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

/** A terminal that the tool uses: for live display, and with the command's result once it has ended [CHAT-37]. */
export interface ToolResultTerminalContent {
  type: 'terminal';
  /** The terminal's channel. */
  resource: URI;
  title: string;
  /** Whether the program has a pty. Absent: unknown. */
  isPty?: boolean;
  /** Absent: the command has not ended. */
  result?: TerminalCommandResult;
}

/** The end of a command in a terminal. */
export interface TerminalCommandResult {
  /** Absent: unknown. */
  exitCode?: number;
  /** A part of the output. */
  preview?: string;
  /** True: `preview` is incomplete. Absent: false. */
  truncated?: boolean;
}

/** A worker chat started by the tool. The chat's origin refers to this call [CHAT-2]. */
export interface ToolResultSubagentContent {
  type: 'subagent';
  /** The worker's chat. */
  resource: URI;
  title: string;
  agentName?: string;
  description?: string;
}
