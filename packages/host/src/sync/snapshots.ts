import type { ChatState, Snapshot, SubscribeView, Turn } from '@agenthost/protocol';
import { firstOrdinal, readTurn, withTurns } from './archive.ts';
import type { Channel } from './channel.ts';
import type { Sync } from './sync.ts';

/** Turns of one snapshot, and all snapshots of one response together, stop at so many bytes of JSON [SUB-3]. */
const SNAPSHOT_TURN_BYTES = 8 * 1024 * 1024;
const RESPONSE_BYTES = 32 * 1024 * 1024;

/** What a snapshot is made of, as it was at a boundary. */
export interface Captured {
  readonly channel: Channel;
  readonly state: Channel['state'];
  readonly fromSeq: number;
  /** Chats: completed turns on disk, and the ordinal of the window's first. */
  readonly turnCount: number;
  readonly firstOrdinal: number;
}

/** How many more bytes of turns one response may carry. */
export interface TurnBudget {
  bytes: number;
}

/** The budget of one response. */
export const responseBudget = (): TurnBudget => ({ bytes: RESPONSE_BYTES });

/** Holds on to a channel's state; states never change in place. Call it at a boundary. */
export function capture(sync: Sync, channel: Channel): Captured {
  const isChat = channel.is('chat');
  return {
    channel,
    state: channel.state,
    fromSeq: sync.publishedSeq,
    turnCount: isChat ? channel.local.turnCount : 0,
    firstOrdinal: isChat ? firstOrdinal(channel) : 0,
  };
}

/**
 * The snapshot for one client, and for a chat the ordinal of its oldest turn. Older turns than the window's are read
 * from disk; the read must be started at the boundary itself, so call this there.
 */
export async function makeSnapshot(
  sync: Sync,
  captured: Captured,
  view: SubscribeView | undefined,
  budget: TurnBudget,
): Promise<{ snapshot: Snapshot; fromOrdinal: number }> {
  const { channel, fromSeq } = captured;
  if (!channel.is('chat') || !('turns' in captured.state)) {
    return { snapshot: { resource: channel.uri, state: captured.state, fromSeq }, fromOrdinal: 0 };
  }
  const { state, fromOrdinal } = await chatView(sync, captured, captured.state, view, budget);
  return { snapshot: { resource: channel.uri, state, fromSeq }, fromOrdinal };
}

async function chatView(
  sync: Sync,
  captured: Captured,
  state: ChatState,
  view: SubscribeView | undefined,
  budget: TurnBudget,
): Promise<{ state: ChatState; fromOrdinal: number }> {
  const wanted = Math.min(view?.turns ?? Number.POSITIVE_INFINITY, captured.turnCount);
  const fits = Math.min(SNAPSHOT_TURN_BYTES, budget.bytes);
  const fromWindow = newestWithin(state.turns, wanted, fits);
  let turns: Turn[] = fromWindow.turns;
  let used = fromWindow.bytes;
  if (turns.length === state.turns.length && turns.length < wanted && used < fits) {
    const rows = await sync.journal.readTurns(captured.channel.uri, {
      before: captured.firstOrdinal,
      limit: wanted - turns.length,
      maxBytes: fits - used,
    });
    turns = [...rows.map(readTurn), ...turns];
    used += rows.reduce((sum, row) => sum + row.json.length, 0);
  }
  budget.bytes -= used;
  const fromOrdinal = captured.turnCount - turns.length;
  return { state: withTurns(state, turns, fromOrdinal), fromOrdinal };
}

/** The newest turns, at most `count` of them and within `maxBytes` of JSON, but one always (unless none is wanted). */
function newestWithin(
  turns: readonly Turn[],
  count: number,
  maxBytes: number,
): { turns: Turn[]; bytes: number } {
  let bytes = 0;
  let start = turns.length;
  while (start > 0 && turns.length - start < count) {
    const size = JSON.stringify(turns[start - 1]).length;
    if (start < turns.length && bytes + size > maxBytes) break;
    bytes += size;
    start -= 1;
  }
  return { turns: turns.slice(start), bytes };
}
