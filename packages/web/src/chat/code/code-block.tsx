import { Check, Copy, WrapText } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { tryCopy } from '../../ui/clipboard.ts';
import { releaseEnd } from '../../ui/use-sticky-end.ts';
import { CodeLines } from './code-lines.tsx';
import { useHighlight } from './use-highlight.ts';
import './code.css';

/** Longer blocks are folded. Lines. */
const FOLD_LINES = 40;

interface CodeBlockProps {
  readonly code: string;
  /** Name of the language; empty: none. */
  readonly language: string;
  readonly isStreaming?: boolean;
  readonly className?: string;
  /** Shown instead of the language. */
  readonly label?: string;
  /** Longer code is folded. Default 40 lines. */
  readonly foldLines?: number;
  /** Which part of folded code shows. Default `start`; code that streams always shows its end. */
  readonly foldsTo?: 'start' | 'end' | undefined;
}

/** A block of code: colours, language, copy and wrap buttons. Long ones are folded; one that streams shows its end. */
export function CodeBlock(props: CodeBlockProps) {
  const { code, language, isStreaming = false, className, label, foldLines = FOLD_LINES, foldsTo } = props;
  const [isWrapped, setWrapped] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const shown = useMemo(() => visibleText(code), [code]);
  const lines = useMemo(() => shown.split('\n'), [shown]);
  const tokens = useHighlight(shown, language, isStreaming);
  const isLong = lines.length > foldLines;
  const isFolded = isLong && !isOpen;
  const showsEnd = isStreaming || foldsTo === 'end';
  const first = isFolded && showsEnd ? lines.length - foldLines : 0;
  const visible = isFolded ? lines.slice(first, first + foldLines) : lines;
  return (
    <figure className={classes('overflow-hidden rounded-xl border border-line bg-canvas', className)}>
      <figcaption className="flex items-center gap-0.5 border-b border-line py-0.5 ps-3 pe-1">
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">
          {visibleText(label ?? (language || text.chat.plainText))}
        </span>
        <IconButton
          size="small"
          label={text.chat.wrapLines}
          aria-pressed={isWrapped}
          onClick={() => setWrapped(!isWrapped)}
        >
          <WrapText className={classes('size-3.5', isWrapped && 'text-accent')} aria-hidden />
        </IconButton>
        <CopyButton content={code} />
      </figcaption>
      <pre
        dir="ltr"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className={classes(
          'overflow-x-auto px-3 py-2.5 font-mono text-[0.8125rem] leading-5',
          isWrapped && 'break-words whitespace-pre-wrap',
        )}
      >
        <code>
          <CodeLines lines={visible} tokens={tokens} first={first} />
        </code>
      </pre>
      {isLong && (
        <Button
          look="ghost"
          size="small"
          aria-expanded={isOpen}
          className="w-full rounded-none border-t border-line text-muted"
          onClick={({ currentTarget }) => {
            releaseEnd(currentTarget);
            setOpen(!isOpen);
          }}
        >
          {isOpen ? text.chat.showFewerLines : text.chat.showAllLines(lines.length)}
        </Button>
      )}
    </figure>
  );
}

function CopyButton({ content }: { readonly content: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      size="small"
      label={isCopied ? text.ui.copied : text.chat.copyCode}
      onClick={() => void tryCopy(content).then(setCopied)}
    >
      {isCopied ? (
        <Check className="size-3.5 text-ok" aria-hidden />
      ) : (
        <Copy className="size-3.5" aria-hidden />
      )}
    </IconButton>
  );
}
