import type { ChatInputRequest } from '../chat/input-request.ts';
import type { Message } from '../chat/message.ts';
import type { ActiveTurn, ChatSummary, PendingMessage, Turn } from '../chat/state.ts';
import type { ContentEncoding } from '../resource/commands.ts';
import type { ErrorInfo, URI, WithMeta } from '../wire/basics.ts';
import type { SessionLifecycle, SessionMetadata } from './state.ts';

/** What `format` says in an exported session. */
export const EXPORT_FORMAT = 'agenthost-session';

/** Version of the format that is written. It rises when a reader of the one before would misread a document; new fields alone do not raise it. */
export const EXPORT_VERSION = 1;

/** A session in a file: one JSON object, fields in any order. Times are ISO 8601. */
export interface SessionExport extends ExportHead {
  /** In the order of the session's catalogue. */
  chats: ExportedChat[];
}

/** A document without its chats. */
export interface ExportHead {
  /** {@link EXPORT_FORMAT}. */
  format: string;
  /** {@link EXPORT_VERSION}, or that of a newer writer. */
  version: number;
  exportedAt: string;
  /** Name and version of the host that had the session. */
  host: string;
  session: ExportedSession;
}

/** The session as it stood, without what only lives: who is active in it, what is asked just now. */
export interface ExportedSession extends SessionMetadata, WithMeta {
  /** Its URI there. */
  resource: URI;
  lifecycle: SessionLifecycle;
  /** Only with lifecycle `creationFailed`. */
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

/** A chat without its turns, as it stood when they were read. */
export interface ExportedChatHead extends ChatSummary, WithMeta {
  steeringMessage?: PendingMessage;
  queuedMessages?: PendingMessage[];
  /** Questions that nobody had answered yet. */
  inputRequests?: ChatInputRequest[];
  draft?: Message;
}

/** A chat with all that was said in it. */
export interface ExportedChat extends ExportedChatHead {
  /** Those that had ended, oldest first. */
  turns: ExportedTurn[];
  /** The one that was running, as far as it was. Absent: none was. */
  openTurn?: ExportedOpenTurn;
}

/** What a turn refers to and its host keeps elsewhere. */
export interface ExportedAttachments {
  /** By every content URI of the host in the turn, each once. */
  contents?: ExportedContent[];
  /** Terminals that its tool calls show and that were still there. */
  terminals?: ExportedTerminal[];
}

/** A turn that had ended. */
export interface ExportedTurn extends ExportedAttachments {
  turn: Turn;
}

/** A turn that had not. */
export interface ExportedOpenTurn extends ExportedAttachments {
  turn: ActiveTurn;
}

/** What a content URI led to. */
export interface ExportedContent {
  uri: URI;
  /** Media type. Absent: unknown. */
  contentType?: string;
  /** How `data` is to be read; only with it. */
  encoding?: ContentEncoding;
  /** Absent: it was gone. */
  data?: string;
}

/** What stood in a terminal. */
export interface ExportedTerminal {
  resource: URI;
  title: string;
  /** Absent: it was running. */
  exitCode?: number;
  /** With escape sequences. */
  text: string;
}
