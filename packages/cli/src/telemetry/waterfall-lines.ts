import type { HostSpan, Waterfall, WaterfallRow } from '@agenthost/client';
import { cellsOf, cutToCells, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Narrowest bar area that is drawn, in cells. */
const LEAST_BAR = 10;
const MOST_BAR = 60;
/** Deeper spans are not indented further. */
const MOST_INDENT = 10;

const longest = (lengths: readonly number[]): number =>
  lengths.reduce((most, each) => Math.max(most, each), 0);

/** A waterfall as lines: name, bar on the axis of time, duration, facts. */
export function waterfallLines(
  { rows, durationMs }: Waterfall,
  { columns, marks }: Pick<Screen, 'columns' | 'marks'>,
): string[] {
  const names = rows.map(
    ({ span, depth }) => `${'  '.repeat(Math.min(depth, MOST_INDENT))}${oneLine(span.name, 60)}`,
  );
  const nameWidth = Math.min(longest(names.map(cellsOf)), Math.floor(columns / 2));
  const times = rows.map((row) => durationText(row.durationMs));
  const timeWidth = longest(times.map((text) => text.length));
  const barWidth = Math.min(MOST_BAR, Math.max(LEAST_BAR, columns - nameWidth - timeWidth - 4));
  // Terminals that cannot show the mark for "done" cannot show blocks either.
  const block = marks.done === '✓' ? '█' : '#';
  return rows.map((row, index) => {
    const name = cutToCells(names[index] ?? '', nameWidth);
    const bar = barOf(row, { durationMs, width: barWidth, block: row.span.hasFailed ? '!' : block });
    const padded = `${name}${' '.repeat(Math.max(0, nameWidth - cellsOf(name)))}`;
    return `${padded}  ${bar}  ${(times[index] ?? '').padStart(timeWidth)}${factsOf(row.span)}`.trimEnd();
  });
}

function barOf(
  { offsetMs, durationMs: ownMs }: WaterfallRow,
  {
    durationMs,
    width,
    block,
  }: { readonly durationMs: number; readonly width: number; readonly block: string },
): string {
  const cells = (ms: number): number => (durationMs === 0 ? 0 : (ms / durationMs) * width);
  const start = Math.min(width - 1, Math.floor(cells(offsetMs)));
  const length = Math.min(width - start, Math.max(1, Math.round(cells(ownMs))));
  return `${' '.repeat(start)}${block.repeat(length)}`.padEnd(width);
}

function durationText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** The tokens of a span, and how it ended if it did not simply complete. */
function factsOf({ attributes, hasFailed }: HostSpan): string {
  const input = attributes['gen_ai.usage.input_tokens'];
  const output = attributes['gen_ai.usage.output_tokens'];
  const outcome =
    attributes['ahp.turn.outcome'] ?? attributes['ahp.tool_call.outcome'] ?? attributes['ahp.wait.outcome'];
  const facts = [
    input === undefined && output === undefined ? '' : `${input ?? 0} in, ${output ?? 0} out`,
    outcome === undefined || outcome === 'complete' ? '' : oneLine(String(outcome), 20),
    hasFailed ? oneLine(String(attributes['error.type'] ?? 'failed'), 40) : '',
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? '' : `  ${facts.join(', ')}`;
}
