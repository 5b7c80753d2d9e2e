import { createContext, use, useSyncExternalStore } from 'react';
import type { HostLink, LinkStatus } from './host-link.ts';
import type { Hosts } from './hosts.ts';

const HostsContext = createContext<Hosts | undefined>(undefined);

/** Gives all hosts of the page to the components inside. */
export const HostsProvider = HostsContext.Provider;

/** All hosts of the page. */
export function useHosts(): Hosts {
  const hosts = use(HostsContext);
  if (hosts === undefined) throw new Error('useHosts needs a HostsProvider around it');
  return hosts;
}

/** The links of all hosts; renders again when a host is added or removed. */
export function useLinks(): readonly HostLink[] {
  const hosts = useHosts();
  return useSyncExternalStore(hosts.onChange, () => hosts.links);
}

/** The link of a host by its id; absent or unknown: the host that served the page. */
export function useLink(id: string | undefined): HostLink {
  useLinks();
  return useHosts().link(id);
}

/** The connection of a host; renders again when it changes. */
export function useLinkStatus(link: HostLink): LinkStatus {
  return useSyncExternalStore(link.onChange, () => link.status);
}
