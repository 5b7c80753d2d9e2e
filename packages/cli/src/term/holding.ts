import { type AhpClient, type DispatchOutcome, type TerminalHandle, Unauthorized } from '@agenthost/client';
import type { TerminalClaim, URI } from '@agenthost/protocol';
import type { HostTarget } from '../host-link/find-host.ts';
import { rejectionSentence } from '../host-link/host-errors.ts';
import { openClient } from '../host-link/open-client.ts';
import { idOf, shortId } from '../input/ids.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/**
 * Every terminal has a holder, and one whose holder is gone cannot be taken at once [TERM-5]. So a command that leaves
 * hands its terminal to this client, which is nobody; the next one comes as that client and hands it on to itself.
 */
export const nobodyOf = (uri: URI): string => `agenthost-nobody-${idOf(uri)}`;

/** True when no one holds a terminal: the command that did has left it. */
export const isNobody = (uri: URI, claim: TerminalClaim): boolean =>
  claim.kind === 'client' && claim.clientId === nobodyOf(uri);

/** Who holds a terminal, for people. */
export function holderText(uri: URI, claim: TerminalClaim, ownClientId?: string): string {
  if (isNobody(uri, claim)) return 'nobody';
  if (claim.kind === 'client') {
    return claim.clientId === ownClientId ? 'you' : `client ${oneLine(claim.clientId, 40).slice(0, 12)}`;
  }
  const work = claim.turnId === undefined && claim.toolCallId === undefined ? ' (background)' : '';
  return `session ${shortId(claim.session)}${work}`;
}

/** Takes a terminal that no client holds. The outcome gives the reason when it fails, for example that the client id belongs to another token. */
async function takeFromNobody(
  client: AhpClient,
  terminal: TerminalHandle,
  target: HostTarget,
): Promise<DispatchOutcome> {
  const { uri, mirror } = terminal;
  const nobody = await openClient(target, { clientId: nobodyOf(uri) }).catch((error: unknown) => {
    if (error instanceof Unauthorized) return undefined;
    throw error;
  });
  // The client id belongs to another token, so it cannot hand the claim on. It counts as gone, so the terminal can be claimed.
  if (nobody === undefined) return terminal.claim('me');
  try {
    const outcome = await nobody.dispatch(uri, {
      type: 'terminal/claimed',
      claim: { kind: 'client', clientId: client.clientId },
    });
    // What that connection knows, our own may not have heard of yet.
    if (outcome.outcome === 'accepted')
      for await (const { claim } of mirror) if (!isNobody(uri, claim)) break;
    return outcome;
  } finally {
    nobody.close();
  }
}

/** Claims a terminal, whoever had it. */
export function take(
  client: AhpClient,
  terminal: TerminalHandle,
  target: HostTarget,
): Promise<DispatchOutcome> {
  return isNobody(terminal.uri, terminal.state.claim)
    ? takeFromNobody(client, terminal, target)
    : terminal.claim('me');
}

/** Gives a terminal to whom it was taken from where that is a session, else to nobody. */
export async function giveBack(
  terminal: TerminalHandle,
  before: TerminalClaim | undefined,
): Promise<DispatchOutcome> {
  if (before?.kind === 'session') {
    const { kind: _, ...session } = before;
    const outcome = await terminal.claim(session);
    if (outcome.outcome === 'accepted') return outcome;
    // The session may be gone.
  }
  return terminal.claim({ client: nobodyOf(terminal.uri) });
}

/**
 * Why a dispatch had no effect, for people; `undefined` when it had one, or may have had [ACT-5]. With `outcomeExpired` the host had
 * taken it: keys have reached the program then, unless that host was killed in the millisecond between its commit and the write to
 * it. They are typed at most once, so nobody is told to type them again.
 */
export function refusal(outcome: DispatchOutcome): string | undefined {
  switch (outcome.outcome) {
    case 'accepted':
      return undefined;
    case 'rejected':
      return outcome.code === 'outcomeExpired' ? undefined : oneLine(rejectionSentence(outcome));
    case 'ignored':
      return 'the terminal is gone';
    case 'dropped':
      return oneLine(rejectionSentence(outcome));
    default:
      return outcome satisfies never;
  }
}

/** Throws a `CliError` when a dispatch had no effect, as `refusal` tells it. */
export function demand(outcome: DispatchOutcome, what: string): void {
  const reason = refusal(outcome);
  if (reason !== undefined) throw new CliError(EXIT.error, `${what}: ${reason}`);
}
