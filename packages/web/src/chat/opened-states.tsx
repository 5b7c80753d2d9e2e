import type { ReactNode } from 'react';
import { messageOf } from '../live/host-link.ts';
import type { Live } from '../live/use-live.ts';
import { text } from '../text/text.ts';
import { FailedState, Spinner } from '../ui/states.tsx';

/** What stands for a session or chat while it opens or after that failed, and `children` once it is open. */
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
