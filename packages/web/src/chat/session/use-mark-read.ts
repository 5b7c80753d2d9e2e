import type { ChatHandle, DispatchOutcome, SessionHandle } from '@agenthost/client';
import { SessionStatus } from '@agenthost/protocol';
import { useEffect, useSyncExternalStore } from 'react';
import { useSelected } from '../../live/use-live.ts';

/** A page that is shown shorter than this has not been read. Milliseconds. */
const READ_AFTER_MS = 400;

const subscribe = (listener: () => void): (() => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

/** Whether the page is visible now. */
export const useIsVisible = (): boolean =>
  useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');

/** Marks a session as read while the page is visible. */
export function useMarkRead(session: SessionHandle, isOff: boolean): void {
  const isRead = useSelected(session.mirror, ({ status }) => (status & SessionStatus.IsRead) !== 0);
  useMarking(!isRead && !isOff, () => session.setRead(true));
}

/** Marks a chat as read while the page is visible. */
export function useMarkChatRead(chat: ChatHandle, isOff: boolean): void {
  const isRead = useSelected(chat.mirror, ({ status }) => (status & SessionStatus.IsRead) !== 0);
  useMarking(!isRead && !isOff, () => chat.setRead(true));
}

function useMarking(isDue: boolean, mark: () => Promise<DispatchOutcome>): void {
  const isVisible = useIsVisible();
  useEffect(() => {
    if (!isDue || !isVisible) return undefined;
    const timer = setTimeout(() => {
      // A rejection leaves it unread, which is no harm.
      mark().catch(() => undefined);
    }, READ_AFTER_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `mark` is a new function in each render
  }, [isDue, isVisible]);
}
