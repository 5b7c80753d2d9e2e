import type { ContentRef, FileEdit, ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { diffLines } from 'diff';
import type { FileChange } from '../../agents/turn.ts';
import type { Ids } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';

/** Tool output above so many bytes goes behind content URIs, its largest blocks first. */
const MAX_INLINE = 256 * 1024;
/** What of a text stays in state, at either end; characters. */
const HEAD = 32 * 1024;
const TAIL = 32 * 1024;
/** Of a changed file, what is kept of each version, in characters: beyond it the middle is left out. */
const MAX_VERSION_LENGTH = 4 * 1024 * 1024;
/** Lines are counted in versions of up to so many characters together: a list of all lines takes many times their memory. */
const MAX_DIFF_LENGTH = 1024 * 1024;
/** Counting stops after so long; worst cases explode. */
const DIFF_TIMEOUT_MS = 50;

/** Scheme of the URIs of what a host keeps outside of state. */
export const CONTENT_SCHEME = 'agenthost-content';

/** The id in a content URI of the host. `undefined` for other URIs. */
export function contentIdOf(uri: string): string | undefined {
  const prefix = `${CONTENT_SCHEME}:/`;
  return uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined;
}

/** The active turn that contents go with. */
export interface ContentOwner {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
}

/** Stores large contents of turns outside of state, behind URIs that `resourceRead` answers [RES-1]. */
export class ContentStore {
  readonly #sync: Sync;
  readonly #ids: Ids;

  constructor(sync: Sync, ids: Ids) {
    this.#sync = sync;
    this.#ids = ids;
  }

  /** Stores a text durably with the present tick. */
  put(of: ContentOwner, text: string, contentType: string): ContentRef {
    return this.#putBytes(of, Buffer.from(text, 'utf8'), contentType);
  }

  #putBytes(of: ContentOwner, data: Buffer, contentType: string): ContentRef {
    const id = this.#ids.next();
    this.#sync.transact('host', (tx) => {
      // What comes after its turn is in no state, and would stay when the turn was cut off or its session disposed of.
      if (this.#sync.registry.getOf('chat', of.chat)?.outline.activeTurn?.id !== of.turnId) return;
      const { session, chat, turnId } = of;
      tx.write({ op: 'content', session, chat, turnId, id, contentType, data });
    });
    return { uri: `${CONTENT_SCHEME}:/${id}`, sizeHint: data.byteLength, contentType };
  }

  /** A change of a text file, its contents behind URIs [CS-3]. Of a version above 4 MiB both ends are kept. */
  fileEdit(of: ContentOwner, { uri, before, after }: FileChange): FileEdit {
    const side = (text: string) => ({
      uri,
      content: this.put(of, fittedVersion(text), 'text/plain; charset=utf-8'),
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
   * A tool's result, small enough for state: of large texts the head, a reference to the whole and the tail; of other large data,
   * structured content included, a reference.
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

  /** What stands in state for a large block. */
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
      case 'terminalComplete':
        return [cutPreview(block), whole(block.preview ?? '')];
      case 'embeddedResource': {
        const { data, contentType } = block;
        return [{ type: 'resource', ...this.#putBytes(of, Buffer.from(data, 'base64'), contentType) }];
      }
      default:
        return [block];
    }
  }
}

/** Output of a call that still runs, its large texts cut to head and tail: the whole is stored once, when it is there. */
export function previewOf(content: readonly ToolResultContent[]): ToolResultContent[] {
  const large = largeParts(content.map(sized));
  return content.flatMap((block): ToolResultContent[] => {
    if (!large.has(block)) return [block];
    if (block.type === 'terminalComplete') return [cutPreview(block)];
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

/** The parts that have to go for the rest to fit: the largest first, and none that would not get smaller. */
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

/** Bytes of what a call shows, about. */
export const lengthOf = (content: readonly ToolResultContent[]): number =>
  content.reduce((sum, block) => sum + sizeOf(block), 0);

const sized = (block: ToolResultContent): Sized => ({ part: block, size: sizeOf(block) });

function sizeOf(block: ToolResultContent): number {
  switch (block.type) {
    case 'text':
      return Buffer.byteLength(block.text);
    case 'terminalComplete':
      return Buffer.byteLength(block.preview ?? '');
    case 'embeddedResource':
      return block.data.length;
    default:
      return 0;
  }
}

type TerminalComplete = Extract<ToolResultContent, { type: 'terminalComplete' }>;

const cutPreview = (block: TerminalComplete): TerminalComplete => ({
  ...block,
  preview: shortened(block.preview ?? ''),
  truncated: true,
});

function shortened(text: string): string {
  const { head, tail } = endsOf(text);
  return `${head}\n…\n${tail}`;
}

/** How many characters of a changed file's versions are kept. */
export const keptLength = ({ before = '', after = '' }: FileChange): number =>
  Math.min(before.length, MAX_VERSION_LENGTH) + Math.min(after.length, MAX_VERSION_LENGTH);

function fittedVersion(text: string): string {
  if (text.length <= MAX_VERSION_LENGTH) return text;
  const { head, tail } = endsOf(text, MAX_VERSION_LENGTH / 2, MAX_VERSION_LENGTH / 2);
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${left} of ${text.length} characters are left out here: the host keeps ${MAX_VERSION_LENGTH} of a version]\n${tail}`;
}

const endsOf = (text: string, headLength = HEAD, tailLength = TAIL): { head: string; tail: string } => ({
  head: cutEnd(text.slice(0, headLength)),
  tail: cutStart(text.slice(-tailLength)),
});

// A cut must not leave half of a surrogate pair.
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
