import { isWithinScope, type URI } from '@agenthost/protocol';
import { useEffect, useReducer } from 'react';
import type { HostLink } from './host-link.ts';
import { useLinkStatus } from './use-hosts.ts';

/** Whether this browser's token allows to act in sessions and terminals. A view offers nothing to act without it. */
export function useMayAct(link: HostLink): boolean {
  useLinkStatus(link);
  return isWithinScope(link.client?.scope ?? 'admin', 'interact');
}

/** Whether this browser may act in one session: by its token, or by a role of its person there. */
export function useMayActIn(link: HostLink, session: URI): boolean {
  useLinkStatus(link);
  const { client } = link;
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => client?.onNotification('x-rolesChanged', renderAgain), [client]);
  return isWithinScope(client?.scopeIn(session) ?? 'admin', 'interact');
}

/** Whether this browser's token allows to change host settings and tokens. */
export function useIsAdmin(link: HostLink): boolean {
  useLinkStatus(link);
  return isWithinScope(link.client?.scope ?? 'admin', 'admin');
}
