import type {
  ExportedChatHead,
  ExportedOpenTurn,
  ExportedSession,
  ExportedTurn,
  URI,
} from '@agenthost/protocol';

/**
 * An exported turn and the exported chat that it belongs to: oldest first in each chat, the open one last.
 */
export type ImportedTurn = { readonly chat: URI } & (
  | { readonly turn: ExportedTurn; readonly openTurn?: undefined }
  | { readonly turn?: undefined; readonly openTurn: ExportedOpenTurn }
);

/** An exported session. The turns are read while they are sent. */
export interface ImportSource {
  /** `version` of the exported document. Default: the present one. */
  readonly version?: number;
  readonly session: ExportedSession;
  readonly chats: readonly ExportedChatHead[];
  readonly turns: AsyncIterable<ImportedTurn> | Iterable<ImportedTurn>;
}
