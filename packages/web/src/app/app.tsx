import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { troublePage } from '../connection/trouble-page.tsx';
import { Hosts, OWN_HOST } from '../live/hosts.ts';
import { HostsProvider, useLink, useLinkStatus } from '../live/use-hosts.ts';
import { followSignOut } from '../sign-in/sign-in-state.ts';
import { direction, language } from '../text/text.ts';
import { Toasts } from '../ui/toasts.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { linkParts } from './client-options.ts';
import type { PageLife } from './page-life.ts';
import { hostUrl } from './paths.ts';
import { router } from './router.tsx';
import { watchNetwork } from './watch-network.ts';

/** The page: its hosts, and the view that the address names. */
export function App({ life }: { readonly life: PageLife }) {
  const [hosts] = useState(() => new Hosts(hostUrl('').href, linkParts(life)));
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = direction;
    hosts.start();
    const stopWatching = watchNetwork((withinMs) => hosts.checkNow(withinMs));
    const stopFollowing = followSignOut(hosts);
    return () => {
      stopWatching();
      stopFollowing();
    };
  }, [hosts]);
  return (
    <HostsProvider value={hosts}>
      <TooltipProvider>
        <Content />
        <Toasts />
      </TooltipProvider>
    </HostsProvider>
  );
}

function Content() {
  const link = useLink(OWN_HOST);
  const status = useLinkStatus(link);
  return troublePage(link, status) ?? <RouterProvider router={router} />;
}
