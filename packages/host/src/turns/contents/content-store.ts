import type { ContentRef, FileEdit, ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { diffLines } from 'diff';
import type { FileChange } from '../../agents/turn.ts';
import type { Ids } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';

/** Bytes of tool output above which the largest blocks are stored behind content URIs. */
const MAX_INLINE = 256 * 1024;
/** Characters of a large text that stay in state at each end. */
const HEAD = 32 * 1024;
const TAIL = 32 * 1024;
/**
 * Maximum characters that are kept of each version of a changed file. The middle of a longer version is left
 * out.
 */
const MAX_VERSION_LENGTH = 4 * 1024 * 1024;
/**
 * Maximum characters of both versions together for counting lines. A list of lines takes many times their
 * memory.
 */
const MAX_DIFF_LENGTH = 1024 * 1024;
/** Time limit for counting lines. The worst case is quadratic. */
const DIFF_TIMEOUT_MS = 50;

/** URI scheme of contents that a host keeps outside of state. */
export const CONTENT_SCHEME = 'agenthost-content';

/** The id in a content URI of the host. `undefined` for other URIs. */
export function contentIdOf(uri: string): string | undefined {
  const prefix = `${CONTENT_SCHEME}:/`;
  // A name may follow the id.
  return uri.startsWith(prefix) ? uri.slice(prefix.length).split('/', 1)[0] : undefined;
}

/** The last segment of a file's URI, percent-encoded as it is there. Empty if it is unusually long. */
function nameIn(uri: string): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  return name.length <= MAX_NAME_LENGTH && /^[^\s/?#]+$/.test(name) ? name : '';
}

/** Longest name at the end of a content URI. */
const MAX_NAME_LENGTH = 200;

/** The active turn that owns contents. */
export interface ContentOwner {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
}

/** Stores large contents of turns outside of state. `resourceRead` returns them by URI [RES-1]. */
export class ContentStore {
  readonly #sync: Sync;
  readonly #ids: Ids;

  constructor(sync: Sync, ids: Ids) {
    this.#sync = sync;
    this.#ids = ids;
  }

  /**
   * Stores a text durably with the current tick. `name`: the name of a file, with which the URI ends. Editors
   * choose a language by it.
   */
  put(of: ContentOwner, text: string, contentType: string, name?: string): ContentRef {
    return this.#putBytes(of, Buffer.from(text, 'utf8'), contentType, name);
  }

  #putBytes(of: ContentOwner, data: Buffer, contentType: string, name?: string): ContentRef {
    const id = this.#ids.next();
    this.#sync.transact('host', (tx) => {
      // A content stored after its turn has ended is in no state, and would stay after the turn or session
      // was removed.
      if (this.#sync.registry.getOf('chat', of.chat)?.outline.activeTurn?.id !== of.turnId) return;
      const { session, chat, turnId } = of;
      tx.write({ op: 'content', session, chat, turnId, id, contentType, data });
    });
    const ending = name === undefined || name === '' ? '' : `/${name}`;
    return { uri: `${CONTENT_SCHEME}:/${id}${ending}`, sizeHint: data.byteLength, contentType };
  }

  /**
   * A change of a text file, with the contents behind URIs [CS-3]. Of a version above 4 MiB only both ends
   * are kept.
   */
  fileEdit(of: ContentOwner, { uri, before, after }: FileChange): FileEdit {
    const side = (text: string) => ({
      uri,
      content: this.put(of, fittedVersion(text), 'text/plain; charset=utf-8', nameIn(uri)),
    });
    const counts = countLines(before ?? '', after ?? '');
    return {
      ...defined({
        before: before === undefined ? undefined : side(before),
        after: after === undefined ? undefined : side(after),
        diff: counts,
      }),
    };
  }

  /**
   * A tool's result, reduced to a size that fits state. A large text is replaced by its head, a reference to
   * the whole text and its tail. Other large data, including structured content, is replaced by a reference.
   */
  fit(of: ContentOwner, result: ToolCallResult): ToolCallResult {
    const { content, structuredContent, error, ...rest } = result;
    const json = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
    const large = largeParts([
      ...(content ?? []).map(sized),
      ...(structuredContent === undefined
        ? []
        : [{ part: structuredContent, size: Buffer.byteLength(json) }]),
      ...(error === undefined ? [] : [{ part: error, size: Buffer.byteLength(error.message) }]),
    ]);
    if (large.size === 0) return result;
    const fitted = (content ?? []).flatMap((block) =>
      large.has(block) ? this.#outline(of, block) : [block],
    );
    const isJsonLarge = structuredContent !== undefined && large.has(structuredContent);
    if (isJsonLarge) fitted.push({ type: 'resource', ...this.put(of, json, 'application/json') });
    return {
      ...rest,
      ...defined({
        content: fitted.length === 0 ? undefined : fitted,
        structuredContent: isJsonLarge ? undefined : structuredContent,
        error: error && large.has(error) ? { ...error, message: shortened(error.message) } : error,
      }),
    };
  }

  /** The blocks that replace a large block in state. */
  #outline(of: ContentOwner, block: ToolResultContent): ToolResultContent[] {
    const whole = (text: string): ToolResultContent => ({
      type: 'resource',
      ...this.put(of, text, 'text/plain; charset=utf-8'),
    });
    switch (block.type) {
      case 'text': {
        const { head, tail } = endsOf(block.text);
        return [{ type: 'text', text: head }, whole(block.text), { type: 'text', text: tail }];
      }
      case 'terminal':
        return [cutPreview(block), whole(block.result?.preview ?? '')];
      case 'embeddedResource': {
        const { data, contentType } = block;
        return [{ type: 'resource', ...this.#putBytes(of, Buffer.from(data, 'base64'), contentType) }];
      }
      default:
        return [block];
    }
  }
}

