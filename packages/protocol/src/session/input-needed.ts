import type { ChatInputRequest } from '../chat/input-request.ts';
import type {
  ToolCallAuthRequiredState,
  ToolCallConfirmationState,
  ToolCallRunningState,
} from '../chat/tool-call.ts';
import type { URI } from '../wire/basics.ts';

/**
 * Something that a chat of the session waits for. It is answered by an action on that chat; the answering
 * client need not be subscribed to it [SESS-7].
 */
export type SessionInputRequest =
  | SessionChatInputRequest
  | SessionToolConfirmationRequest
  | SessionToolClientExecutionRequest
  | SessionToolAuthenticationRequest;

/** Fields of every {@link SessionInputRequest}. */
export interface SessionInputRequestBase {
  /** Unique in the session; without further meaning. */
  id: string;
  /** The chat that waits. */
  chat: URI;
}

/** An input request, answered by `chat/inputCompleted`. */
export interface SessionChatInputRequest extends SessionInputRequestBase {
  kind: 'chatInput';
  request: ChatInputRequest;
}

/**
 * A tool call that waits for approval, answered by `chat/toolCallConfirmed` or
 * `chat/toolCallResultConfirmed`.
 */
export interface SessionToolConfirmationRequest extends SessionInputRequestBase {
  kind: 'toolConfirmation';
  turnId: string;
  toolCall: ToolCallConfirmationState;
}

/** A tool call that a client must run, answered by `chat/toolCallComplete` [CHAT-9]. */
export interface SessionToolClientExecutionRequest extends SessionInputRequestBase {
  kind: 'toolClientExecution';
  turnId: string;
  /** The client that contributed the tool. */
  clientId: string;
  toolCall: ToolCallRunningState;
}

/** A call that waits for a token. It is settled by `authenticate`, not by an action on the chat [SESS-25]. */
export interface SessionToolAuthenticationRequest extends SessionInputRequestBase {
  kind: 'toolAuthentication';
  turnId: string;
  toolCall: ToolCallAuthRequiredState;
}
