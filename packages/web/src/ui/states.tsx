import { LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from './button.tsx';
import { classes } from './class-names.ts';

/** A spinner with a name for screen readers. */
export function Spinner({
  label = text.ui.loading,
  className,
}: {
  readonly label?: string;
  readonly className?: string;
}) {
  return (
    <span role="status" className="inline-flex">
      <LoaderCircle className={classes('size-4 animate-spin text-muted', className)} aria-hidden />
      <span className="sr-only">{label}</span>
    </span>
  );
}

/** Shown in an empty view: what belongs there, and how to add it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-3 px-6 py-12 text-center">
      {icon !== undefined && <div className="text-faint">{icon}</div>}
      <h2 className="text-base font-semibold">{title}</h2>
      {children !== undefined && <div className="text-sm text-muted">{children}</div>}
      {action}
    </div>
  );
}

/** What failed, the reason, and a button that tries again. */
export function FailedState({
  title,
  reason,
  onRetry,
}: {
  readonly title: string;
  readonly reason: string;
  readonly onRetry?: (() => void) | undefined;
}) {
  return (
    <div role="alert" className="mx-auto flex max-w-sm flex-col items-center gap-3 px-6 py-12 text-center">
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="text-sm break-words text-muted">{visibleText(reason)}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>{text.ui.tryAgain}</Button>}
    </div>
  );
}
