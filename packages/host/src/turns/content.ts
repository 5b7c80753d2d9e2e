import type { ContentRef, FileEdit, ToolResultContent } from '@agenthost/protocol';
import { diffLines } from 'diff';
import type { FileChange } from '../agents/provider.ts';
import type { Ids } from '../lib/clock.ts';
import type { Sync } from '../sync/sync.ts';

/** Tool output above so many bytes goes behind content URIs, its largest blocks first. */
const MAX_INLINE = 256 * 1024;
/** What of a text stays in state, at either end; characters. */
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
    return this.#putBytes(session, Buffer.from(text, 'utf8'), contentType);
  }

  #putBytes(session: string, data: Buffer, contentType: string): ContentRef {
    const id = this.#ids.next();
    this.#sync.path.transact('host', () => {
      // What comes after its session would never be dropped.
      if (this.#sync.registry.get(session) === undefined) return;
      this.#sync.path.write({ op: 'content', session, id, contentType, data });
    });
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

  /** Tool output, with its large texts replaced by their head, a reference to the whole and their tail, other data by a reference. */
  fit(session: string, content: readonly ToolResultContent[]): ToolResultContent[] {
    const large = largeBlocks(content);
    return content.flatMap((block): ToolResultContent[] => {
      if (!large.has(block)) return [block];
      if (block.type === 'embeddedResource') {
        const { data, contentType } = block;
        return [{ type: 'resource', ...this.#putBytes(session, Buffer.from(data, 'base64'), contentType) }];
      }
      if (block.type !== 'text') return [block];
      const { head, tail } = endsOf(block.text);
      return [
        head,
        { type: 'resource', ...this.put(session, block.text, 'text/plain; charset=utf-8') },
        tail,
      ];
    });
  }
}

/** Output of a call that still runs, its large texts cut to head and tail: the whole is stored once, when it is there. */
export function previewOf(content: readonly ToolResultContent[]): ToolResultContent[] {
  const large = largeBlocks(content);
  return content.flatMap((block): ToolResultContent[] => {
    if (!large.has(block)) return [block];
    if (block.type !== 'text') return [];
    const { head, tail } = endsOf(block.text);
    return [head, tail];
  });
}

/** The blocks that have to go for the rest to fit: the largest first, and none that would not get smaller. */
function largeBlocks(content: readonly ToolResultContent[]): ReadonlySet<ToolResultContent> {
  const sized = content.map((block) => ({ block, size: sizeOf(block) })).toSorted((a, b) => b.size - a.size);
  let total = sized.reduce((sum, { size }) => sum + size, 0);
  const large = new Set<ToolResultContent>();
  for (const { block, size } of sized) {
    if (total <= MAX_INLINE || size <= HEAD + TAIL) break;
    large.add(block);
    total -= size - HEAD - TAIL;
  }
  return large;
}

function sizeOf(block: ToolResultContent): number {
  if (block.type === 'text') return Buffer.byteLength(block.text);
  return block.type === 'embeddedResource' ? block.data.length : 0;
}

const endsOf = (text: string): { head: ToolResultContent; tail: ToolResultContent } => ({
  head: { type: 'text', text: cutEnd(text.slice(0, HEAD)) },
  tail: { type: 'text', text: cutStart(text.slice(-TAIL)) },
});

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
