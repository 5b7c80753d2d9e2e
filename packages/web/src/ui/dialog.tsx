import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { IconButton } from './button.tsx';
import { classes } from './class-names.ts';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Control and direction characters show as symbols, also those of a description that is a string. */
  readonly title: string;
  /** A sentence below the title. */
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons at the bottom. */
  readonly footer?: ReactNode;
  readonly size?: 'small' | 'large';
}

/** A modal dialog: in the middle of a wide screen, at the bottom of a phone. */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  footer,
  size = 'small',
}: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          onOpenAutoFocus={focusFirstField}
          className={classes(
            'fixed z-50 flex max-h-[90dvh] flex-col border border-line bg-raised shadow-2xl',
            'inset-x-0 bottom-0 rounded-t-2xl pb-[env(safe-area-inset-bottom)]',
            'sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-[calc(100vw-2rem)] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-2xl sm:pb-0',
            size === 'small' ? 'sm:max-w-md' : 'sm:max-w-3xl',
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-base font-semibold">{visibleText(title)}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-1 text-sm text-muted">
                  {typeof description === 'string' ? visibleText(description) : description}
                </Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton label={text.ui.close} size="small">
                <X className="size-4" aria-hidden />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Focuses the first field. Without fields the first button gets the focus; on touch screens too, where a field would open the keyboard. */
function focusFirstField(event: Event): void {
  if (!(event.target instanceof Element) || matchMedia('(pointer: coarse)').matches) return;
  const field = event.target.querySelector<HTMLElement>(FIELDS);
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

const FIELDS = ['input', 'textarea', 'select']
  .map((name) => `${name}:not(:disabled, [type='hidden'], [type='file'])`)
  .join();
