import type { ContentEncoding } from '../resource/commands.ts';
import type { BaseParams, URI } from '../wire/basics.ts';
import type { ExportedChatHead, ExportedOpenTurn, ExportedSession, ExportedTurn } from './export.ts';

/**
 * `x-importSession`, an extension of ours: begins a session in `channel` that is a copy of an exported one. It stays `creating`, without
 * chats, until `x-finishImport`; a caller that leaves, or sends nothing for a minute, has it removed.
 */
export interface ImportSessionParams extends BaseParams {
  /** As exported; its URIs are replaced. */
  session: ExportedSession;
  /** All of them, at least one that people can write to. */
  chats: ExportedChatHead[];
  /** Absent: that of `session`. */
  provider?: string;
  /** A `file:` URI for the session and all of its chats. Absent: theirs. */
  workingDirectory?: URI;
}

/** Where the turns go. */
export interface ImportSessionResult {
  chats: ImportedChat[];
}

/** The new name of a chat. */
export interface ImportedChat {
  /** Its URI in the export. */
  source: URI;
  /** The host's own; there is no such channel before the end of the import. */
  chat: URI;
}

/** `x-importTurns`: adds turns to an imported chat, behind those that came before. Only by the client that began the import. */
export interface ImportTurnsParams extends BaseParams {
  /** One of the result's. */
  chat: URI;
  /** Oldest first. */
  turns?: ExportedTurn[];
  /** The last of its chat. It becomes a turn that ended in an error. */
  openTurn?: ExportedOpenTurn;
  /** Contents that are too large to go with their turn: sent before it. */
  pieces?: ContentPiece[];
}

/** Part of a content. */
export interface ContentPiece {
  /** The turn that refers to it. */
  turnId: string;
  uri: URI;
  contentType?: string;
  encoding: ContentEncoding;
  data: string;
  /** True: another piece of it follows. Absent: false. */
  isMore?: boolean;
}

/** `x-finishImport`: shows the chats; the session becomes `ready` when its agent is there, as a new one does. */
export interface FinishImportParams extends BaseParams {}
