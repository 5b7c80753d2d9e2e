import type { ReactNode } from 'react';
import { useIsCodeFenceIncomplete } from 'streamdown';
import { CodeBlock } from '../code/code-block.tsx';

interface CodeProps {
  /** The element in the parsed Markdown. */
  readonly node?: unknown;
  readonly className?: string | undefined;
  readonly children?: ReactNode;
}

const textIn = (children: ReactNode): string =>
  typeof children === 'string' ? children : Array.isArray(children) ? children.map(textIn).join('') : '';

/** A fenced or indented block of code in Markdown. */
export function BlockCode({ className, children }: CodeProps) {
  const isIncomplete = useIsCodeFenceIncomplete();
  const language = /language-([^\s]+)/.exec(className ?? '')?.[1] ?? '';
  return (
    <CodeBlock
      className="my-3"
      code={textIn(children).replace(/\n$/, '')}
      language={language}
      isStreaming={isIncomplete}
    />
  );
}

/** Code inside a sentence. */
export function InlineCode({ children }: CodeProps) {
  return (
    <code
      dir="ltr"
      className="rounded-md bg-sunken px-1.5 py-0.5 font-mono text-[0.875em] break-words dark:bg-hover"
    >
      {children}
    </code>
  );
}
