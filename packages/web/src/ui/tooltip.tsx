import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

/** Delay before a tooltip, in milliseconds. */
const DELAY_MS = 400;

/** Must be around all tooltips. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return <Radix.Provider delayDuration={DELAY_MS}>{children}</Radix.Provider>;
}

/** A short explanation of an element (`children`, one element), shown on hover and on keyboard focus. */
export function Tooltip({ label, children }: { readonly label: ReactNode; readonly children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-72 rounded-lg bg-text px-2.5 py-1.5 text-xs text-surface shadow-lg"
        >
          {label}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
