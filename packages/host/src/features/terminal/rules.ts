import type { TerminalAction, TerminalClaim, TerminalState } from '@agenthost/protocol';
import { type Rejection, reject } from '../../handler-port/channel-module.ts';
import { isInUse } from '../../terminals/claims.ts';
import { shownTitle } from '../../terminals/output/output-writer.ts';

/** What the rules ask about everything that is not in the terminal's own state. */
export interface Surroundings {
  /** A client is gone past the grace period, or may only look. */
  isGone(clientId: string): boolean;
  hasSession(uri: string): boolean;
}

/** Whether a client may do this to a terminal now [TERM-5]; `undefined` when it may. */
export function checkTerminalAction(
  state: TerminalState,
  action: TerminalAction,
  clientId: string,
  around: Surroundings,
): Rejection | undefined {
  switch (action.type) {
    case 'terminal/input':
      if (state.exitCode !== undefined) return reject('exited', 'What ran in this terminal has ended');
      return checkHands(state, clientId);
    case 'terminal/resized':
    case 'terminal/cleared':
      return checkHands(state, clientId);
    case 'terminal/titleChanged':
      return checkTitle(action.title);
    case 'terminal/claimed':
      return checkClaim(state.claim, action.claim, clientId, around);
    default:
      return undefined;
  }
}

/** Whether a client may type: its holder may, and everybody while a session holds it [TERM-5]. */
export function checkHands({ claim }: TerminalState, clientId: string): Rejection | undefined {
  return claim.kind === 'session' || claim.clientId === clientId
    ? undefined
    : reject('notYours', 'Another client holds this terminal: claim it first');
}

/** Whether something can be a title. */
export function checkTitle(title: string): Rejection | undefined {
  return shownTitle(title).trim() === '' ? reject('invalidTitle', 'A title cannot be empty') : undefined;
}

function checkClaim(
  present: TerminalClaim,
  next: TerminalClaim,
  clientId: string,
  { isGone, hasSession }: Surroundings,
): Rejection | undefined {
  if (next.kind === 'session' && !hasSession(next.session))
    return reject('unknownSession', 'There is no such session to hold it');
  if (present.kind === 'client') {
    // The holder hands it over to whomever it likes.
    if (present.clientId === clientId) return undefined;
    if (!isFor(next, clientId)) return reject('notYours', 'Only its holder hands a terminal over');
    return isGone(present.clientId)
      ? undefined
      : reject('alreadyClaimed', 'Another client holds this terminal; it can hand it over');
  }
  if (isFor(next, clientId)) return undefined;
  const isNarrower = next.kind === 'session' && next.session === present.session && !isInUse(next);
  return isNarrower
    ? undefined
    : reject('notYours', 'What a session holds a client takes for itself, or sends to the background');
}

const isFor = (claim: TerminalClaim, clientId: string): boolean =>
  claim.kind === 'client' && claim.clientId === clientId;
