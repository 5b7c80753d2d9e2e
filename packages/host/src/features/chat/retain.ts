import type { Channel } from '../../sync/channel.ts';
import { moveWindow } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { firstOrdinal, turnsLoaded, withTurns } from '../../sync/window.ts';

/**
 * Removes the completed turns of a chat except the newest `keep`, from disk, memory and all windows.
 * Connected clients get a private envelope [ACT-7], and disconnected ones a snapshot when they return.
 * Removed turns can no longer be truncated or forked at. Does nothing if the history changes meanwhile.
 * Resolves when the change in memory is done. A chat that was loaded for this is unloaded after the commit
 * unless it was opened meanwhile, because there may be thousands.
 */
export async function dropOldTurns(sync: Sync, uri: string, keep: number): Promise<void> {
  const wasLoaded = sync.registry.get(uri) !== undefined;
  const chat = await sync.registry.load(uri);
  if (chat?.is('chat') !== true) return;
  try {
    await dropBeyond(sync, chat, keep);
  } finally {
    if (!wasLoaded) unloadBehindCommit(sync, chat);
  }
}

async function dropBeyond(sync: Sync, chat: Channel<'chat'>, keep: number): Promise<void> {
  const { uri, historyVersion } = chat;
  const keptFrom = chat.hostData.turnCount - keep;
  if (keptFrom <= (chat.hostData.keptFrom ?? 0)) return;
  const oldest = await findTurnAt(sync, chat, keptFrom);
  sync.transact('host', (tx) => {
    if (!chat.isAlive || chat.historyVersion !== historyVersion) return;
    if (oldest === undefined) return;
    tx.write({ op: 'dropTurns', chat: uri, from: 0, to: keptFrom });
    // Clients that have not seen the next number were not told. Envelopes with lower numbers are sent with
    // this tick.
    tx.setHostData(chat, { ...chat.hostData, keptFrom, droppedSeq: sync.sequencer.last + 1 });
    tellWindows(tx, sync, chat, { keptFrom, oldest });
    const first = firstOrdinal(chat);
    const turns = chat.state.turns.slice(Math.max(0, keptFrom - first));
    tx.setWindow(chat, withTurns(chat.state, turns, Math.max(first, keptFrom), keptFrom));
    // Invalidates cursors, cut points and windows that were read before and may reach too far back.
    chat.historyVersion += 1;
  });
}

function unloadBehindCommit(sync: Sync, chat: Channel<'chat'>): void {
  sync.transact('host', (tx) => {
    const { seq } = chat;
    tx.effect(() => {
      // Every `Registry.open` counts, including those before a subscription.
      const isOpened = chat.openedAt !== Number.NEGATIVE_INFINITY;
      // Changes after this commit may not be durable yet.
      const isChanged = chat.seq !== seq || chat.state.activeTurn !== undefined;
      if (!isOpened && !isChanged) sync.registry.unload(chat);
    });
  });
}

/** Id of the completed turn with this ordinal. */
async function findTurnAt(sync: Sync, chat: Channel<'chat'>, ordinal: number): Promise<string | undefined> {
  const present = chat.state.turns[ordinal - firstOrdinal(chat)];
  if (present !== undefined) return present.id;
  const [row] = await sync.journal.readTurns(chat.uri, { before: ordinal + 1, limit: 1 });
  return row?.ordinal === ordinal ? row.id : undefined;
}

/** Removes the turns before that turn from all windows that have them, and updates their cursors. */
function tellWindows(
  tx: Tx,
  sync: Sync,
  chat: Channel<'chat'>,
  { keptFrom, oldest }: { keptFrom: number; oldest: string },
): void {
  for (const subscription of chat.subscriptions.values()) {
    if (subscription.fromOrdinal > keptFrom) continue;
    const action = { ...turnsLoaded([], undefined), 'x-from': oldest };
    sync.sendPrivate(subscription.sink, { channel: chat.uri, action });
    tx.undo(moveWindow(subscription, keptFrom, sync.sequencer.last));
  }
}
