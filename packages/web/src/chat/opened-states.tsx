import { RpcError } from '@agenthost/client';
import { ErrorCodes } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { messageOf } from '../live/host-link.ts';
import type { Live } from '../live/use-live.ts';
import { text } from '../text/text.ts';
import { EmptyState, FailedState, Spinner } from '../ui/states.tsx';

/** A spinner while a session or chat opens, the reason when it failed, and `children` once it is open. */
export function OpenedStates<T>({
  opened,
  children,
}: {
  readonly opened: Live<T>;
  readonly children: (value: T) => ReactNode;
}) {
  switch (opened.state) {
    case 'opening':
      return (
        <div className="flex flex-1 items-center justify-center">
          <Spinner label={text.chat.loading} className="size-6" />
        </div>
      );
    case 'failed':
      if (isMissing(opened.error))
        return <NoSession title={text.chat.missingTitle} reason={text.chat.missing} />;
      return (
        <div className="flex flex-1 items-center">
          <FailedState
            title={text.chat.failedTitle}
            reason={messageOf(opened.error)}
            onRetry={opened.retry}
          />
        </div>
      );
    case 'open':
      return children(opened.value);
    default:
      return opened satisfies never;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof RpcError &&
  (error.code === ErrorCodes.SessionNotFound || error.code === ErrorCodes.NotFound);

/** Says that the host does not have a session, with a link to the others. */
export function NoSession({ title, reason }: { readonly title: string; readonly reason: string }) {
  return (
    <div className="flex flex-1 items-center">
      <EmptyState
        title={title}
        action={
          <Link to="/" className="text-accent underline">
            {text.chat.lostAction}
          </Link>
        }
      >
        {reason}
      </EmptyState>
    </div>
  );
}
