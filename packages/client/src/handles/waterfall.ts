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
    children.set(key, [...(children.get(key) ?? []), span]);
  }
  const startMs = Math.min(...shown.map((span) => span.startMs));
  const rows: WaterfallRow[] = [];
  const add = (parent: string | undefined, depth: number): void => {
    const below = children.get(parent) ?? [];
    // Spans that name each other as parents would be added for ever.
    children.delete(parent);
    for (const span of below) {
      rows.push({ span, depth, offsetMs: span.startMs - startMs, durationMs: span.endMs - span.startMs });
      add(span.id, depth + 1);
    }
  };
  add(undefined, 0);
  if (rows.length === 0) return undefined;
  return { rows, startMs, durationMs: Math.max(...rows.map(({ span }) => span.endMs)) - startMs };
}
