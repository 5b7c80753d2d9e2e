import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type BoardSession, hostParam } from '../board/board-session.ts';
import { titleOf } from '../board/session-actions.ts';
import { text } from '../text/text.ts';
import { showToast } from '../ui/toasts.tsx';
import { keysOf, newlyAsking } from './asking-sessions.ts';
import { useShownSession } from './shown-session.ts';

const LIFETIME_MS = 8_000;

/** Delay before a toast: a session that was just started may ask before the page shows it. Milliseconds. */
const DELAY_MS = 1_000;

/** Shows a toast when a session starts to wait for an answer, unless the page is hidden or shows this session. `isReady`: all sessions are known. */
export function useAskToasts(asking: readonly BoardSession[], isReady: boolean): void {
  const navigate = useNavigate();
  const shown = useShownSession();
  const before = useRef<ReadonlySet<string> | undefined>(undefined);
  const latest = useRef({ asking, shown });
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => {
    latest.current = { asking, shown };
  });
  useEffect(() => {
    const pending = timers.current;
    return () => pending.forEach(clearTimeout);
  }, []);
  useEffect(() => {
    if (!isReady) return;
    const known = before.current;
    before.current = keysOf(asking);
    // What waited when the page opened is on the board.
    if (known === undefined || document.visibilityState !== 'visible') return;
    const tell = ({ key }: BoardSession): void => {
      const session = latest.current.asking.find((each) => each.key === key);
      if (session === undefined || latest.current.shown === key) return;
      const { link, summary } = session;
      showToast({
        message: text.attention.needsAnswer(titleOf(session)),
        lifetimeMs: LIFETIME_MS,
        action: {
          label: text.attention.open,
          run: () =>
            void navigate({
              to: '/s/$session',
              params: { session: summary.resource },
              search: { host: hostParam(link) },
            }),
        },
      });
    };
    for (const session of newlyAsking(asking, known, shown)) {
      const timer = setTimeout(() => {
        timers.current.delete(timer);
        tell(session);
      }, DELAY_MS);
      timers.current.add(timer);
    }
  }, [asking, isReady, shown, navigate]);
}
