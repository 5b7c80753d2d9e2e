import type { TerminalHandle } from '@agenthost/client';
import type { TerminalClaim } from '@agenthost/protocol';
import { useSelected } from '../live/use-live.ts';

/** The claim that the host confirmed. The host may refuse a claim of this page, so the page shows it only once it is accepted. */
export const useClaim = ({ mirror }: TerminalHandle): TerminalClaim =>
  useSelected(mirror, () => mirror.confirmed.claim);