/**
 * Output of a running call, with large texts cut to head and tail. The whole output is stored when the call
 * ends.
 */
export function previewOf(content: readonly ToolResultContent[]): ToolResultContent[] {
  const large = largeParts(content.map(sized));
  return content.flatMap((block): ToolResultContent[] => {
    if (!large.has(block)) return [block];
    if (block.type === 'terminal') return [cutPreview(block)];
    if (block.type !== 'text') return [];
    const { head, tail } = endsOf(block.text);
    return [
      { type: 'text', text: head },
      { type: 'text', text: tail },
    ];
  });
}

interface Sized {
  readonly part: object;
  /** Bytes. */
  readonly size: number;
}

/** The parts to replace so that the rest fits: the largest first, and only parts that become smaller. */
function largeParts(parts: readonly Sized[]): ReadonlySet<object> {
  let total = parts.reduce((sum, { size }) => sum + size, 0);
  const large = new Set<object>();
  for (const { part, size } of parts.toSorted((a, b) => b.size - a.size)) {
    if (total <= MAX_INLINE || size <= HEAD + TAIL) break;
    large.add(part);
    total -= size - HEAD - TAIL;
  }
  return large;
}

/** Approximate size of a call's content in bytes. */
export const lengthOf = (content: readonly ToolResultContent[]): number =>
  content.reduce((sum, block) => sum + sizeOf(block), 0);

const sized = (block: ToolResultContent): Sized => ({ part: block, size: sizeOf(block) });

function sizeOf(block: ToolResultContent): number {
  switch (block.type) {
    case 'text':
      return Buffer.byteLength(block.text);
    case 'terminal':
      return Buffer.byteLength(block.result?.preview ?? '');
    case 'embeddedResource':
      return block.data.length;
    default:
      return 0;
  }
}

type TerminalContent = Extract<ToolResultContent, { type: 'terminal' }>;

const cutPreview = (block: TerminalContent): TerminalContent => ({
  ...block,
  result: { ...block.result, preview: shortened(block.result?.preview ?? ''), truncated: true },
});

function shortened(text: string): string {
  const { head, tail } = endsOf(text);
  return `${head}\n…\n${tail}`;
}

/** Number of characters that are kept of both versions of a changed file. */
export const keptLength = ({ before = '', after = '' }: FileChange): number =>
  Math.min(before.length, MAX_VERSION_LENGTH) + Math.min(after.length, MAX_VERSION_LENGTH);

function fittedVersion(text: string): string {
  if (text.length <= MAX_VERSION_LENGTH) return text;
  const { head, tail } = endsOf(text, MAX_VERSION_LENGTH / 2, MAX_VERSION_LENGTH / 2);
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${left} of ${text.length} characters are omitted: the host keeps ${MAX_VERSION_LENGTH} of each version]\n${tail}`;
}

const endsOf = (text: string, headLength = HEAD, tailLength = TAIL): { head: string; tail: string } => ({
  head: cutEnd(text.slice(0, headLength)),
  tail: cutStart(text.slice(-tailLength)),
});

// A cut must not split a surrogate pair.
const cutEnd = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);
const cutStart = (text: string): string => (/^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text);

function countLines(before: string, after: string): { added: number; removed: number } | undefined {
  if (before.length + after.length > MAX_DIFF_LENGTH) return undefined;
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
