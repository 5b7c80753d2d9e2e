import { FoldVertical, UnfoldVertical } from 'lucide-react';
import { memo, useState } from 'react';
import { text } from '../../text/text.ts';
import { classes } from '../../ui/class-names.ts';
import type { CodeLine } from '../code/code-messages.ts';
import { type DiffLine, type DiffSection, splitRows } from './diff-model.ts';
import { MarkedText } from './marked-text.tsx';

type Tokens = readonly (CodeLine | undefined)[];

interface DiffSectionProps {
  readonly section: DiffSection;
  readonly layout: 'unified' | 'split';
  readonly oldTokens: Tokens;
  readonly newTokens: Tokens;
}

/** A part of a diff: its lines, below a button that shows and hides them when they are folded. */
export function DiffSectionView({ section, ...rest }: DiffSectionProps) {
  const [isOpen, setOpen] = useState(false);
  if (section.kind !== 'fold') return <Lines lines={section.lines} {...rest} />;
  const Icon = isOpen ? FoldVertical : UnfoldVertical;
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-2 bg-sunken px-3 py-1 font-sans text-xs text-muted hover:bg-hover touch:min-h-11"
      >
        <Icon className="size-3.5" aria-hidden />
        {text.chat.diffUnchanged(section.lines.length)}
      </button>
      {isOpen && <Lines lines={section.lines} {...rest} />}
    </>
  );
}

function Lines({
  lines,
  layout,
  oldTokens,
  newTokens,
}: Omit<DiffSectionProps, 'section'> & { readonly lines: readonly DiffLine[] }) {
  if (layout === 'split')
    return splitRows(lines).map((row) => (
      <div key={`${row.old?.oldNumber} ${row.new?.newNumber}`} className="flex">
        <Half line={row.old} side="old" tokens={oldTokens} />
        <Half line={row.new} side="new" tokens={newTokens} />
      </div>
    ));
  return lines.map((line) => (
    <UnifiedLine
      key={`${line.oldNumber} ${line.newNumber}`}
      line={line}
      tokens={
        line.newNumber === undefined ? oldTokens[(line.oldNumber ?? 1) - 1] : newTokens[line.newNumber - 1]
      }
    />
  ));
}

const COLORS = { same: '', removed: 'bg-removed', added: 'bg-added' } as const;
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;
const NUMBER =
  'w-10 max-sm:w-8 shrink-0 px-1.5 text-end text-xs leading-5 text-faint tabular-nums select-none';

const UnifiedLine = memo(function UnifiedLine({
  line,
  tokens,
}: {
  readonly line: DiffLine;
  readonly tokens: CodeLine | undefined;
}) {
  return (
    <div className={classes('flex', COLORS[line.kind])}>
      {/* A phone has room for one number: that of the new version, if the line is in it. */}
      <span className={classes(NUMBER, line.newNumber !== undefined && 'max-sm:hidden')} aria-hidden>
        {line.oldNumber}
      </span>
      <span className={classes(NUMBER, line.newNumber === undefined && 'max-sm:hidden')} aria-hidden>
        {line.newNumber}
      </span>
      <Sign kind={line.kind} />
      <span className="pe-3 whitespace-pre max-sm:min-w-0 max-sm:whitespace-pre-wrap max-sm:wrap-anywhere">
        <MarkedText line={line} tokens={tokens} />
        {'\n'}
      </span>
    </div>
  );
});

function Half({
  line,
  side,
  tokens,
}: {
  readonly line: DiffLine | undefined;
  readonly side: 'old' | 'new';
  readonly tokens: Tokens;
}) {
  const number = side === 'old' ? line?.oldNumber : line?.newNumber;
  return (
    <div
      className={classes(
        'flex w-1/2 min-w-0',
        side === 'new' && 'border-s border-line',
        line === undefined ? 'bg-sunken' : COLORS[line.kind],
      )}
    >
      <span className={NUMBER} aria-hidden>
        {number}
      </span>
      <Sign kind={line?.kind ?? 'same'} />
      <span className="min-w-0 flex-1 pe-2 break-words whitespace-pre-wrap">
        {line !== undefined && number !== undefined && <MarkedText line={line} tokens={tokens[number - 1]} />}
      </span>
    </div>
  );
}

function Sign({ kind }: { readonly kind: DiffLine['kind'] }) {
  return (
    <span
      className={classes(
        'w-4 shrink-0 text-center select-none',
        kind === 'added' ? 'text-ok' : kind === 'removed' ? 'text-danger' : undefined,
      )}
    >
      {SIGNS[kind]}
    </span>
  );
}
