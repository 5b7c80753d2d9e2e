import type { Channel } from '../../sync/channel.ts';
import { moveWindow } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { firstOrdinal, turnsLoaded, withTurns } from '../../sync/window.ts';

/**
 * Drops the completed turns of a chat but the newest `keep`, from disk, from memory and from every window that shows them: a client is told
 * by a private envelope [ACT-7], and one that is away gets a snapshot when it comes back. What nobody has any more cannot be truncated
 * or forked at. Nothing happens when the history changes meanwhile. Resolves when it is done in memory; a chat that was loaded for this is
 * unloaded behind the commit, unless somebody has opened it meanwhile: there may be thousands.
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
    // Whoever has not seen the next number was not told: those below go out with this very tick.
    tx.setHostData(chat, { ...chat.hostData, keptFrom, droppedSeq: sync.sequencer.last + 1 });
    tellWindows(tx, sync, chat, { keptFrom, oldest });
    const first = firstOrdinal(chat);
    const turns = chat.state.turns.slice(Math.max(0, keptFrom - first));
    tx.setWindow(chat, withTurns(chat.state, turns, Math.max(first, keptFrom), keptFrom));
    // Cursors, cut points and windows that were read before it may reach too far back.
    chat.historyVersion += 1;
  });
}

function unloadBehindCommit(sync: Sync, chat: Channel<'chat'>): void {
  sync.transact('host', (tx) => {
    const { seq } = chat;
    tx.effect(() => {
      // Each `Registry.open` counts, also of somebody who has not subscribed yet.
      const isOpened = chat.openedAt !== Number.NEGATIVE_INFINITY;
      // What came behind this commit may not be durable yet.
      const isChanged = chat.seq !== seq || chat.state.activeTurn !== undefined;
      if (!isOpened && !isChanged) sync.registry.unload(chat);
    });
  });
}

/** Id of the completed turn of that ordinal. */
async function findTurnAt(sync: Sync, chat: Channel<'chat'>, ordinal: number): Promise<string | undefined> {
  const present = chat.state.turns[ordinal - firstOrdinal(chat)];
  if (present !== undefined) return present.id;
  const [row] = await sync.journal.readTurns(chat.uri, { before: ordinal + 1, limit: 1 });
  return row?.ordinal === ordinal ? row.id : undefined;
}

/** Windows that reach as far back as that turn lose what is before it, and their cursor. */
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
