import type { ChatState, Turn } from '@agenthost/protocol';
import type { StoredTurn } from '../journal/journal.ts';
import type { Channel } from './channel.ts';
import type { Change, Sync } from './sync.ts';

/** Completed turns that a chat keeps in memory; it holds up to twice as many before the older half goes. */
export const WINDOW_TURNS = 20;

/** Ordinal of the oldest turn in a chat's window. */
export const firstOrdinal = (chat: Channel<'chat'>): number => chat.local.turnCount - chat.state.turns.length;

/** Cursor for the turns older than `ordinal`, or `undefined` when there are none [CHAT-15]. Survives restarts. */
export const cursorBefore = (ordinal: number): string | undefined =>
  ordinal > 0 ? `before-${ordinal}` : undefined;

/** The ordinal that a cursor stands for, or `undefined` when it is none of ours. */
export function ordinalOfCursor(cursor: string): number | undefined {
  const match = /^before-(\d{1,12})$/.exec(cursor);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/** A turn as it was stored. The row was written by this host from a checked state. */
export function readTurn(row: StoredTurn): Turn {
  const turn: Turn = JSON.parse(row.json);
  return turn;
}

/** A chat's state with this window of turns, and the cursor that goes with it. */
export function withTurns(state: ChatState, turns: Turn[], oldest: number): ChatState {
  const { turnsNextCursor: _, ...rest } = state;
  const cursor = cursorBefore(oldest);
  return { ...rest, turns, ...(cursor === undefined ? {} : { turnsNextCursor: cursor }) };
}

/**
 * Keeps completed turns as rows of their own: what ends or cuts turns writes rows and snapshot in the same transaction,
 * so that a chat's snapshot and its rows always reflect the same number.
 */
export function archiveTurns(sync: Sync): void {
  sync.observe('chat', (change) => {
    if (change.before.turns !== change.after.turns) keepTurns(sync, change);
  });
}

function keepTurns(sync: Sync, { channel, before, after }: Change<'chat'>): void {
  const { local } = channel;
  const oldest = local.turnCount - before.turns.length;
  const turnCount = oldest + after.turns.length;
  if (after.turns.length > before.turns.length) {
    for (let index = before.turns.length; index < after.turns.length; index += 1) {
      const turn = after.turns[index];
      if (turn === undefined) continue;
      const json = JSON.stringify(turn);
      sync.path.write({ op: 'turn', chat: channel.uri, ordinal: oldest + index, id: turn.id, json });
    }
    sync.setLocal(channel, { ...local, turnCount });
  } else {
    // Cut: the reducer keeps a prefix of the window, or nothing at all of the whole chat.
    const kept = after.turns.length === 0 ? 0 : turnCount;
    sync.path.write({ op: 'dropTurns', chat: channel.uri, from: kept });
    sync.setLocal(channel, { ...local, turnCount: kept });
    channel.historyVersion += 1;
  }
  if (after.turns.length > 2 * WINDOW_TURNS) {
    const turns = after.turns.slice(-WINDOW_TURNS);
    sync.setWindow(channel, withTurns(after, turns, channel.local.turnCount - turns.length));
  }
  sync.registry.writeSnapshot(channel);
}
