import type { DispatchOutcome, TerminalHandle } from '@agenthost/client';
import type { PresentClient, TerminalClaim, TerminalSessionClaim, URI } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { clientName } from '../presence/client-name.ts';
import { text } from '../text/text.ts';
import { showError } from '../ui/toasts.tsx';

/**
 * Every terminal has a holder [TERM-5]. A client that gives a terminal back hands it to this client, which never connects, so that anyone can take it.
 * The command line uses the same id.
 */
const nobodyOf = (uri: URI): string => `agenthost-nobody-${uri.slice(uri.lastIndexOf('/') + 1)}`;

/** Who holds a terminal, as this page shows it. */
export type ShownHolder =
  | { readonly kind: 'me' | 'nobody' }
  | { readonly kind: 'client'; readonly clientId: string; readonly name: string; readonly isPresent: boolean }
  | { readonly kind: 'session'; readonly session: URI; readonly chat: URI; readonly isInUse: boolean };

/** Describes the holder of a terminal. */
export function shownHolder(
  uri: URI,
  claim: TerminalClaim,
  ownClientId: string | undefined,
  clients: readonly PresentClient[],
): ShownHolder {
  if (claim.kind === 'session') {
    const { session, chat, turnId, toolCallId } = claim;
    return { kind: 'session', session, chat, isInUse: turnId !== undefined || toolCallId !== undefined };
  }
  const { clientId } = claim;
  if (clientId === ownClientId) return { kind: 'me' };
  if (clientId === nobodyOf(uri)) return { kind: 'nobody' };
  const present = clients.find((client) => client.clientId === clientId);
  return {
    kind: 'client',
    clientId,
    name: present === undefined ? text.terminal.unknownClient : clientName(present, ownClientId),
    // Without a list of clients, the host decides.
    isPresent: present !== undefined,
  };
}

/** The sessions that terminals were taken from by this page, to give them back. */
const takenFrom = new WeakMap<TerminalHandle, TerminalSessionClaim>();

/** Takes a terminal for this page. Resolves with whether the host agreed; a refusal is shown. */
export async function take(link: HostLink, terminal: TerminalHandle): Promise<boolean> {
  const { claim } = terminal.state;
  const isHeldByNobody = claim.kind === 'client' && claim.clientId === nobodyOf(terminal.uri);
  const isTaken = isAccepted(
    isHeldByNobody ? await takeFromNobody(link, terminal) : await terminal.claim('me'),
  );
  if (isTaken && claim.kind === 'session') takenFrom.set(terminal, claim);
  return isTaken;
}

/**
 * For a while after its start a host counts every client as connected, also one that never connects. The page therefore connects as this client and
 * hands the terminal to itself.
 */
async function takeFromNobody(link: HostLink, terminal: TerminalHandle): Promise<DispatchOutcome> {
  const own = await terminal.claim('me');
  const { client } = link;
  if (own.outcome !== 'rejected' || own.code !== 'alreadyClaimed' || client === undefined) return own;
  const nobody = await link.connectAs(nobodyOf(terminal.uri));
  try {
    const claim = { kind: 'client' as const, clientId: client.clientId };
    return await nobody.dispatch(terminal.uri, { type: 'terminal/claimed', claim });
  } finally {
    nobody.close();
  }
}

/** Gives a terminal back to the session that it was taken from; without one, to nobody. A refusal is shown. */
export async function giveBack(terminal: TerminalHandle): Promise<void> {
  const from = takenFrom.get(terminal);
  if (from !== undefined) {
    // Without the turn: the host would drop a turn that has ended.
    const { outcome } = await terminal.claim({ session: from.session, chat: from.chat });
    if (outcome === 'accepted') return;
  }
  isAccepted(await terminal.claim({ client: nobodyOf(terminal.uri) }));
}

/** Hands a terminal to another client. A refusal is shown. */
export async function handTo(terminal: TerminalHandle, clientId: string): Promise<void> {
  isAccepted(await terminal.claim({ client: clientId }));
}

/** Whether a dispatch had its effect; shows the reason if not. */
export function isAccepted(outcome: DispatchOutcome): boolean {
  switch (outcome.outcome) {
    case 'accepted':
      return true;
    case 'rejected':
      // The host had taken it before the connection dropped [ACT-5].
      if (outcome.code === 'outcomeExpired') return true;
      showError(outcome.reason);
      return false;
    case 'dropped':
      showError(outcome.reason);
      return false;
    case 'ignored':
      showError(text.terminal.goneReason);
      return false;
    default:
      return outcome satisfies never;
  }
}
