import type { ChatState, Snapshot, SubscribeView } from '@agenthost/protocol';
import type { Channel } from './channel.ts';
import type { Sync } from './sync.ts';
import { firstOrdinal, hasOlder, newestSize, newestWithin, readTurn, withTurns } from './window.ts';

/**
 * Maximum bytes of JSON for the turns of one snapshot, and for all snapshots of one response together
 * [SUB-3].
 */
const SNAPSHOT_TURN_BYTES = 8 * 1024 * 1024;
const RESPONSE_BYTES = 32 * 1024 * 1024;

/**
 * Maximum bytes in one response for turns that are larger than their snapshot's share. One such turn is
 * always included.
 */
const LARGE_TURN_BYTES = RESPONSE_BYTES / 2;

/** Limits for the turns of a snapshot. */
export interface TurnShare {
  /** Bytes of turns. */
  readonly maxBytes: number;
  /**
   * Number of turns to include even above the limit. With 0, clients get the newest turn by `fetchTurns` too.
   */
  readonly least: 0 | 1;
}

/** Distributes the limits of a response over its snapshots. */
export function turnShares(captured: readonly Captured[]): TurnShare[] {
  const chatCount = captured.filter(({ channel }) => channel.kind === 'chat').length;
  const maxBytes = Math.min(SNAPSHOT_TURN_BYTES, Math.floor(RESPONSE_BYTES / Math.max(chatCount, 1)));
  let largeBytes = 0;
  return captured.map((each) => {
    const { state } = each;
    const size = 'turns' in state ? newestLength(state, each) : 0;
    if (size <= maxBytes) return { maxBytes, least: 1 };
    const isFirst = largeBytes === 0;
    if (!isFirst && largeBytes + size > LARGE_TURN_BYTES) return { maxBytes, least: 0 };
    largeBytes += size;
    return { maxBytes, least: 1 };
  });
}

/** Size of the newest turn. A turn that was never in memory may have any size. */
const newestLength = (state: ChatState, { channel, turnCount }: Captured): number =>
  state.turns.length === 0 && turnCount > 0 ? (channel.newestLength ?? LARGE_TURN_BYTES) : newestSize(state);

/** The content of a snapshot, as it was at a boundary. */
export interface Captured {
  readonly channel: Channel;
  readonly state: Channel['state'];
  readonly fromSeq: number;
  /** Chats: number of completed turns on disk, and ordinal of the window's first turn. */
  readonly turnCount: number;
  readonly firstOrdinal: number;
  /** Chats: ordinal of the oldest existing turn. */
  readonly keptFrom: number;
}

/**
 * Captures a channel's state, which is never changed in place. Call it at a boundary whose number is
 * `fromSeq`.
 */
export function capture(channel: Channel, fromSeq: number): Captured {
  const isChat = channel.is('chat');
  return {
    channel,
    state: channel.state,
    fromSeq,
    turnCount: isChat ? channel.hostData.turnCount : 0,
    firstOrdinal: isChat ? firstOrdinal(channel) : 0,
    keptFrom: isChat ? (channel.hostData.keptFrom ?? 0) : 0,
  };
}

/**
 * Creates the snapshot for one client, and for a chat the ordinal of its oldest turn. Reads turns older than
 * the window from disk. Call it at the boundary itself, where the read must start.
 */
export async function makeSnapshot(
  sync: Sync,
  captured: Captured,
  view: SubscribeView | undefined,
  share: TurnShare,
): Promise<{ snapshot: Snapshot; fromOrdinal: number }> {
  const { channel, fromSeq } = captured;
  if (!channel.is('chat') || !('turns' in captured.state)) {
    return { snapshot: { resource: channel.uri, state: captured.state, fromSeq }, fromOrdinal: 0 };
  }
  const { state, fromOrdinal } = await chatView(sync, { ...captured, state: captured.state }, view, share);
  return { snapshot: { resource: channel.uri, state, fromSeq }, fromOrdinal };
}

async function chatView(
  sync: Sync,
  captured: Captured & { state: ChatState },
  view: SubscribeView | undefined,
  { maxBytes: maxTurnBytes, least }: TurnShare,
): Promise<{ state: ChatState; fromOrdinal: number }> {
  const { state, keptFrom } = captured;
  const wanted = Math.min(view?.turns ?? Number.POSITIVE_INFINITY, captured.turnCount - keptFrom);
  const fromWindow = newestWithin(state.turns, wanted, maxTurnBytes, least);
  const { turns } = fromWindow;
  const fromOrdinal = captured.turnCount - turns.length;
  const { bytes } = fromWindow;
  if (turns.length < state.turns.length || turns.length >= wanted || bytes >= maxTurnBytes)
    return { state: withTurns(state, turns, fromOrdinal, keptFrom), fromOrdinal };
  const chat = captured.channel.uri;
  const room = maxTurnBytes - bytes;
  const rows = await sync.journal.readTurns(chat, {
    before: captured.firstOrdinal,
    limit: wanted - turns.length,
    maxBytes: room,
    least: turns.length > 0 ? 0 : least,
  });
  const oldest = rows[0]?.ordinal ?? fromOrdinal;
  const isMore = await hasOlder(sync.journal, chat, oldest);
  return {
    state: withTurns(state, [...rows.map(readTurn), ...turns], isMore ? oldest : 0),
    fromOrdinal: oldest,
  };
}
