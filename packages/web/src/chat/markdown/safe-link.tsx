import { type ReactNode, useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { LinkDialog, openedUrl } from '../../ui/link-dialog.tsx';

interface SafeLinkProps {
  /** The element in the parsed Markdown. */
  readonly node?: unknown;
  readonly href?: string | undefined;
  readonly children?: ReactNode;
}

/** A link from an agent: it opens after a confirmation that shows the whole address. Other schemes and relative addresses are text. */
export function SafeLink({ href, children }: SafeLinkProps) {
  const [isAsking, setAsking] = useState(false);
  const url = openedUrl(href);
  if (url === undefined)
    return (
      <span
        className="underline decoration-dotted"
        title={href === undefined ? undefined : visibleText(href)}
      >
        {children}
      </span>
    );
  return (
    <>
      <a
        href={url}
        rel="noopener noreferrer"
        target="_blank"
        title={url}
        className="break-words text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
        onClick={(event) => {
          event.preventDefault();
          setAsking(true);
        }}
        onAuxClick={(event) => {
          event.preventDefault();
          setAsking(true);
        }}
      >
        {children}
      </a>
      {isAsking && (
        <LinkDialog url={url} description={text.chat.openLinkText} onClose={() => setAsking(false)} />
      )}
    </>
  );
}
