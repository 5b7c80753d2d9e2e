import { memo, type ReactNode, useState } from 'react';
import type { CodeLine } from '../../chat/code/code-messages.ts';
import type { DiffLine } from '../../chat/diff/diff-model.ts';
import { MarkedText } from '../../chat/diff/marked-text.tsx';
import type { Side } from '../../comments/place-threads.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { classes } from '../../ui/class-names.ts';

/** Longer lines are cut. Characters. */
const MAX_LINE_LENGTH = 1_000;

/** Values that a list gives to each of its lines. */
export interface LineContext {
  readonly oldTokens: readonly (CodeLine | undefined)[];
  readonly newTokens: readonly (CodeLine | undefined)[];
  readonly isWrapped: boolean;
  /** Classes of marked ranges. Absent: by the kind of the line. */
  readonly markClass?: string | undefined;
  readonly isSelected: (side: Side, number: number) => boolean;
  /** A press of a line's number. `isExtending`: with Shift. */
  readonly onPress: (side: Side, number: number, isExtending: boolean) => void;
}

const COLORS = { same: '', removed: 'bg-removed', added: 'bg-added' } as const;
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;

/** The number in the other version. */
const OTHER_NUMBER =
  'w-11 shrink-0 px-1 text-end text-xs leading-5 text-muted tabular-nums select-none max-sm:hidden';

interface CellProps {
  readonly line: DiffLine;
  readonly side: Side;
  readonly context: LineContext;
  /** Numbers that stand in front of the line. */
  readonly numbers: 'both' | 'own';
  /** Buttons at the end of the line. */
  readonly actions?: ReactNode;
}

/** A line of one version: its number, which is a button that selects the line, its sign, and its text. */
export const LineCell = memo(function LineCell({ line, side, context, numbers, actions }: CellProps) {
  const number = side === 'before' ? line.oldNumber : line.newNumber;
  const tokens = side === 'before' ? context.oldTokens : context.newTokens;
  const isSelected = number !== undefined && context.isSelected(side, number);
  return (
    <div
      className={classes(
        'group/line relative flex min-w-full',
        isSelected ? 'bg-accent-soft' : COLORS[line.kind],
      )}
    >
      {numbers === 'both' && side === 'after' && (
        <span className={OTHER_NUMBER} aria-hidden>
          {line.oldNumber}
        </span>
      )}
      {number !== undefined && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={
            side === 'before' ? workspaceText.changes.lineBefore(number) : workspaceText.changes.line(number)
          }
          aria-pressed={isSelected}
          className="flex w-11 shrink-0 items-start justify-end px-1 text-xs leading-5 text-muted tabular-nums select-none hover:bg-accent hover:text-on-accent"
          onClick={(event) => context.onPress(side, number, event.shiftKey)}
        >
          {number}
        </button>
      )}
      {numbers === 'both' && side === 'before' && <span className={OTHER_NUMBER} aria-hidden />}
      <span
        aria-hidden
        className={classes(
          'w-4 shrink-0 text-center select-none',
          line.kind === 'added' ? 'text-ok' : line.kind === 'removed' ? 'text-danger' : undefined,
        )}
      >
        {SIGNS[line.kind]}
      </span>
      {line.kind !== 'same' && <span className="sr-only">{workspaceText.changes.lineKind[line.kind]}: </span>}
      <LineText
        line={line}
        tokens={number === undefined ? undefined : tokens[number - 1]}
        isWrapped={context.isWrapped}
        markClass={context.markClass}
      />
      {actions}
    </div>
  );
});

function LineText({
  line,
  tokens,
  isWrapped,
  markClass,
}: {
  readonly line: DiffLine;
  readonly tokens: CodeLine | undefined;
  readonly isWrapped: boolean;
  readonly markClass: string | undefined;
}) {
  const [isWhole, setWhole] = useState(false);
  const { length } = line.text;
  const isCut = length > MAX_LINE_LENGTH && !isWhole;
  return (
    <span
      className={classes(
        'min-w-0 flex-1 pe-3',
        isWrapped || isWhole ? 'whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre',
      )}
    >
      {isCut ? (
        <>
          {line.text.slice(0, MAX_LINE_LENGTH)}
          <button
            type="button"
            className="mx-1 rounded border border-line bg-surface px-1 font-sans text-xs text-accent"
            onClick={() => setWhole(true)}
          >
            {workspaceText.changes.longLine(length)}
          </button>
        </>
      ) : (
        <MarkedText line={line} tokens={tokens} {...(markClass === undefined ? {} : { markClass })} />
      )}
      {length === 0 && '\n'}
    </span>
  );
}
