import type { DispatchOutcome, TerminalHandle } from '@agenthost/client';
import type { PresentClient, TerminalClaim, TerminalSessionClaim, URI } from '@agenthost/protocol';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { clientName } from '../presence/client-name.ts';
import { text } from '../text/text.ts';
import { showError } from '../ui/toasts.tsx';

/**
 * Every terminal has a holder [TERM-5]. A client that gives a terminal back hands it to this client, which never connects, so that anyone can take it.
 * The command line uses the same id.
 */
const nobodyOf = (uri: URI): string => `agenthost-nobody-${uri.slice(uri.lastIndexOf('/') + 1)}`;

const isNobody = (uri: URI, claim: TerminalClaim): boolean =>
  claim.kind === 'client' && claim.clientId === nobodyOf(uri);

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
  if (isNobody(uri, claim)) return { kind: 'nobody' };
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

/** Keys that were typed while `take` waits, by terminal. Each function types one of them. */
const keptKeys = new WeakMap<TerminalHandle, (() => void)[]>();

/**
 * Types keys in a terminal. Keys that come while `take` waits for the host are kept and typed in order after its answer. Returns whether the keys
 * were typed or kept. `onBlocked` is called if the host would not take them from this page. A refusal is shown.
 */
export function typeKeys(terminal: TerminalHandle, keys: string, onBlocked: () => void): boolean {
  const kept = keptKeys.get(terminal);
  if (kept !== undefined) {
    kept.push(() => typeKeys(terminal, keys, onBlocked));
    return true;
  }
  if (!terminal.mayType) {
    onBlocked();
    return false;
  }
  void terminal.input(keys).then(isAccepted);
  return true;
}

/** Takes a terminal for this page. Resolves when the host has answered; a refusal is shown. */
export async function take(link: HostLink, terminal: TerminalHandle): Promise<void> {
  // Another view of the page waits for the same answer.
  if (keptKeys.has(terminal)) return;
  const kept: (() => void)[] = [];
  keptKeys.set(terminal, kept);
  const { claim } = terminal.state;
  try {
    const isTaken = isNobody(terminal.uri, claim)
      ? await takeFromNobody(link, terminal)
      : isAccepted(await terminal.claim('me'));
    if (isTaken && claim.kind === 'session') takenFrom.set(terminal, claim);
  } catch (error) {
    showError(messageOf(error));
  } finally {
    keptKeys.delete(terminal);
    for (const type of kept) type();
  }
}

/**
 * For a while after its start a host counts every client as connected, also one that never connects. The page therefore connects as this client and
 * hands the terminal to itself. Resolves when the page's own connection has the claim, because only then the page may type. Rejects as `connectAs`
 * does.
 */
async function takeFromNobody(link: HostLink, terminal: TerminalHandle): Promise<boolean> {
  const own = await terminal.claim('me');
  const { client } = link;
  if (own.outcome !== 'rejected' || own.code !== 'alreadyClaimed' || client === undefined)
    return isAccepted(own);
  const { uri, mirror } = terminal;
  const nobody = await link.connectAs(nobodyOf(uri));
  try {
    const claim = { kind: 'client' as const, clientId: client.clientId };
    if (!isAccepted(await nobody.dispatch(uri, { type: 'terminal/claimed', claim }))) return false;
  } finally {
    nobody.close();
  }
  for await (const _ of mirror) if (!isNobody(uri, mirror.confirmed.claim)) break;
  return true;
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
