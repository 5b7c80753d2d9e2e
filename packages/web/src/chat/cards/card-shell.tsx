import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { classes } from '../../ui/class-names.ts';
import { releaseEnd } from '../../ui/use-sticky-end.ts';

interface CardShellProps {
  readonly icon: ReactNode;
  readonly title: ReactNode;
  /** The title in full, for long ones. */
  readonly tooltip?: string | undefined;
  /** Short facts before the state. */
  readonly facts?: ReactNode;
  readonly state?: ReactNode;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
  /** Shown also while the card is closed. */
  readonly always?: ReactNode;
  readonly children?: ReactNode;
  /** Whether the card stands out because it waits for a person. */
  readonly isWaiting?: boolean;
}

/** A card in a transcript: one line, and content that the line opens. */
export function CardShell(props: CardShellProps) {
  const { icon, title, tooltip, facts, state, isOpen, onToggle, always, children, isWaiting = false } = props;
  const id = useId();
  const hasContent = isOpen || always !== undefined;
  return (
    <div
      className={classes(
        'overflow-hidden rounded-xl border',
        hasContent && 'my-1 bg-surface',
        isWaiting ? 'border-accent' : hasContent ? 'border-line' : 'border-transparent',
      )}
    >
      <button
        type="button"
        data-card
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        title={tooltip}
        onClick={({ currentTarget }) => {
          // Opened content grows downwards.
          releaseEnd(currentTarget);
          onToggle(!isOpen);
        }}
        className="flex min-h-9 w-full items-center gap-2 px-3 py-1.5 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2 touch:min-h-11"
      >
        <span className="flex size-4 shrink-0 items-center justify-center text-muted">{icon}</span>
        <span className="min-w-0 flex-1 truncate">{title}</span>
        {facts !== undefined && (
          <span className="flex shrink-0 items-center gap-2 text-xs text-muted">{facts}</span>
        )}
        {state}
        <ChevronRight
          className={classes(
            'size-3.5 shrink-0 text-faint transition-transform rtl:-scale-x-100',
            isOpen && 'rotate-90 rtl:scale-x-100',
          )}
          aria-hidden
        />
      </button>
      {always !== undefined && <div className="border-t border-line">{always}</div>}
      {isOpen && children !== undefined && (
        <div id={id} className="flex flex-col gap-3 border-t border-line p-3">
          {children}
        </div>
      )}
    </div>
  );
}
