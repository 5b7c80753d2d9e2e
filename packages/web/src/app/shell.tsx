import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { MessagesSquare, Settings, SquareTerminal } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Attention } from '../attention/attention.tsx';
import { followDeletions } from '../board/delete-session.ts';
import { ConnectionLine } from '../connection/connection-line.tsx';
import { AccessRequestsOf } from '../grants/access-requests-of.tsx';
import { useHosts, useLinks } from '../live/use-hosts.ts';
import { PaletteHost } from '../palette/palette-host.tsx';
import { text } from '../text/text.ts';
import { PhoneSwipes } from './phone-swipes.tsx';
import { Sidebar } from './sidebar.tsx';

/** The frame around all views: the list of sessions on a wide screen, a tab bar on a phone. */
export function Shell() {
  const links = useLinks();
  const hosts = useHosts();
  const content = useRef<HTMLElement>(null);
  useEffect(() => followDeletions(hosts), [hosts]);
  return (
    <div className="flex h-dvh flex-col pt-[env(safe-area-inset-top)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-lg focus:bg-raised focus:p-2"
      >
        {text.app.skipToContent}
      </a>
      {links.map((link) => (
        <ConnectionLine key={link.address.id} link={link} />
      ))}
      {links.map((link) => (
        <AccessRequestsOf key={link.address.id} link={link} />
      ))}
      <div className="flex min-h-0 flex-1">
        <Sidebar />
        <main
          ref={content}
          id="content"
          tabIndex={-1}
          className="flex min-w-0 flex-1 flex-col bg-surface outline-none"
        >
          <Outlet />
        </main>
      </div>
      <TabBar />
      <PhoneSwipes content={content} />
      <PaletteHost />
      <Attention />
    </div>
  );
}

const TAB =
  'flex min-h-12 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-muted data-[status=active]:text-accent';

/** A session has the whole screen of a phone: the composer takes the place of the tab bar. */
function TabBar() {
  const isHidden = useRouterState({ select: ({ location }) => location.pathname.startsWith('/s/') });
  if (isHidden) return undefined;
  return (
    <nav
      aria-label={text.app.views}
      className="flex border-t border-line bg-canvas pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <Link to="/" className={TAB} activeOptions={{ exact: true }}>
        <MessagesSquare className="size-5" aria-hidden />
        {text.app.sessions}
      </Link>
      <Link to="/terminals" className={TAB}>
        <SquareTerminal className="size-5" aria-hidden />
        {text.app.terminals}
      </Link>
      <Link to="/settings/{-$section}" className={TAB}>
        <Settings className="size-5" aria-hidden />
        {text.app.settings}
      </Link>
    </nav>
  );
}
