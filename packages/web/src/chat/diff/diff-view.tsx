import { useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/states.tsx';
import { languageOfPath } from '../code/languages.ts';
import { useHighlight } from '../code/use-highlight.ts';
import { DiffSectionView } from './diff-section.tsx';
import { type ComparedTexts, type Diff, useComparedTexts, useDiff } from './use-diff.ts';
import '../code/code.css';

/** Rows that show at first, and that each press of the button adds. */
const PAGE_LINES = 400;

interface DiffViewProps {
  /** Absent: the file is new. */
  readonly before: string | undefined;
  /** Absent: the file was deleted. */
  readonly after: string | undefined;
  /** Path or name of the file; gives the language. */
  readonly path: string;
  /** Default `unified`. */
  readonly layout?: 'unified' | 'split';
}

/** The difference between two versions of a file, by lines, with the changed words marked. */
export function DiffView({ before, after, path, layout = 'unified' }: DiffViewProps) {
  const texts = useComparedTexts(before, after);
  const diff = useDiff(texts);
  const language = languageOfPath(path) ?? '';
  const oldTokens = useHighlight(texts.before, language);
  const newTokens = useHighlight(texts.after, language);
  const [shownCount, setShownCount] = useState(PAGE_LINES);
  if (diff.state === 'working')
    return (
      <p className="flex items-center gap-2 p-3 text-sm text-muted">
        <Spinner label={text.chat.diffWorking} />
        <span aria-hidden>{text.chat.diffWorking}</span>
      </p>
    );
  const { shown, hiddenCount } = firstLines(diff, shownCount);
  return (
    <div role="group" aria-label={text.chat.diffOf(visibleText(path))} className="min-w-0">
      <Remarks texts={texts} diff={diff} />
      <div
        dir="ltr"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto font-mono text-[0.8125rem] leading-5"
      >
        <div className={layout === 'unified' ? 'w-max min-w-full max-sm:w-full' : 'w-full min-w-160'}>
          {shown.map((section) => (
            <DiffSectionView
              key={`${section.lines[0]?.oldNumber} ${section.lines[0]?.newNumber}`}
              section={section}
              layout={layout}
              oldTokens={oldTokens}
              newTokens={newTokens}
            />
          ))}
        </div>
      </div>
      {hiddenCount > 0 && (
        <Button
          look="ghost"
          size="small"
          className="w-full rounded-none border-t border-line text-muted"
          onClick={() => setShownCount(shownCount + PAGE_LINES)}
        >
          {text.chat.diffMore(Math.min(hiddenCount, PAGE_LINES))}
        </Button>
      )}
      {hiddenCount === 0 && (texts.lacksNewlineAfter || texts.lacksNewlineBefore) && after !== undefined && (
        <p className="border-t border-line px-3 py-1 text-xs text-faint">
          {texts.lacksNewlineAfter === texts.lacksNewlineBefore || before === undefined
            ? text.chat.diffNoNewline
            : `${text.chat.diffNoNewline} (${texts.lacksNewlineAfter ? text.chat.diffAdded : text.chat.diffRemoved})`}
        </p>
      )}
    </div>
  );
}

type ReadyDiff = Extract<Diff, { state: 'ready' }>;

function Remarks({ texts, diff }: { readonly texts: ComparedTexts; readonly diff: ReadyDiff }) {
  const isSame = diff.sections.every(({ lines }) => lines.every(({ kind }) => kind === 'same'));
  return (
    <>
      {diff.isRough && <p className="px-3 py-1.5 text-xs text-muted">{text.chat.diffTooLarge}</p>}
      {texts.endings !== undefined && (
        <p className="px-3 py-1.5 text-xs text-muted">
          {text.chat.diffLineEndings(texts.endings.before, texts.endings.after)}
        </p>
      )}
      {isSame && texts.endings === undefined && texts.lacksNewlineBefore === texts.lacksNewlineAfter && (
        <p className="px-3 py-1.5 text-sm text-muted">{text.chat.diffSame}</p>
      )}
    </>
  );
}

/** The sections up to a number of lines; a fold counts as one. */
function firstLines(diff: ReadyDiff, count: number) {
  const shown: ReadyDiff['sections'][number][] = [];
  let left = count;
  let hiddenCount = 0;
  for (const section of diff.sections) {
    if (left <= 0) {
      hiddenCount += section.kind === 'fold' ? 1 : section.lines.length;
    } else if (section.kind === 'fold') {
      shown.push(section);
      left -= 1;
    } else {
      shown.push(
        section.lines.length <= left ? section : { ...section, lines: section.lines.slice(0, left) },
      );
      hiddenCount += Math.max(0, section.lines.length - left);
      left -= section.lines.length;
    }
  }
  return { shown, hiddenCount };
}
