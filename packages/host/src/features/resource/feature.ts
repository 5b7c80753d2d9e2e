import { isUtf8 } from 'node:buffer';
import { type ContentEncoding, contentNotFound, type ResourceReadResult } from '@agenthost/protocol';
import type { Commands } from '../../handler-port/commands.ts';
import type { Journal } from '../../journal/journal.ts';
import { contentIdOf } from '../../turns/contents/content-store.ts';
import type { Folders } from '../../workspace/folders.ts';
import type { ReadFile } from '../../workspace/workspace.ts';
import type { Feature } from '../feature.ts';

/** Contents of turns, files of working directories, and folders to choose one [RES-1] [RES-2]. */
export const resourceFeature = (journal: Journal, readFile: ReadFile, folders: Folders): Feature => ({
  name: 'resource',
  commands: resourceCommands(journal, readFile, folders),
});

/** `resourceRead` for the host's content URIs and for files, `resourceList` and `resourceMkdir` for folders [RES-1]. */
function resourceCommands(journal: Journal, readFile: ReadFile, folders: Folders): Commands {
  return {
    resourceRead: async ({ uri, encoding }) => {
      const id = contentIdOf(uri);
      if (id === undefined) return readFile(uri, encoding);
      const content = await journal.readContent(id);
      if (content === undefined) throw contentNotFound(uri);
      return encode(content.data, content.contentType, encoding);
    },
    resourceList: ({ uri }, { isAdmin }) => folders.list(uri, isAdmin),
    resourceMkdir: async ({ uri }, { isAdmin }) => {
      await folders.make(uri, isAdmin);
      return {};
    },
  };
}

/**
 * Encodes content as UTF-8 if it is valid text and the caller accepts that, and as base64 otherwise [RES-1].
 */
function encode(
  data: Uint8Array,
  contentType: string,
  encoding: ContentEncoding | undefined,
): ResourceReadResult {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const sentAs = encoding !== 'base64' && isUtf8(bytes) ? 'utf-8' : 'base64';
  return { data: bytes.toString(sentAs), encoding: sentAs, contentType };
}
