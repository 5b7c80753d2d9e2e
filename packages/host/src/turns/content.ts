import type { ContentRef, FileEdit, ToolResultContent } from '@agenthost/protocol';
import { diffLines } from 'diff';
import type { FileChange } from '../agents/provider.ts';
import type { Ids } from '../lib/clock.ts';
import type { Sync } from '../sync/sync.ts';

/** Text of a tool result above so many characters goes behind a content URI. */
const MAX_INLINE = 256 * 1024;
/** What of it stays in state, at either end. */
const HEAD = 32 * 1024;
const TAIL = 32 * 1024;
/** Counting lines stops after so long; worst cases explode. */
const DIFF_TIMEOUT_MS = 100;

export const CONTENT_SCHEME = 'agenthost-content';

/** The id in one of the host's content URIs, or `undefined` for other URIs. */
export function contentIdOf(uri: string): string | undefined {
  const prefix = `${CONTENT_SCHEME}:/`;
  return uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined;
}

/** Stores large contents of a session outside of state, behind URIs that `resourceRead` answers [RES-1]. */
export class ContentStore {
  readonly #sync: Sync;
  readonly #ids: Ids;

  constructor(sync: Sync, ids: Ids) {
    this.#sync = sync;
    this.#ids = ids;
  }

  /** Stores a text durably with the present tick. */
  put(session: string, text: string, contentType: string): ContentRef {
    const id = this.#ids.next();
    const data = Buffer.from(text, 'utf8');
    this.#sync.path.transact('host', () =>
      this.#sync.path.write({ op: 'content', session, id, contentType, data }),
    );
    return { uri: `${CONTENT_SCHEME}:/${id}`, sizeHint: data.byteLength, contentType };
  }

  /** A change of a text file, its contents behind URIs [CS-3]. */
  fileEdit(session: string, { uri, before, after }: FileChange): FileEdit {
    const side = (text: string) => ({ uri, content: this.put(session, text, 'text/plain; charset=utf-8') });
    const counts = countLines(before ?? '', after ?? '');
    return {
      ...(before === undefined ? {} : { before: side(before) }),
      ...(after === undefined ? {} : { after: side(after) }),
      ...(counts === undefined ? {} : { diff: counts }),
    };
  }

  /** Tool output with long texts replaced by their head, a reference to the whole, and their tail. */
  fit(session: string, content: readonly ToolResultContent[]): ToolResultContent[] {
    return content.flatMap((block): ToolResultContent[] => {
      if (block.type !== 'text' || block.text.length <= MAX_INLINE) return [block];
      const { text } = block;
      return [
        { type: 'text', text: cutEnd(text.slice(0, HEAD)) },
        { type: 'resource', ...this.put(session, text, 'text/plain; charset=utf-8') },
        { type: 'text', text: cutStart(text.slice(-TAIL)) },
      ];
    });
  }
}

// A cut must not leave half of a surrogate pair.
const cutEnd = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);
const cutStart = (text: string): string => (/^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text);

function countLines(before: string, after: string): { added: number; removed: number } | undefined {
  const changes = diffLines(before, after, { timeout: DIFF_TIMEOUT_MS });
  if (changes === undefined) return undefined;
  let added = 0;
  let removed = 0;
  for (const change of changes) {
    if (change.added) added += change.count ?? 0;
    else if (change.removed) removed += change.count ?? 0;
  }
  return { added, removed };
}
