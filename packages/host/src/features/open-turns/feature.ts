import type { Sync } from '../../sync/sync.ts';
import { markOpenTurns } from '../../turns/recovery.ts';
import { queueLeftSteering } from '../../turns/steering.ts';
import type { Feature } from '../feature.ts';

/** Marks chats with an open turn for the next start; clears the activity and requeues the steering message when a turn ends. */
export const openTurnsFeature = (sync: Sync): Feature => ({
  name: 'open-turns',
  observe: () => {
    markOpenTurns(sync);
    clearActivity(sync);
    queueLeftSteering(sync);
  },
});

/**
 * Clears the activity of a chat when its turn ends for any reason. No later turn would clear the activity of
 * an interrupted agent. Register it after the observers that mirror chats, so that they see the changes in
 * order.
 */
function clearActivity(sync: Sync): void {
  sync.observe('chat', (tx, { channel, after }) => {
    if (after.activeTurn === undefined && channel.state.activity !== undefined)
      tx.emit(channel, { type: 'chat/activityChanged' });
  });
}
