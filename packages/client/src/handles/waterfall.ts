import type { HostSpan } from './host-span.ts';

/** A span in its place below the span that it belongs to. */
export interface WaterfallRow {
  readonly span: HostSpan;
  /** 0 for the topmost spans. */
  readonly depth: number;
  /** ms since the start of the waterfall. */
  readonly offsetMs: number;
  readonly durationMs: number;
}

/** The spans of a turn as rows of a waterfall. */
export interface Waterfall {
  /** Parents before their children, which are in the order of their starts. */
  readonly rows: readonly WaterfallRow[];
  /** ms since the epoch. */
  readonly startMs: number;
  readonly durationMs: number;
}

/** Arranges the spans of a turn as a waterfall. The span of the session is left out: it may cover months. `undefined`: there are no spans. */
export function waterfallOf(spans: readonly HostSpan[]): Waterfall | undefined {
  const shown = spans.filter(({ attributes }) => attributes['ahp.span.kind'] !== 'session');
  const ids = new Set(shown.map(({ id }) => id));
  const children = new Map<string | undefined, HostSpan[]>();
  for (const span of shown.toSorted((a, b) => a.startMs - b.startMs || b.endMs - a.endMs)) {
    const { parentId } = span;
    const key = parentId !== undefined && parentId !== span.id && ids.has(parentId) ? parentId : undefined;
    const siblings = children.get(key);
    if (siblings === undefined) children.set(key, [span]);
    else siblings.push(span);
  }
  const startMs = shown.reduce((least, span) => Math.min(least, span.startMs), Number.POSITIVE_INFINITY);
  const rows: WaterfallRow[] = [];
  // A list instead of recursion: a hostile host may send a long chain of spans.
  const open: { readonly spans: HostSpan[]; next: number }[] = [];
  const enter = (parent: string | undefined): void => {
    const spans = children.get(parent);
    // Spans that name each other as parents would be added for ever.
    children.delete(parent);
    if (spans !== undefined) open.push({ spans, next: 0 });
  };
  enter(undefined);
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const span = level.spans[level.next];
    level.next += 1;
    if (span === undefined) {
      open.pop();
      continue;
    }
    const depth = open.length - 1;
    rows.push({ span, depth, offsetMs: span.startMs - startMs, durationMs: span.endMs - span.startMs });
    enter(span.id);
  }
  if (rows.length === 0) return undefined;
  const endMs = rows.reduce((most, { span }) => Math.max(most, span.endMs), startMs);
  return { rows, startMs, durationMs: endMs - startMs };
}
