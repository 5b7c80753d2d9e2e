import type { ContentEncoding } from '../resource/commands.ts';
import type { BaseParams, URI } from '../wire/basics.ts';
import type { ExportedChatHead, ExportedOpenTurn, ExportedSession, ExportedTurn } from './export.ts';

/**
 * `x-importSession` (extension): starts a session in `channel` that is a copy of an exported one. The session stays
 * `creating`, without chats, until `x-finishImport`. The import is removed when the caller leaves or sends
 * nothing for a minute.
 */
export interface ImportSessionParams extends BaseParams {
  /** As exported; its URIs are replaced. */
  session: ExportedSession;
  /** All chats, at least one of them with interactivity `full`. */
  chats: ExportedChatHead[];
  /** Absent: that of `session`. */
  provider?: string;
  /** `file:` URIs for the session and all chats, the primary one first. Absent: the exported ones. */
  workingDirectories?: URI[];
}

/** The URIs of the new chats. */
export interface ImportSessionResult {
  chats: ImportedChat[];
}

/** The new URI of a chat. */
export interface ImportedChat {
  /** Its URI in the export. */
  source: URI;
  /** Chosen by the host. The channel exists after the end of the import. */
  chat: URI;
}

/** `x-importTurns`: appends turns to an imported chat. Only for the client that started the import. */
export interface ImportTurnsParams extends BaseParams {
  /** One of the URIs in the result of `x-importSession`. */
  chat: URI;
  /** Oldest first. */
  turns?: ExportedTurn[];
  /** The last turn of its chat. It becomes a turn that ended with an error. */
  openTurn?: ExportedOpenTurn;
  /** Parts of contents that are too large for the message with their turn; sent before it. */
  pieces?: ContentPiece[];
}

/** A part of a content. */
export interface ContentPiece {
  /** The turn that refers to it. */
  turnId: string;
  uri: URI;
  contentType?: string;
  encoding: ContentEncoding;
  data: string;
  /** True: another part follows. Absent: false. */
  isMore?: boolean;
}

/**
 * `x-finishImport`: creates the chats. The session becomes `ready` when its agent has started, like a new
 * session.
 */
export interface FinishImportParams extends BaseParams {}
