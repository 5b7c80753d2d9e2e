import type { JournalError } from '../journal.ts';
import type { Migration } from './migrations.ts';

/** Options of `SqliteJournal`. */
export interface SqliteJournalOptions {
  /** The data folder. Created with mode 0700 when missing; files in it have mode 0600. */
  readonly folder: string;
  /**
   * 'normal' (default): commits outlive the process; a power cut may cost the newest ones. 'full': each commit is synced to
   * disk, at some twenty times the cost.
   */
  readonly synchronous?: 'normal' | 'full';
  /** ms since the epoch; names what is set aside. Default: the system's clock. */
  readonly now?: () => number;
  /** Default: what the operating system says. */
  readonly bootId?: () => string | undefined;
  /** Hears once of damage that was met in the open database; calls go on failing with it. */
  readonly onDamage?: (failure: JournalError) => void;
  /** Default: all that this version knows. */
  readonly migrations?: readonly Migration[];
}
