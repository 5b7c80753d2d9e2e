import { type Automations, openAutomations } from '@agenthost/client';
import type { HostLink } from '../live/host-link.ts';
import { type Live, useOpened } from '../live/use-live.ts';

/** The automations of a host. */
export const useAutomations = (link: HostLink): Live<Automations> =>
  useOpened(link, 'automations', (host) => ({
    open: () => {
      if (host.client === undefined) throw new Error('the host was never connected');
      return openAutomations(host.client);
    },
    close: (automations) => automations.dispose(),
  }));
