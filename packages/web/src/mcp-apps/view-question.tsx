import { mcpText } from '../text/mcp-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import type { ViewWish } from './view-bridge.ts';

/** An answer: this time, from now on in this view, or no. */
export type ViewAnswer = 'once' | 'view' | 'deny';

interface ViewQuestionProps {
  readonly wish: ViewWish;
  readonly onAnswer: (answer: ViewAnswer) => void;
}

/** Asks whether a view may do something, and shows all of what it would do. */
export function ViewQuestion({ wish, onAnswer }: ViewQuestionProps) {
  const { viewAsks } = mcpText;
  const title = wish.kind === 'tool' ? viewAsks.tool(wish.tool) : viewAsks[wish.kind];
  return (
    <div
      role="group"
      aria-label={visibleText(title)}
      className="flex flex-wrap items-center gap-2 border-b border-line p-3"
    >
      <p className="min-w-0 flex-1 basis-64 text-sm break-words">
        <SafeText>{title}</SafeText>
      </p>
      <Content wish={wish} />
      {wish.kind !== 'context' && (
        <Button size="small" look="primary" onClick={() => onAnswer('once')}>
          {ONCE[wish.kind]}
        </Button>
      )}
      {(wish.kind === 'tool' || wish.kind === 'context') && (
        <Button
          size="small"
          look={wish.kind === 'context' ? 'primary' : 'plain'}
          onClick={() => onAnswer('view')}
        >
          {mcpText.allowInView}
        </Button>
      )}
      <Button size="small" onClick={() => onAnswer('deny')}>
        {mcpText.deny}
      </Button>
    </div>
  );
}

const ONCE = { tool: mcpText.allowOnce, link: mcpText.openLink, message: mcpText.useMessage };

const BOX =
  'max-h-48 w-full overflow-y-auto rounded-lg border border-line bg-sunken px-3 py-2 text-[0.8125rem] wrap-anywhere';

function Content({ wish }: { readonly wish: ViewWish }) {
  if (wish.kind === 'tool') return undefined;
  if (wish.kind === 'link')
    return (
      <code dir="ltr" className={`${BOX} font-mono`}>
        {visibleText(wish.url)}
      </code>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard */}
      <div tabIndex={0} dir="auto" className={`${BOX} whitespace-pre-wrap`}>
        {visibleText(wish.text)}
      </div>
      <p className="w-full text-xs text-muted">
        {wish.kind === 'message' ? mcpText.messageHint : mcpText.contextHint}
      </p>
    </>
  );
}
