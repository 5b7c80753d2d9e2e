import { isUtf8 } from 'node:buffer';
import { UnreadableResource } from '../../agents/errors.ts';
import type { TurnInput } from '../../agents/turn.ts';
import { FileLines } from '../../workspace/file-lines.ts';

/** Largest file whose lines are read, in bytes. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

/** The lines of a file; `missing` if there is none, `unreadable` if it is no text, too large, or not readable for clients. */
export type ReadLines = (uri: string) => Promise<FileLines | 'missing' | 'unreadable'>;

/** A reader of annotated files with the rights of clients [RES-2]. */
export function linesReader(readResource: TurnInput['readResource']): ReadLines {
  return async (uri) => {
    try {
      const { data } = await readResource(uri, { maxBytes: MAX_FILE_BYTES });
      if (!isUtf8(data) || data.includes(0)) return 'unreadable';
      return FileLines.of(Buffer.from(data).toString('utf8'));
    } catch (error) {
      if (!(error instanceof UnreadableResource)) throw error;
      return error.reason === 'missing' ? 'missing' : 'unreadable';
    }
  };
}
