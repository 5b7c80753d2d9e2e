import type { ChatInputRequest } from '../chat/input-request.ts';
import type { ToolCallConfirmationState, ToolCallState } from '../chat/tool-call.ts';
import type { URI } from '../wire/basics.ts';

/**
 * Something that a chat of the session waits for. It is answered by an action on that chat, which the answering
 * client need not be subscribed to [SESS-7].
 */
export type SessionInputRequest =
  | SessionChatInputRequest
  | SessionToolConfirmationRequest
  | SessionToolClientExecutionRequest;

/** What every kind of {@link SessionInputRequest} has. */
export interface SessionInputRequestBase {
  /** Unique in the session; says nothing else. */
  id: string;
  /** The chat that waits. */
  chat: URI;
}

/** Questions for a person, answered by `chat/inputCompleted`. */
export interface SessionChatInputRequest extends SessionInputRequestBase {
  kind: 'chatInput';
  request: ChatInputRequest;
}

/** A tool call that wants a yes, answered by `chat/toolCallConfirmed` or `chat/toolCallResultConfirmed`. */
export interface SessionToolConfirmationRequest extends SessionInputRequestBase {
  kind: 'toolConfirmation';
  turnId: string;
  toolCall: ToolCallConfirmationState;
}

/** A tool call that a client has to carry out, answered by `chat/toolCallComplete` [CHAT-9]. */
export interface SessionToolClientExecutionRequest extends SessionInputRequestBase {
  kind: 'toolClientExecution';
  turnId: string;
  /** The contributor of the tool. */
  clientId: string;
  /** Always running. */
  toolCall: ToolCallState;
}
