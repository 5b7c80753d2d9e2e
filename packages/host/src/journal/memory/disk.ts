import type { JournalWrite } from '../journal.ts';
import { MemoryTables } from './tables.ts';
import { applyWrite, checkBatch } from './writes.ts';

/**
 * What a memory journal has committed. It outlives the journal as a file outlives a process: give it to the next one to
 * reopen. Holds committed batches only.
 */
export class MemoryDisk extends MemoryTables {
  /** A journal has it open. */
  isLocked = false;
  /** Set by a test: the next start finds that the last moments may be missing. */
  hasLostTail = false;

  /** Applies a whole batch, or throws a `JournalError` and changes nothing. */
  apply(writes: readonly JournalWrite[]): void {
    checkBatch(this, writes);
    for (const write of writes) applyWrite(this, write);
  }
}
