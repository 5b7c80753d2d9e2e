import type { Channel } from './channel.ts';
import type { SessionLocal } from './locals.ts';
import type { Sync } from './sync.ts';

/** Drops the chats that were being imported into a session: rows, and those that are channels already. Inside `path.transact` only. */
export function dropImported(sync: Sync, session: Channel<'session'>): void {
  const { importing } = session.local;
  if (importing === undefined) return;
  // Last first: no entry of the catalogue moves when another goes.
  for (const { resource: chat } of session.state.chats.toReversed())
    sync.emit(session, { type: 'session/chatRemoved', chat });
  for (const uri of importing) {
    const chat = sync.registry.get(uri);
    if (chat === undefined) sync.registry.disposeUnloaded(uri);
    else sync.registry.dispose(chat);
  }
  noteImported(sync, session);
}

/** There are no such chats any more, or all are channels now. Inside `path.transact` only. */
export function noteImported(sync: Sync, session: Channel<'session'>): void {
  const { importing: _, ...local }: SessionLocal = session.local;
  sync.setLocal(session, local);
}
