import { conflict } from '@agenthost/protocol';
import type { NextSlice, SliceScheduler } from '../lib/slice-scheduler.ts';
import { TooManyJobs } from '../lib/slice-scheduler.ts';
import type { Caller } from './channel-module.ts';

/**
 * Runs a search in the caller's share of CPU time. Rejects with `-32011` if too many searches wait, and when
 * the caller has disconnected.
 */
export async function inShare<T>(
  scheduler: SliceScheduler,
  { tokenHash }: Caller,
  signal: AbortSignal,
  work: (next: NextSlice) => Promise<T>,
): Promise<T> {
  try {
    return await scheduler.run(tokenHash, signal, work);
  } catch (error) {
    if (!(error instanceof TooManyJobs)) throw error;
    const whose = error.isOfParty ? 'of this token' : 'of this host';
    throw conflict(`${error.limit} searches ${whose} are waiting: try again later`);
  }
}
