import { useNavigate, useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { EdgeSwipe } from './edge-swipe.tsx';

/** Gestures between the board and the session that was shown last. */
export function PhoneSwipes({ content }: { readonly content: RefObject<HTMLElement | null> }) {
  const navigate = useNavigate();
  const { pathname, href } = useRouterState({ select: ({ location }) => location });
  const lastSession = useRef<string>(undefined);
  const isSession = pathname.startsWith('/s/');
  useEffect(() => {
    if (isSession) lastSession.current = href;
  }, [isSession, href]);
  if (isSession || pathname === '/new')
    return <EdgeSwipe edge="start" content={content} onSwipe={() => void navigate({ to: '/' })} />;
  if (pathname !== '/') return undefined;
  return (
    <EdgeSwipe
      edge="end"
      content={content}
      onSwipe={() => {
        if (lastSession.current !== undefined) void navigate({ href: lastSession.current });
      }}
    />
  );
}
