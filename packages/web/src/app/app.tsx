import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { troublePage } from '../connection/trouble-page.tsx';
import { Hosts, OWN_HOST } from '../live/hosts.ts';
import { HostsProvider, useLink, useLinkStatus } from '../live/use-hosts.ts';
import { direction, language } from '../text/text.ts';
import { Toasts } from '../ui/toasts.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { clientOptions } from './client-options.ts';
import { hostUrl } from './paths.ts';
import { router } from './router.tsx';

/** The page: its hosts, and the view that the address names. */
export function App() {
  const [hosts] = useState(() => new Hosts(hostUrl('').href, clientOptions));
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = direction;
    hosts.start();
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
