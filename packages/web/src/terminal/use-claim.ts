import type { TerminalHandle } from '@agenthost/client';
import type { TerminalClaim } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';

/** The claim that the host confirmed. The host may refuse a claim of this page, so the page shows it only once it is accepted. */
export const useClaim = ({ mirror }: TerminalHandle): TerminalClaim =>
  useSelected(mirror, () => mirror.confirmed.claim);

/** Whether the host takes input from this page while the program runs: the page holds the terminal, or a session does [TERM-5]. */
export function useMayType(link: HostLink, terminal: TerminalHandle): boolean {
  const claim = useClaim(terminal);
  const mayAct = useMayAct(link);
  return mayAct && (claim.kind === 'session' || claim.clientId === link.client?.clientId);
}
