import { lazy, memo, Suspense } from 'react';
import { visibleText } from '../../text/visible-text.ts';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';

const load = () => import('./rich-markdown.tsx');

const RichMarkdown = lazy(async () => ({ default: (await load()).RichMarkdown }));

/** Loads the Markdown renderer before it is needed. */
export const preloadMarkdown = (): void => {
  // A failed load is tried again by the first component that needs it.
  load().catch(() => undefined);
};

interface MarkdownProps {
  readonly text: string;
  /** Whether more text will come: open constructs are closed for display. Default false. */
  readonly isStreaming?: boolean;
}

/** Markdown from agents. HTML in it shows as text, links ask before they open, and images stay placeholders until they are clicked. */
export const Markdown = memo(function Markdown({ text, isStreaming = false }: MarkdownProps) {
  const plain = <p className="break-words whitespace-pre-wrap">{visibleText(text)}</p>;
  return (
    // The parser fails at thousands of nested quotes.
    <ErrorBoundary fallback={() => plain}>
      <Suspense fallback={plain}>
        <RichMarkdown text={text} isStreaming={isStreaming} />
      </Suspense>
    </ErrorBoundary>
  );
});
