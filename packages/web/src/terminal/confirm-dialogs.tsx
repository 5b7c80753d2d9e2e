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
