import type { Sync } from '../../sync/sync.ts';
import { clearActivity } from '../../turns/activity.ts';
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
