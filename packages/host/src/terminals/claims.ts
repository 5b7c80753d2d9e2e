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
  readonly chat: string;
  readonly turnId: string;
  /** Absent: every tool call of the turn. */
  readonly toolCallId?: string;
}

/** Whether a claim names a turn or tool call. */
export const isInUse = (claim: TerminalSessionClaim): boolean =>
  claim.turnId !== undefined || claim.toolCallId !== undefined;

/** The same claim without a turn: the session holds the terminal in the background. */
export const inBackground = ({ session, chat }: TerminalSessionClaim): TerminalSessionClaim => ({
  kind: 'session',
  session,
  chat,
});

/** Removes a turn that is not open from a claim, because nothing would ever release it: the session then holds the terminal in the background. */
export function openClaim(sync: Sync, claim: TerminalClaim): TerminalClaim {
  if (claim.kind !== 'session' || !isInUse(claim)) return claim;
  const chat = sync.registry.getOf('chat', claim.chat);
  return chat?.outline.activeTurn?.id === claim.turnId ? claim : inBackground(claim);
}

/** Sends terminals to the background when the turn or tool call that used them ends, in the same transaction [TERM-5]. */
export function narrowEndedClaims(sync: Sync, onError: (error: unknown, uri: string) => void): void {
  sync.observe('chat', (tx, { channel, before, after, action }) => {
    const turnId = before.activeTurn?.id;
    if (turnId === undefined) return;
    const chat = channel.uri;
    if (after.activeTurn?.id !== turnId) return narrow(tx, sync, { chat, turnId }, onError);
    if (!('toolCallId' in action) || !hasEnded(after, action.toolCallId)) return;
    narrow(tx, sync, { chat, turnId, toolCallId: action.toolCallId }, onError);
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
    claim.chat === use.chat &&
    claim.turnId === use.turnId &&
    (use.toolCallId === undefined || claim.toolCallId === use.toolCallId)
  );
}

/** Claims of a chat that moves name its new session, in the same transaction [TERM-21]. */
export function followMovedChats(sync: Sync, onError: (error: unknown, uri: string) => void): void {
  sync.observe('session', (tx, { channel: session, action }) => {
    if (action.type !== 'session/chatAdded') return;
    const chat = action.summary.resource;
    for (const { resource, claim } of listed(sync)) {
      if (claim.kind !== 'session' || claim.chat !== chat || claim.session === session.uri) continue;
      const follow = (within: Tx, terminal: Channel<'terminal'>): void => {
        const present = terminal.state.claim;
        if (present.kind === 'session' && present.chat === chat)
          within.emit(terminal, { type: 'terminal/claimed', claim: { ...present, session: session.uri } });
      };
      const terminal = sync.registry.getOf('terminal', resource);
      if (terminal !== undefined) follow(tx, terminal);
      else
        tx.effect(() => {
          sync.registry
            .openOf('terminal', resource)
            .then((opened) => opened && sync.transact('host', (within) => follow(within, opened)))
            .catch((error: unknown) => onError(error, resource));
        });
    }
  });
}

/** The terminals that a session holds now. */
export const heldBy = (sync: Sync, session: string): readonly TerminalInfo[] =>
  listed(sync).filter(({ claim }) => claim.kind === 'session' && claim.session === session);
