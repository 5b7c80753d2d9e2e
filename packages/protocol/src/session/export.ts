import type { ChatInputRequest } from '../chat/input-request.ts';
import type { Message } from '../chat/message.ts';
import type { ActiveTurn, ChatSummary, PendingMessage, Turn } from '../chat/state.ts';
import type { ContentEncoding } from '../resource/commands.ts';
import type { ErrorInfo, URI, WithMeta } from '../wire/basics.ts';
import type { SessionLifecycle, SessionMetadata } from './state.ts';

/** Value of `format` in an exported session. */
export const EXPORT_FORMAT = 'agenthost-session';

/**
 * The version of the format that is written. It rises when an older reader would misread a document;
 * additional fields do not raise it. Version 1 has the types of protocol version 0.5.2.
 */
export const EXPORT_VERSION = 2;

/** An exported session as one JSON object with fields in any order. Times are ISO 8601. */
export interface SessionExport extends ExportHead {
  /** In the order of the session's catalogue. */
  chats: ExportedChat[];
}

/** A document without its chats. */
export interface ExportHead {
  /** {@link EXPORT_FORMAT}. */
  format: string;
  /** {@link EXPORT_VERSION}, or the version of a newer writer. */
  version: number;
  exportedAt: string;
  /** Name and version of the exporting host. */
  host: string;
  session: ExportedSession;
}

/** The session without its live state, such as active clients and open questions. */
export interface ExportedSession extends SessionMetadata, WithMeta {
  /** Its URI on the exporting host. */
  resource: URI;
  lifecycle: SessionLifecycle;
  /** Only with lifecycle `failed`. */
  creationError?: ErrorInfo;
  /** Absent: unknown. */
  createdAt?: string;
  /** Absent: unknown. */
  modifiedAt?: string;
  /** Values by property name. */
  config?: Record<string, unknown>;
  /** One of `chats`. */
  defaultChat?: URI;
}

/** A chat without its turns, at the time they were read. */
export interface ExportedChatHead extends ChatSummary, WithMeta {
  steeringMessage?: PendingMessage;
  queuedMessages?: PendingMessage[];
  /** Open input requests in documents of older hosts; ignored. Newer documents have them in the open turn [CHAT-27]. */
  inputRequests?: ChatInputRequest[];
  draft?: Message;
}

/** A chat with its turns. */
export interface ExportedChat extends ExportedChatHead {
  /** Ended turns, oldest first. */
  turns: ExportedTurn[];
  /** The running turn, as far as it had come. Absent: none. */
  openTurn?: ExportedOpenTurn;
}

/** Content that a turn refers to and that the host stores elsewhere. */
export interface ExportedAttachments {
  /** One entry for every content URI of the host in the turn. */
  contents?: ExportedContent[];
  /** Terminals that its tool calls show, if they still existed. */
  terminals?: ExportedTerminal[];
}

/** An ended turn. */
export interface ExportedTurn extends ExportedAttachments {
  turn: Turn;
}

/** A running turn. */
export interface ExportedOpenTurn extends ExportedAttachments {
  turn: ActiveTurn;
}

/** The content of a content URI. */
export interface ExportedContent {
  uri: URI;
  /** Media type. Absent: unknown. */
  contentType?: string;
  /** Encoding of `data`; only with it. */
  encoding?: ContentEncoding;
  /** Absent: the content no longer existed. */
  data?: string;
}

/** The content of a terminal. */
export interface ExportedTerminal {
  resource: URI;
  title: string;
  /** Absent: it was running, or its exit code is unknown. */
  exitCode?: number;
  /** With escape sequences. */
  text: string;
}
