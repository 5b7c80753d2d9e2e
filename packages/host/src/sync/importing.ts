import type { Channel } from './channel.ts';
import type { SessionLocal } from './locals.ts';
import type { Sync } from './sync.ts';

/** Drops the rows of chats that were being imported into a session: no channels yet. Inside `path.transact` only. */
export function dropImported(sync: Sync, session: Channel<'session'>): void {
  const { importing } = session.local;
  if (importing === undefined) return;
  for (const uri of importing) sync.path.write({ op: 'dropChannel', uri });
  noteImported(sync, session);
}

/** There are no such chats any more, or they are channels now. Inside `path.transact` only. */
export function noteImported(sync: Sync, session: Channel<'session'>): void {
  const { importing: _, ...local }: SessionLocal = session.local;
  sync.setLocal(session, local);
}
