import { type ReactNode, useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { copyText } from '../clipboard.ts';

/** Schemes that a click may open. */
const OPENED = /^(?:https?|mailto):/i;

/** The URL that a link opens; `undefined` when it opens nothing. */
export function openedUrl(href: string | undefined): string | undefined {
  if (href === undefined || !OPENED.test(href)) return undefined;
  try {
    return new URL(href).href;
  } catch {
    return undefined;
  }
}

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
      {isAsking && <LinkDialog url={url} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Asks before a link opens. */
export function LinkDialog({ url, onClose }: { readonly url: string; readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.chat.openLinkTitle}
      description={text.chat.openLinkText}
      footer={
        <>
          <Button onClick={() => void copyText(url)}>{text.ui.copy}</Button>
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            onClick={onClose}
            className="inline-flex h-9 items-center rounded-lg bg-accent px-3.5 text-sm font-medium text-on-accent hover:opacity-90 touch:h-11"
          >
            {text.chat.openLink}
          </a>
        </>
      }
    >
      <p dir="ltr" className="rounded-lg bg-sunken p-3 font-mono text-sm break-all select-all">
        {visibleText(url)}
      </p>
    </Dialog>
  );
}
