import { ChevronRight } from 'lucide-react';
import { Fragment, useId, useState } from 'react';
import { durationText } from '../text/format.ts';
import { telemetryText } from '../text/telemetry-text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { moveInTree } from '../ui/tree-keys.ts';
import type { StepFact, StepKind, TraceRow } from './trace-rows.ts';

/** Steps that are shown at first, and more with each press of a button. */
const PAGE = 200;
/** Deeper steps are not indented further. */
const MAX_INDENT = 6;
const INDENT_PX = 14;

const COLOURS: Readonly<Record<StepKind, string>> = {
  turn: 'bg-line-strong',
  model: 'bg-accent',
  tool: 'bg-ok',
  wait: 'bg-warn',
};

interface TraceTableProps {
  readonly rows: readonly TraceRow[];
  /** Length of the time axis. */
  readonly durationMs: number;
}

/** The steps of a turn with bars on an axis of time. Arrow keys move between the steps; each opens to show its facts. */
export function TraceTable({ rows, durationMs }: TraceTableProps) {
  const [limit, setLimit] = useState(PAGE);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const rest = rows.length - limit;
  const toggle = (id: string): void =>
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move between the buttons inside */}
      <table className="w-full text-sm" aria-label={telemetryText.steps} onKeyDown={moveInTree}>
        <thead className="text-xs text-muted">
          <tr>
            <th scope="col" className="py-1 text-start font-medium">
              {telemetryText.step}
            </th>
            <th scope="col" className="w-1/2 px-3 py-1 text-start font-medium max-sm:hidden" aria-hidden>
              {telemetryText.timeline}
            </th>
            <th scope="col" className="py-1 text-end font-medium">
              {telemetryText.duration}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, limit).map((row) => (
            <Step
              key={row.id}
              row={row}
              durationMs={durationMs}
              isOpen={opened.has(row.id)}
              onToggle={() => toggle(row.id)}
            />
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <Button size="small" look="ghost" onClick={() => setLimit(limit + PAGE)}>
          {telemetryText.more(Math.min(rest, PAGE))}
        </Button>
      )}
    </>
  );
}

function Step({
  row,
  durationMs,
  isOpen,
  onToggle,
}: {
  readonly row: TraceRow;
  readonly durationMs: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const detailsId = useId();
  const { label, depth, offsetMs, notes, facts, hasFailed } = row;
  return (
    <Fragment>
      <tr className="border-t border-line">
        <th scope="row" className="py-1 text-start align-top font-normal">
          <button
            type="button"
            data-tree
            aria-expanded={isOpen}
            aria-controls={isOpen ? detailsId : undefined}
            className="flex min-h-8 w-full items-center gap-1.5 rounded-lg text-start hover:bg-hover touch:min-h-11"
            style={{ paddingInlineStart: Math.min(depth, MAX_INDENT) * INDENT_PX }}
            onClick={onToggle}
          >
            <ChevronRight
              className={classes('size-3.5 shrink-0 text-faint', isOpen && 'rotate-90')}
              aria-hidden
            />
            <span className="min-w-0 break-words">
              <SafeText>{label}</SafeText>{' '}
              <span className={classes('text-xs', hasFailed ? 'text-danger' : 'text-muted')}>
                <SafeText>{notes.join(', ')}</SafeText>
              </span>
            </span>
            <span className="sr-only">{telemetryText.startsAfter(durationText(offsetMs))}</span>
          </button>
          <div className="pb-1 sm:hidden">
            <Bar row={row} durationMs={durationMs} />
          </div>
        </th>
        <td className="px-3 py-1 max-sm:hidden" aria-hidden>
          <Bar row={row} durationMs={durationMs} />
        </td>
        <td className="py-1 align-top whitespace-nowrap tabular-nums">
          <div className="flex min-h-8 items-center justify-end touch:min-h-11">
            {durationText(row.durationMs)}
          </div>
        </td>
      </tr>
      {isOpen && (
        <tr id={detailsId}>
          <td colSpan={3} className="pb-2">
            <Facts
              facts={[{ name: telemetryText.start, value: durationText(offsetMs), isLong: false }, ...facts]}
            />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

/** The bar of a step. A very short step is still visible. */
function Bar({ row, durationMs }: { readonly row: TraceRow; readonly durationMs: number }) {
  const share = (ms: number): number => (durationMs === 0 ? 0 : Math.min(1, ms / durationMs));
  const start = share(row.offsetMs);
  return (
    <div className="relative h-2 w-full rounded-full bg-sunken" aria-hidden>
      <div
        className={classes(
          'absolute h-2 rounded-full',
          row.hasFailed ? 'bg-danger' : COLOURS[row.kind],
          row.isRunning && 'animate-pulse',
        )}
        style={{
          insetInlineStart: `min(${start * 100}%, 100% - 3px)`,
          width: `max(${Math.min(1 - start, share(row.durationMs)) * 100}%, 3px)`,
        }}
      />
    </div>
  );
}

function Facts({ facts }: { readonly facts: readonly StepFact[] }) {
  return (
    <dl className="flex flex-col gap-1.5 rounded-lg bg-sunken px-3 py-2 text-xs">
      {facts.map(({ name, value, isLong }) => (
        <div key={name} className={classes('flex gap-3', isLong && 'flex-col')}>
          <dt className="shrink-0 text-muted">{name}</dt>
          <dd className={classes('min-w-0 break-words', isLong && 'whitespace-pre-wrap font-mono')}>
            <SafeText>{value}</SafeText>
          </dd>
        </div>
      ))}
    </dl>
  );
}
