import type { SessionSummary } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { OWN_HOST } from '../live/hosts.ts';

/** A session of one of the page's hosts. The same object as long as summary and agent stay the same. */
export interface BoardSession {
  /** Unique among all hosts. */
  readonly key: string;
  readonly link: HostLink;
  readonly summary: SessionSummary;
  /** Name of its agent, for people. */
  readonly agentName: string;
}

/** The key of a session of a host. */
export const sessionKey = (link: HostLink, session: string): string => `${link.address.id} ${session}`;

/** The `host` in the address of a view; absent for the host that served the page. */
export const hostParam = (link: HostLink): string | undefined =>
  link.address.id === OWN_HOST ? undefined : link.address.id;
