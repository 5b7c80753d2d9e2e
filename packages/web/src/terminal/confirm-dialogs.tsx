import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Asks before several lines are pasted into a program that may run each of them. */
export function PasteDialog({
  pasted,
  onPaste,
  onClose,
}: {
  readonly pasted: string | undefined;
  readonly onPaste: (pasted: string) => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen={pasted !== undefined}
      onClose={onClose}
      title={text.terminal.pasteTitle}
      description={text.terminal.pasteText}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button look="primary" onClick={() => pasted !== undefined && onPaste(pasted)}>
            {text.terminal.paste}
          </Button>
        </>
      }
    >
      <pre className="max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
        {visibleText(pasted ?? '')}
      </pre>
    </Dialog>
  );
}

/** Shows the whole address of a link before it is opened. */
export function LinkDialog({
  url,
  onClose,
}: {
  readonly url: string | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen={url !== undefined}
      onClose={onClose}
      title={text.terminal.linkTitle}
      description={text.terminal.linkText}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            onClick={onClose}
            className="inline-flex h-9 items-center rounded-lg bg-accent px-3.5 text-sm font-medium text-on-accent touch:h-11"
          >
            {text.terminal.openLink}
          </a>
        </>
      }
    >
      <p className="font-mono text-sm [overflow-wrap:anywhere]" dir="ltr">
        {visibleText(url ?? '')}
      </p>
    </Dialog>
  );
}

/** Whether an address of a link may be offered. Punycode shows look-alike names; a script is no address. */
export function offeredUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { href, protocol } = new URL(url);
  return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
}
