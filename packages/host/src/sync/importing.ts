import type { Channel } from './channel.ts';
import type { SessionHostData } from './host-data.ts';
import type { Sync } from './sync.ts';
import type { Tx } from './tx.ts';

/** Drops the chats that were being imported into a session: rows, and those that are channels already. */
export function dropImported(tx: Tx, sync: Sync, session: Channel<'session'>): void {
  const { importing } = session.hostData;
  if (importing === undefined) return;
  // Last first: no entry of the catalogue moves when another goes.
  for (const { resource: chat } of session.state.chats.toReversed())
    tx.emit(session, { type: 'session/chatRemoved', chat });
  for (const uri of importing) {
    const chat = sync.registry.get(uri);
    if (chat === undefined) sync.registry.disposeUnloaded(tx, uri);
    else sync.registry.dispose(tx, chat);
  }
  noteImported(tx, session);
}

/** There are no such chats any more, or all are channels now. */
export function noteImported(tx: Tx, session: Channel<'session'>): void {
  const { importing: _, ...hostData }: SessionHostData = session.hostData;
  tx.setHostData(session, hostData);
}
