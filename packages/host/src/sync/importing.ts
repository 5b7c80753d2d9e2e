import type { Channel } from './channel.ts';
import type { SessionHostData } from './host-data.ts';
import type { Sync } from './sync.ts';
import type { Tx } from './tx.ts';

/** Removes the chats of an unfinished import from a session, both rows and channels. */
export function dropImported(tx: Tx, sync: Sync, session: Channel<'session'>): void {
  const { importing } = session.hostData;
  if (importing === undefined) return;
  // The last one first, so that no entry of the list moves.
  for (const { resource: chat } of session.state.chats.toReversed())
    tx.emit(session, { type: 'session/chatRemoved', chat });
  for (const uri of importing) {
    const chat = sync.registry.get(uri);
    if (chat === undefined) sync.registry.disposeUnloaded(tx, uri);
    else sync.registry.dispose(tx, chat);
  }
  noteImported(tx, session);
}

/** Clears the list of chats that are being imported. */
export function noteImported(tx: Tx, session: Channel<'session'>): void {
  const { importing: _, ...hostData }: SessionHostData = session.hostData;
  tx.setHostData(session, hostData);
}
