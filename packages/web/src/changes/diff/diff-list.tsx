import { ChevronDown, ChevronUp, MessageSquarePlus, Undo2, UnfoldVertical, X } from 'lucide-react';
import {
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useHighlight } from '../../chat/code/use-highlight.ts';
import type { DiffSection } from '../../chat/diff/diff-model.ts';
import type { Side } from '../../comments/place-threads.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx';
import { LineCell, type LineContext } from './code-row.tsx';
import {
  type DiffRow,
  diffRows,
  type Hunk,
  type LineSpan,
  type OpenedFold,
  selectableLines,
  withLineShown,
  withLinesShown,
} from './diff-rows.ts';
import { useLineSelection } from './line-selection.ts';
import '../../chat/code/code.css';

/** Lines that one press shows of a fold. */
const FOLD_STEP = 20;
/** Height of a line in pixels. */
const LINE_PX = 20;
const COMMENTS_PX = 120;

/** Control of the list from outside. */
export interface DiffListHandle {
  /** Goes to the next (1) or previous (-1) hunk. False: there is none. */
  moveHunk(step: 1 | -1): boolean;
  /** Shows a line and selects it. */
  showLine(side: Side, line: number): void;
}

interface DiffListProps {
  readonly sections: readonly DiffSection[];
  /** Both versions as they are shown, for colours. */
  readonly before: string;
  readonly after: string;
  /** Name of the language; empty: none. */
  readonly language: string;
  /** `plain`: the lines of one version, without a comparison. */
  readonly layout: 'unified' | 'split' | 'plain';
  readonly isWrapped: boolean;
  /** Name for screen readers. */
  readonly label: string;
  /** Lines that have something below them; see `lineKey`. */
  readonly below: ReadonlySet<string>;
  readonly renderBelow: (side: Side, line: number) => ReactNode;
  /** Absent: lines cannot be commented on. */
  readonly onComment?: ((span: LineSpan) => void) | undefined;
  /** Absent: nothing can be reverted. `what`: a whole hunk, or chosen lines. */
  readonly onRevert?: ((span: LineSpan, what: 'hunk' | 'lines') => void) | undefined;
  readonly markClass?: string | undefined;
  /** Whether the hunk before the first one that is shown is the last one. Default false. */
  readonly startsAtEnd?: boolean;
  /** Shown above the first line. */
  readonly remarks?: ReactNode;
  readonly handle?: Ref<DiffListHandle>;
}

/** The lines of a diff or of a file: a list of which the visible part is rendered, with selection by pointer and keyboard. */
export function DiffList(props: DiffListProps) {
  const { sections, layout, isWrapped, label, below, renderBelow, onRevert, markClass } = props;
  const oldTokens = useHighlight(props.before, layout === 'plain' ? '' : props.language);
  const newTokens = useHighlight(props.after, props.language);
  const [opened, setOpened] = useState<ReadonlyMap<string, OpenedFold>>(new Map());
  const shownFolds = useMemo(() => withLinesShown(sections, opened, below), [sections, opened, below]);
  const { rows, hunks } = useMemo(
    () => diffRows(sections, { layout: layout === 'split' ? 'split' : 'unified', opened: shownFolds, below }),
    [sections, layout, shownFolds, below],
  );
  const list = useRef<VirtualListHandle>(null);
  const linesOf = useCallback(
    (side: Side | undefined) => selectableLines(rows, layout === 'split' ? (side ?? 'after') : 'both'),
    [rows, layout],
  );
  const selection = useLineSelection(linesOf, ({ rowKey }) => list.current?.scrollToKey(rowKey));
  const { span, head, isSelected, press, clear } = selection;
  const frame = useRef<HTMLDivElement>(null);
  /** So that the keys of the selection work. */
  const focus = (): void =>
    frame.current?.querySelector<HTMLElement>('[role="list"]')?.focus({ preventScroll: true });
  const comment = props.onComment;
  const onComment = useMemo(
    () =>
      comment &&
      ((chosen: LineSpan): void => {
        clear();
        comment(inPresent(rows, chosen));
      }),
    [comment, clear, rows],
  );
  const [current, setCurrent] = useState<number | undefined>(undefined);
  const moveHunk = (step: 1 | -1): boolean => {
    const next = (current ?? (props.startsAtEnd === true ? hunks.length : -1)) + step;
    const hunk = hunks[next];
    if (hunk === undefined) return false;
    setCurrent(next);
    focus();
    list.current?.scrollToKey(hunk.rowKey, 'center');
    const at = hunk.after ?? hunk.before;
    if (at !== undefined) {
      clear();
      press(at.side, at.from, false);
    }
    return true;
  };
  const [wanted, setWanted] = useState<{ readonly side: Side; readonly line: number } | undefined>(undefined);
  useImperativeHandle(props.handle, () => ({
    moveHunk,
    showLine: (side, line) => {
      focus();
      setOpened((before) => withLineShown(sections, before, { side, line }));
      setWanted({ side, line });
    },
  }));
  useEffect(() => {
    if (wanted === undefined) return;
    const row = rows.find(
      (each) =>
        each.kind === 'lines' &&
        (wanted.side === 'before' ? each.before?.oldNumber : each.after?.newNumber) === wanted.line,
    );
    if (row === undefined) return;
    setWanted(undefined);
    clear();
    press(wanted.side, wanted.line, false);
    list.current?.scrollToKey(row.key, 'center');
  }, [wanted, rows, clear, press]);
  const context = useMemo<LineContext>(
    () => ({
      oldTokens,
      newTokens,
      isWrapped: isWrapped || layout === 'split',
      markClass,
      isSelected,
      onPress: press,
    }),
    [oldTokens, newTokens, isWrapped, layout, markClass, isSelected, press],
  );
  const open = (fold: string, change: (before: OpenedFold) => OpenedFold): void =>
    setOpened((before) => new Map(before).set(fold, change(before.get(fold) ?? { top: 0, bottom: 0 })));
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the list inside has the focus
    <div
      ref={frame}
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onKeyDown={(event) => {
        if (event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName))
          return;
        const isTaken = selection.onKey(event) || shortcut(event, { span, onComment, onRevert });
        if (!isTaken) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {props.remarks}
      <VirtualList
        handle={list}
        label={label}
        items={rows}
        keyOf={keyOf}
        estimate={estimate}
        className="min-h-0 flex-1 font-mono text-[0.8125rem] leading-5"
        rowClassName={context.isWrapped ? '' : 'w-max min-w-full right-auto!'}
      >
        {(row) => (
          <Row
            row={row}
            layout={layout}
            context={context}
            hunks={hunks}
            renderBelow={renderBelow}
            onComment={onComment}
            onRevert={onRevert}
            onOpen={open}
          />
        )}
      </VirtualList>
      <p className="sr-only" role="status">
        {head === undefined
          ? ''
          : workspaceText.changes.cursor(
              head.side === 'before'
                ? workspaceText.changes.lineBefore(head.number)
                : workspaceText.changes.line(head.number),
              workspaceText.changes.lineKind[head.line.kind],
              head.line.text.trim(),
            )}
      </p>
      {span !== undefined && (
        <SelectionBar
          span={span}
          onClear={clear}
          onComment={onComment}
          onRevert={touchesHunk(hunks, span) ? onRevert : undefined}
        />
      )}
    </div>
  );
}

