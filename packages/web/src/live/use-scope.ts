import { isWithinScope, type TokenScope, type URI } from '@agenthost/protocol';
import { useEffect, useReducer } from 'react';
import type { HostLink } from './host-link.ts';
import { useLinkStatus } from './use-hosts.ts';

/** The scope of this browser's token on the host. */
export function useScope(link: HostLink): TokenScope | undefined {
  useLinkStatus(link);
  return link.client?.scope;
}

/** Whether this browser's token allows to act in sessions and terminals. A view offers nothing to act without it. */
export function useMayAct(link: HostLink): boolean {
  return isWithinScope(useScope(link) ?? 'admin', 'interact');
}

/** Whether this browser may act in one session: by its token, or by a role of its person there. */
export function useMayActIn(link: HostLink, session: URI): boolean {
  useLinkStatus(link);
  const { client } = link;
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => client?.onNotification('x-rolesChanged', renderAgain), [client]);
  return isWithinScope(client?.rights.scopeIn(session) ?? 'admin', 'interact');
}

/** Whether this browser's token allows to change host settings and tokens. */
export function useIsAdmin(link: HostLink): boolean {
  return isWithinScope(useScope(link) ?? 'admin', 'admin');
}
