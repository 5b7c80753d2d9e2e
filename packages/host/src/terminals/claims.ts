import {
  type ChatState,
  findToolCallPart,
  type TerminalClaim,
  type TerminalInfo,
  type TerminalSessionClaim,
} from '@agenthost/protocol';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import { listed } from './catalogue.ts';

/** A turn, or one tool call of it. */
interface Use {
  readonly session: string;
  readonly turnId: string;
  /** Absent: every tool call of the turn. */
  readonly toolCallId?: string;
}

/** Whether a claim names a turn or tool call. */
export const isInUse = (claim: TerminalSessionClaim): boolean =>
  claim.turnId !== undefined || claim.toolCallId !== undefined;

/** The same claim without a turn: the session holds the terminal in the background. */
export const inBackground = ({ session }: TerminalSessionClaim): TerminalSessionClaim => ({
  kind: 'session',
  session,
});

/** Removes a turn that is not open from a claim, because nothing would ever release it: the session then holds the terminal in the background. */
export function openClaim(sync: Sync, claim: TerminalClaim): TerminalClaim {
  if (claim.kind !== 'session' || !isInUse(claim)) return claim;
  for (const chat of sync.registry.ofSession(claim.session)) {
    if (chat.is('chat') && chat.outline.activeTurn?.id === claim.turnId) return claim;
  }
  return inBackground(claim);
}

/** Sends terminals to the background when the turn or tool call that used them ends, in the same transaction [TERM-5]. */
export function narrowEndedClaims(sync: Sync, onError: (error: unknown, uri: string) => void): void {
  sync.observe('chat', (tx, { channel, before, after, action }) => {
    const turnId = before.activeTurn?.id;
    const { session } = channel;
    if (turnId === undefined || session === undefined) return;
    if (after.activeTurn?.id !== turnId) return narrow(tx, sync, { session, turnId }, onError);
    if (!('toolCallId' in action) || !hasEnded(after, action.toolCallId)) return;
    narrow(tx, sync, { session, turnId, toolCallId: action.toolCallId }, onError);
  });
}

function hasEnded({ activeTurn }: ChatState, toolCallId: string): boolean {
  const part = activeTurn && findToolCallPart(activeTurn.responseParts, toolCallId);
  return part?.toolCall.status === 'completed' || part?.toolCall.status === 'cancelled';
}

function narrow(tx: Tx, sync: Sync, use: Use, onError: (error: unknown, uri: string) => void): void {
  for (const { resource, claim } of listed(sync)) {
    if (!isBy(claim, use)) continue;
    const terminal = sync.registry.getOf('terminal', resource);
    if (terminal !== undefined) narrowOne(tx, terminal, use);
    // The channel of an ended terminal may have left memory.
    else
      tx.effect(
        () => void narrowUnloaded(sync, resource, use).catch((error: unknown) => onError(error, resource)),
      );
  }
}

async function narrowUnloaded(sync: Sync, uri: string, use: Use): Promise<void> {
  const terminal = await sync.registry.openOf('terminal', uri);
  if (terminal !== undefined) sync.transact('host', (tx) => narrowOne(tx, terminal, use));
}

function narrowOne(tx: Tx, terminal: Channel<'terminal'>, use: Use): void {
  const { claim } = terminal.state;
  if (isBy(claim, use)) tx.emit(terminal, { type: 'terminal/claimed', claim: inBackground(claim) });
}

function isBy(claim: TerminalClaim, use: Use): claim is TerminalSessionClaim {
  return (
    claim.kind === 'session' &&
    claim.session === use.session &&
    claim.turnId === use.turnId &&
    (use.toolCallId === undefined || claim.toolCallId === use.toolCallId)
  );
}

/** The terminals that a session holds now. */
export const heldBy = (sync: Sync, session: string): readonly TerminalInfo[] =>
  listed(sync).filter(({ claim }) => claim.kind === 'session' && claim.session === session);
