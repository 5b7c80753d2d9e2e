import type { ErrorComponentProps } from '@tanstack/react-router';
import { messageOf } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, FailedState } from '../ui/states.tsx';

/** Shown for an address without a view. */
export function NotFound() {
  return <EmptyState title={text.app.notFoundTitle}>{text.app.notFound}</EmptyState>;
}

/** Shown in place of a view that threw an error. */
export function ViewFailed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="flex flex-col items-center">
      <FailedState title={text.app.crashTitle} reason={text.app.crash(messageOf(error))} onRetry={reset} />
      <Button onClick={() => location.reload()}>{text.app.reload}</Button>
    </div>
  );
}
