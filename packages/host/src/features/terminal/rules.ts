import { hasExited, type TerminalAction, type TerminalClaim, type TerminalState } from '@agenthost/protocol';
import { type Rejection, reject } from '../../handler-port/channel-module.ts';
import { isInUse } from '../../terminals/claims.ts';
import { shownTitle } from '../../terminals/output/output-writer.ts';

/** Data that the rules check besides the terminal's state. */
export interface Surroundings {
  /** Whether a client has been away longer than the grace period, or may only read. */
  isGone(clientId: string): boolean;
  /** Chats of a session; `undefined` when there is no such session. */
  chatsOf(session: string): readonly string[] | undefined;
}

/** Why a client may not dispatch this action on a terminal now; `undefined` if it may [TERM-5]. */
export function checkTerminalAction(
  state: TerminalState,
  action: TerminalAction,
  clientId: string,
  around: Surroundings,
): Rejection | undefined {
  switch (action.type) {
    case 'terminal/input':
      if (hasExited(state)) return reject('exited', 'What ran in this terminal has ended');
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

/**
 * Why a client may not type; `undefined` if it may. The holder may type, and every client while a session
 * holds the terminal [TERM-5].
 */
export function checkHands({ claim }: TerminalState, clientId: string): Rejection | undefined {
  return claim.kind === 'session' || claim.clientId === clientId
    ? undefined
    : reject('notYours', 'Another client holds this terminal: claim it first');
}

/** Why a text cannot be a title; `undefined` if it can. */
export function checkTitle(title: string): Rejection | undefined {
  return shownTitle(title).trim() === '' ? reject('invalidTitle', 'A title cannot be empty') : undefined;
}

function checkClaim(
  present: TerminalClaim,
  next: TerminalClaim,
  clientId: string,
  { isGone, chatsOf }: Surroundings,
): Rejection | undefined {
  if (next.kind === 'session') {
    const chats = chatsOf(next.session);
    if (chats === undefined) return reject('unknownSession', 'There is no such session to hold it');
    if (!chats.includes(next.chat)) return reject('unknownChat', `The session has no chat ${next.chat}`);
  }
  if (present.kind === 'client') {
    // The holder may pass the terminal to any client.
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
