import { Brain, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { durationText } from '../../text/format.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { classes } from '../../ui/class-names.ts';
import { releaseEnd } from '../../ui/use-sticky-end.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { useIsStreaming } from './use-part.ts';

/** Characters of running reasoning that the folded form shows. */
const PREVIEW_LENGTH = 160;

interface ReasoningProps {
  readonly turnId: string;
  readonly index: number;
  readonly content: string;
}

/** Reasoning of the model: folded, with a running line of its end while it streams. */
export function Reasoning({ turnId, index, content }: ReasoningProps) {
  const [isOpen, setOpen] = useState(false);
  const isStreaming = useIsStreaming(turnId, index);
  const durationMs = useDuration(isStreaming);
  const label = isStreaming
    ? text.chat.thinking
    : durationMs === undefined
      ? text.chat.thought
      : text.chat.thoughtFor(durationText(durationMs));
  return (
    <div className="py-0.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={({ currentTarget }) => {
          releaseEnd(currentTarget);
          setOpen(!isOpen);
        }}
        className="flex max-w-full items-center gap-1.5 rounded-md py-1 text-start text-sm text-muted hover:text-text touch:min-h-11"
      >
        <Brain className="size-4 shrink-0" aria-hidden />
        <span className="shrink-0">{label}</span>
        {isStreaming && !isOpen && (
          <span className="min-w-0 truncate text-faint" aria-hidden>
            {lastLine(content)}
          </span>
        )}
        <ChevronRight
          className={classes('size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')}
          aria-hidden
        />
      </button>
      {isOpen && (
        <div className="ms-2 border-s-2 border-line ps-3 text-sm text-muted">
          <Markdown text={content} isStreaming={isStreaming} />
        </div>
      )}
    </div>
  );
}

const lastLine = (content: string): string =>
  visibleText(
    content
      .slice(-PREVIEW_LENGTH)
      .split('\n')
      .findLast((line) => line.trim() !== '') ?? '',
  );

/** The duration of something whose start this component has seen; `undefined` otherwise. */
function useDuration(isRunning: boolean): number | undefined {
  const startedAt = useRef<number | undefined>(undefined);
  const [durationMs, setDuration] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (isRunning) startedAt.current ??= performance.now();
    else if (startedAt.current !== undefined) setDuration(performance.now() - startedAt.current);
  }, [isRunning]);
  return durationMs;
}
