import { moveWindow } from './subscription.ts';
import type { Sync } from './sync.ts';
import type { Change, Tx } from './tx.ts';
import { windowWithin, withTurns, writeTurn } from './window.ts';

/**
 * Stores completed turns as rows. An action that ends or cuts turns writes rows and snapshot in the same
 * transaction, so that a chat's snapshot and its rows always reflect the same number.
 */
export function archiveTurns(sync: Sync): void {
  sync.observe('chat', (tx, change) => {
    if (change.before.turns !== change.after.turns || cutsAllUnseen(change)) keepTurns(tx, sync, change);
    if (change.before.activeTurn !== change.after.activeTurn) dropCutTurn(tx, change);
  });
}

/**
 * Whether all turns are cut while none is in memory. State then loses only their cursor. It has none if retention has dropped all turns but the
 * active one, which was resumed.
 */
const cutsAllUnseen = ({ channel, action, before }: Change<'chat'>): boolean =>
  action.type === 'chat/truncated' &&
  action.turnId === undefined &&
  before.turns.length === 0 &&
  channel.hostData.turnCount > 0;

/** Drops an active turn that is cut off before it has a row. */
function dropCutTurn(tx: Tx, { channel, before, after }: Change<'chat'>): void {
  const turnId = before.activeTurn?.id;
  if (turnId === undefined || turnId === after.activeTurn?.id || after.turns.at(-1)?.id === turnId) return;
  tx.write({ op: 'dropContents', chat: channel.uri, turnId });
}

function keepTurns(tx: Tx, sync: Sync, { channel, action, before, after }: Change<'chat'>): void {
  const { hostData } = channel;
  const oldest = hostData.turnCount - before.turns.length;
  const turnCount = oldest + after.turns.length;
  if (after.turns.length > before.turns.length) {
    for (let index = before.turns.length; index < after.turns.length; index += 1) {
      const turn = after.turns[index];
      if (turn === undefined) continue;
      const json = writeTurn(turn);
      tx.write({ op: 'turn', chat: channel.uri, ordinal: oldest + index, id: turn.id, json });
    }
    tx.setHostData(channel, { ...hostData, turnCount });
  } else if (action.type === 'chat/turnResume') {
    // The turn is active again, and refers to its contents.
    tx.write({ op: 'dropTurns', chat: channel.uri, from: turnCount, keepsContents: true });
    tx.setHostData(channel, { ...hostData, turnCount });
    channel.historyVersion += 1;
  } else {
    // A cut: the reducer keeps a prefix of the window, or no turns of the whole chat.
    const kept = after.turns.length === 0 ? 0 : turnCount;
    tx.write({ op: 'dropTurns', chat: channel.uri, from: kept });
    const { keptFrom: _, ...whole } = hostData;
    // After all turns are removed, ordinals restart at 0, and every window contains all later turns.
    tx.setHostData(channel, kept === 0 ? { ...whole, turnCount: 0 } : { ...hostData, turnCount: kept });
    if (kept === 0) emptyWindows(tx, channel);
    channel.historyVersion += 1;
  }
  const turns = windowWithin(after.turns);
  if (turns.length < after.turns.length) {
    tx.setWindow(
      channel,
      withTurns(after, [...turns], channel.hostData.turnCount - turns.length, channel.hostData.keptFrom),
    );
  }
  sync.registry.writeSnapshot(tx, channel);
}

function emptyWindows(tx: Tx, chat: Change<'chat'>['channel']): void {
  for (const subscription of chat.subscriptions.values()) {
    // A client that missed the truncation gets it in a replay. The truncation empties a window of any size.
    tx.undo(moveWindow(subscription, 0, subscription.since));
  }
}
