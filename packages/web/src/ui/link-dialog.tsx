import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from './button.tsx';
import { copyText } from './clipboard.ts';
import { Dialog } from './dialog.tsx';

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

/** Shows the whole address of a link before it opens. */
export function LinkDialog({
  url,
  description,
  onClose,
}: {
  readonly url: string;
  /** Says where the link comes from. */
  readonly description: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.ui.openLinkTitle}
      description={description}
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
            {text.ui.openLink}
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