/** Unchanged lines that were chosen in the version before, in the version after: comments stand there. */
function inPresent(rows: readonly DiffRow[], span: LineSpan): LineSpan {
  if (span.side === 'after') return span;
  const row = rows.find((each) => each.kind === 'lines' && each.before?.oldNumber === span.to);
  const to = row?.kind === 'lines' && row.before?.kind === 'same' ? row.after?.newNumber : undefined;
  return to === undefined ? span : { side: 'after', from: Math.max(1, to - (span.to - span.from)), to };
}

const keyOf = (row: DiffRow): string => row.key;
const estimate = (row: DiffRow): number => (row.kind === 'below' ? COMMENTS_PX : LINE_PX);

const touchesHunk = (hunks: readonly Hunk[], { side, from, to }: LineSpan): boolean =>
  hunks.some((hunk) => {
    const own = hunk[side];
    return own !== undefined && own.from <= to && own.to >= from;
  });

interface Shortcuts {
  readonly span: LineSpan | undefined;
  readonly onComment: DiffListProps['onComment'];
  readonly onRevert: DiffListProps['onRevert'];
}

/** Runs the shortcut of a key press. Returns whether there is one. */
function shortcut(
  event: {
    readonly key: string;
    readonly altKey: boolean;
    readonly ctrlKey: boolean;
    readonly metaKey: boolean;
  },
  { span, onComment, onRevert }: Shortcuts,
): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  switch (event.key) {
    case 'c':
      if (span === undefined || onComment === undefined) return false;
      onComment(span);
      return true;
    case 'r':
      if (span === undefined || onRevert === undefined) return false;
      onRevert(span, 'lines');
      return true;
    default:
      return false;
  }
}

function SelectionBar({
  span,
  onClear,
  onComment,
  onRevert,
}: {
  readonly span: LineSpan;
  readonly onClear: () => void;
  readonly onComment: DiffListProps['onComment'];
  readonly onRevert: DiffListProps['onRevert'];
}) {
  return (
    <div className="absolute bottom-3 left-1/2 z-10 flex -translate-x-1/2 items-center gap-1 rounded-xl border border-line-strong bg-raised py-1 ps-3 pe-1 text-sm whitespace-nowrap shadow-xl">
      <span className="me-1 text-muted max-sm:sr-only">
        {workspaceText.changes.selected(span.to - span.from + 1)}
      </span>
      {onComment !== undefined && (
        <Button size="small" look="primary" onClick={() => onComment(span)}>
          <MessageSquarePlus className="size-4" aria-hidden />
          {workspaceText.changes.comment}
        </Button>
      )}
      {onRevert !== undefined && (
        <Button size="small" onClick={() => onRevert(span, 'lines')}>
          <Undo2 className="size-4" aria-hidden />
          {workspaceText.changes.revertLines}
        </Button>
      )}
      <IconButton size="small" label={workspaceText.changes.clearSelection} onClick={onClear}>
        <X className="size-4" aria-hidden />
      </IconButton>
    </div>
  );
}

