import { isWithinScope } from '@agenthost/protocol';
import type { HostLink } from './host-link.ts';
import { useLinkStatus } from './use-hosts.ts';

/** Whether this browser's token allows to act in sessions and terminals. A view offers nothing to act without it. */
export function useMayAct(link: HostLink): boolean {
  useLinkStatus(link);
  return isWithinScope(link.client?.scope ?? 'admin', 'interact');
}

/** Whether this browser's token allows to change host settings and tokens. */
export function useIsAdmin(link: HostLink): boolean {
  useLinkStatus(link);
  return isWithinScope(link.client?.scope ?? 'admin', 'admin');
}
