import { useEffect, useState } from 'react';
import { oauthText } from '../text/oauth-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { EmptyState, Spinner } from '../ui/states.tsx';
import { passReturned, readReturned } from './redirects.ts';

/** How long another tab may take to answer, in milliseconds. A tab in the background may be slow. */
const PATIENCE_MS = 5_000;

/** The page that authorization servers return to: gives the code to the tab that waits for it. */
export function SignedInView() {
  const [returned] = useState(() => readReturned(location.search));
  const [isTaken, setTaken] = useState<boolean>();
  useEffect(() => {
    // A code works once, and belongs in no history.
    history.replaceState(history.state, '', location.pathname);
    if (returned === undefined) return setTaken(false);
    let isGone = false;
    void passReturned(returned, PATIENCE_MS).then((taken) => {
      if (!isGone) setTaken(taken);
    });
    return () => {
      isGone = true;
    };
  }, [returned]);
  if (isTaken === undefined)
    return (
      <div className="flex flex-1 items-center justify-center">
        <Spinner />
      </div>
    );
  return (
    <EmptyState title={oauthText.backTitle}>
      <p role="status">
        {!isTaken
          ? oauthText.backLost
          : returned?.error === undefined
            ? oauthText.back
            : oauthText.backRefused(visibleText(returned.error))}
      </p>
    </EmptyState>
  );
}