interface RowProps {
  readonly row: DiffRow;
  readonly layout: DiffListProps['layout'];
  readonly context: LineContext;
  readonly hunks: readonly Hunk[];
  readonly renderBelow: DiffListProps['renderBelow'];
  readonly onComment: DiffListProps['onComment'];
  readonly onRevert: DiffListProps['onRevert'];
  readonly onOpen: (fold: string, change: (before: OpenedFold) => OpenedFold) => void;
}

function Row({ row, layout, context, hunks, renderBelow, onComment, onRevert, onOpen }: RowProps) {
  if (row.kind === 'below') return <div className="font-sans">{renderBelow(row.side, row.line)}</div>;
  if (row.kind === 'fold') return <Fold row={row} onOpen={onOpen} />;
  const hunk = row.startsHunk === undefined ? undefined : hunks[row.startsHunk];
  const actions =
    hunk === undefined ? undefined : <HunkActions hunk={hunk} onComment={onComment} onRevert={onRevert} />;
  if (layout === 'split')
    return (
      <div className="flex">
        <div className={classes('flex w-1/2 min-w-0', row.before === undefined && 'bg-sunken')}>
          {row.before !== undefined && (
            <LineCell line={row.before} side="before" context={context} numbers="own" />
          )}
        </div>
        <div
          className={classes(
            'relative flex w-1/2 min-w-0 border-s border-line',
            row.after === undefined && 'bg-sunken',
          )}
        >
          {row.after === undefined ? (
            actions
          ) : (
            <LineCell line={row.after} side="after" context={context} numbers="own" actions={actions} />
          )}
        </div>
      </div>
    );
  const line = row.after ?? row.before;
  return line === undefined ? undefined : (
    <LineCell
      line={line}
      side={row.after === undefined ? 'before' : 'after'}
      context={context}
      numbers={layout === 'plain' ? 'own' : 'both'}
      actions={actions}
    />
  );
}

/** The buttons of a hunk, at the end of its first line. */
function HunkActions({
  hunk,
  onComment,
  onRevert,
}: {
  readonly hunk: Hunk;
  readonly onComment: DiffListProps['onComment'];
  readonly onRevert: DiffListProps['onRevert'];
}) {
  const span = hunk.after ?? hunk.before;
  if (span === undefined || (onComment === undefined && onRevert === undefined)) return undefined;
  return (
    <span className="absolute end-1 top-0 z-1 flex rounded-lg border border-line bg-raised font-sans opacity-60 shadow-sm group-hover/line:opacity-100 focus-within:opacity-100 hover:opacity-100 touch:hidden">
      {onComment !== undefined && (
        <IconButton
          size="small"
          className="h-5 w-6"
          label={workspaceText.changes.comment}
          onClick={() => onComment(span)}
        >
          <MessageSquarePlus className="size-3.5" aria-hidden />
        </IconButton>
      )}
      {onRevert !== undefined && (
        <IconButton
          size="small"
          className="h-5 w-6"
          label={workspaceText.changes.revertHunk}
          onClick={() => onRevert(span, 'hunk')}
        >
          <Undo2 className="size-3.5" aria-hidden />
        </IconButton>
      )}
    </span>
  );
}

const FOLD_BUTTON = 'flex items-center gap-1 rounded px-1.5 hover:bg-hover hover:text-text touch:min-h-9';

function Fold({
  row,
  onOpen,
}: {
  readonly row: Extract<DiffRow, { kind: 'fold' }>;
  readonly onOpen: RowProps['onOpen'];
}) {
  const isLong = row.count > FOLD_STEP;
  return (
    <div className="flex items-center gap-2 bg-sunken px-3 py-0.5 font-sans text-xs text-muted">
      {isLong && !row.isFirst && (
        <button
          type="button"
          className={FOLD_BUTTON}
          onClick={() => onOpen(row.fold, (before) => ({ ...before, top: before.top + FOLD_STEP }))}
        >
          <ChevronDown className="size-3.5" aria-hidden />
          <span className="max-sm:sr-only">{workspaceText.changes.moreBelow(FOLD_STEP)}</span>
        </button>
      )}
      <button
        type="button"
        className={FOLD_BUTTON}
        onClick={() => onOpen(row.fold, (before) => ({ ...before, top: before.top + row.count }))}
      >
        <UnfoldVertical className="size-3.5" aria-hidden />
        {workspaceText.changes.allUnchanged(row.count)}
      </button>
      {isLong && !row.isLast && (
        <button
          type="button"
          className={FOLD_BUTTON}
          onClick={() => onOpen(row.fold, (before) => ({ ...before, bottom: before.bottom + FOLD_STEP }))}
        >
          <ChevronUp className="size-3.5" aria-hidden />
          <span className="max-sm:sr-only">{workspaceText.changes.moreAbove(FOLD_STEP)}</span>
        </button>
      )}
    </div>
  );
}
