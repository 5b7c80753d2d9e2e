import type { ReactNode } from 'react';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  action,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly children: ReactNode;
  /** Text of the button that does it. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={children}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button
            look="danger"
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {action}
          </Button>
        </>
      }
    />
  );
}
