import { createElement, type ReactNode } from 'react';
import type { Components } from 'streamdown';
import { defaultRemarkPlugins, Streamdown } from 'streamdown';
import { visibleText } from '../../text/visible-text.ts';
import { BlockCode, InlineCode } from './code.tsx';
import { ImagePlaceholder } from './image-placeholder.tsx';
import { SafeLink } from './safe-link.tsx';
import { visibleNodes } from './visible-nodes.ts';

/** Props that the renderer passes to the components of elements. */
interface ElementProps {
  /** The element in the parsed Markdown. */
  readonly node?: unknown;
  readonly className?: string | undefined;
  readonly style?: React.CSSProperties | undefined;
  readonly children?: ReactNode;
}

/** An element with our classes and without the renderer's own attributes. */
function styled(tag: string, className: string) {
  // Each block of text has the direction of its own first letter.
  const dir = /^(?:p|h\d|blockquote)$/.test(tag) ? { dir: 'auto' } : {};
  return function Styled({ node: _, className: _own, style: _style, ...rest }: ElementProps) {
    return createElement(tag, { ...dir, ...rest, className });
  };
}

function Table({ children }: ElementProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
    <div tabIndex={0} role="group" className="my-3 overflow-x-auto rounded-lg border border-line">
      <table className="w-full border-collapse text-sm">{children}</table>
    </div>
  );
}

/** A cell of a table, aligned as its column says. */
function cell(tag: 'th' | 'td', className: string) {
  return function Cell({ children, style }: ElementProps) {
    const align = style?.textAlign;
    const side =
      align === 'right' ? 'text-end tabular-nums' : align === 'center' ? 'text-center' : 'text-start';
    return createElement(tag, { dir: 'auto', className: `${className} ${side}` }, children);
  };
}

function ListItem({ children, className }: ElementProps) {
  const isTask = className?.includes('task-list-item') === true;
  return (
    // The margin is on the entry, so that the mark is on the side where its text begins.
    <li dir="auto" className={isTask ? 'my-1 ms-5 list-none' : 'my-1 ms-6 ps-0.5 [ol>&]:ms-7 [&>p]:my-1'}>
      {children}
    </li>
  );
}

function OrderedList({ children, start }: ElementProps & { readonly start?: number | undefined }) {
  return (
    <ol start={start} className="my-2 list-decimal marker:text-muted">
      {children}
    </ol>
  );
}

function TaskBox({ checked }: ElementProps & { readonly checked?: boolean | undefined }) {
  return (
    <input
      type="checkbox"
      checked={checked === true}
      readOnly
      disabled
      aria-label={checked === true ? '☑' : '☐'}
      className="me-2 -ms-5 align-middle accent-accent"
    />
  );
}

/**
 * Headings of an answer are below those of the page and of the message. Only two levels are used, so that levels that agents leave out make no gap.
 */
const COMPONENTS: Components = {
  a: SafeLink,
  img: ImagePlaceholder,
  code: BlockCode,
  inlineCode: InlineCode,
  table: Table,
  li: ListItem,
  ol: OrderedList,
  input: TaskBox,
  ul: styled('ul', 'my-2 list-disc marker:text-faint'),
  p: styled('p', 'my-2.5 break-words'),
  h1: styled('h3', 'mt-5 mb-2 text-xl font-semibold text-balance break-words'),
  h2: styled('h3', 'mt-5 mb-2 text-lg font-semibold text-balance break-words'),
  h3: styled('h3', 'mt-4 mb-1.5 text-base font-semibold break-words'),
  h4: styled('h4', 'mt-3 mb-1 font-semibold break-words'),
  h5: styled('h4', 'mt-3 mb-1 text-sm font-semibold break-words'),
  h6: styled('h4', 'mt-3 mb-1 text-sm font-semibold text-muted break-words'),
  blockquote: styled('blockquote', 'my-3 border-s-2 border-line-strong ps-4 text-muted'),
  hr: styled('hr', 'my-5 border-line'),
  strong: styled('strong', 'font-semibold'),
  thead: styled('thead', 'bg-sunken'),
  tbody: styled('tbody', 'divide-y divide-line'),
  tr: styled('tr', 'divide-x divide-line'),
  th: cell('th', 'px-3 py-1.5 font-semibold whitespace-nowrap'),
  td: cell('td', 'px-3 py-1.5 align-top'),
  sup: styled('sup', 'text-xs'),
  sub: styled('sub', 'text-xs'),
};

const REMARK_PLUGINS = Object.values(defaultRemarkPlugins);
/** No plugin that reads HTML: it stays text. */
const REHYPE_PLUGINS = [visibleNodes];

/** The Markdown renderer; see `Markdown`. Loaded on demand. */
export function RichMarkdown({
  text,
  isStreaming,
}: {
  readonly text: string;
  readonly isStreaming: boolean;
}) {
  return (
    <Streamdown
      mode="streaming"
      isAnimating={isStreaming}
      parseIncompleteMarkdown={isStreaming}
      components={COMPONENTS}
      remarkPlugins={REMARK_PLUGINS}
      rehypePlugins={REHYPE_PLUGINS}
      urlTransform={keepUrl}
      controls={false}
      className="space-y-0 [&>*:first-child]:mt-0 [&>*:last-child]:mb-0"
    >
      {visibleText(text)}
    </Streamdown>
  );
}

/** The components decide what happens with an address. */
const keepUrl = (url: string): string => url;
