import { contentNotFound, type ResourceReadResult } from '@agenthost/protocol';
import type { Journal } from '../../journal/journal.ts';
import { contentIdOf } from '../../turns/content.ts';
import type { Commands } from '../../wire/router.ts';

/** Reads a `file:` URI by the path policy [RES-1] [RES-2]. */
export type ReadFile = (uri: string, encoding: 'utf-8' | 'base64' | undefined) => Promise<ResourceReadResult>;

/** `resourceRead` for the host's content URIs and for files [RES-1]. */
export function resourceCommands(journal: Journal, readFile: ReadFile): Commands {
  return {
    resourceRead: async ({ uri, encoding }) => {
      const id = contentIdOf(uri);
      if (id === undefined) return readFile(uri, encoding);
      const content = await journal.readContent(id);
      if (content === undefined) throw contentNotFound(uri);
      return encode(content.data, content.contentType, encoding);
    },
  };
}

/** Text as utf-8 when it is valid and that was not refused, anything else as base64 [RES-1]. */
function encode(
  data: Uint8Array,
  contentType: string,
  encoding: 'utf-8' | 'base64' | undefined,
): ResourceReadResult {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const text = encoding === 'base64' ? undefined : decodeUtf8(bytes);
  return text === undefined
    ? { data: bytes.toString('base64'), encoding: 'base64', contentType }
    : { data: text, encoding: 'utf-8', contentType };
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
