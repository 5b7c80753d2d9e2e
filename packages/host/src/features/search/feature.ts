import type { SliceScheduler } from '../../lib/slice-scheduler.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { searchCommands } from './commands.ts';

/** Search over turns and titles. */
export const searchFeature = (sync: Sync, slices: SliceScheduler): Feature => ({
  name: 'search',
  commands: searchCommands(sync, slices),
});
