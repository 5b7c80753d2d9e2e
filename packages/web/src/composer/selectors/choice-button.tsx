import { ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { visibleText } from '../../text/visible-text.ts';
import { classes } from '../../ui/class-names.ts';

/** A small button that shows a choice and opens its menu. */
export function ChoiceButton({
  name,
  value,
  icon,
  isShort = false,
  ...rest
}: ComponentProps<'button'> & {
  /** Name of the setting. */
  readonly name: string;
  readonly value: string;
  readonly icon?: ReactNode;
  /** The button keeps its width when others become narrower. */
  readonly isShort?: boolean;
}) {
  const shown = visibleText(value);
  return (
    <button
      {...rest}
      type="button"
      aria-label={`${name}: ${shown}`}
      title={`${name}: ${shown}`}
      className={classes(
        'inline-flex h-8 max-w-44 min-w-0 items-center gap-1.5 rounded-lg px-2 text-xs text-muted select-none hover:bg-hover hover:text-text touch:h-11',
        isShort ? 'shrink-0' : 'shrink',
      )}
    >
      <span className="flex max-sm:hidden">{icon}</span>
      <span className="truncate">{shown}</span>
      <ChevronDown className="size-3 shrink-0" aria-hidden />
    </button>
  );
}
