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
 * A turn takes its activity along, whoever ends it and whatever its agent has left to say: no other turn would clear what a cut-off agent
 * was doing. Register it after those who mirror chats, so that they see each change in order.
 */
function clearActivity(sync: Sync): void {
  sync.observe('chat', (tx, { channel, after }) => {
    if (after.activeTurn === undefined && channel.state.activity !== undefined)
      tx.emit(channel, { type: 'chat/activityChanged' });
  });
}
