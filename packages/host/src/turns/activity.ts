import type { Sync } from '../sync/sync.ts';

/**
 * A turn takes its activity along, whoever ends it and whatever its agent has left to say: no other turn would clear what a cut-off agent
 * was doing. Register it after those who mirror chats, so that they see each change in order.
 */
export function clearActivity(sync: Sync): void {
  sync.observe('chat', (tx, { channel, after }) => {
    if (after.activeTurn === undefined && channel.state.activity !== undefined)
      tx.emit(channel, { type: 'chat/activityChanged' });
  });
}
