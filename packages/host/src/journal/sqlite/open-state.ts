import type { DatabaseSync } from 'node:sqlite';
import type { JournalError } from '../journal.ts';
import type { SqliteReader } from './reads.ts';
import type { SqliteSearchSource } from './search-source.ts';
import type { SentFile } from './sent-file.ts';
import type { Statements } from './statements.ts';
import type { SqliteWindow } from './window.ts';
import type { SqliteWriter } from './writes.ts';

/** What an open SQLite journal works with. */
export interface OpenState {
  readonly database: DatabaseSync;
  /** Number of the database's file where it lies: another one there is not what is written to. */
  readonly fileNumber: number;
  readonly statements: Statements;
  readonly reader: SqliteReader;
  readonly writer: SqliteWriter;
  readonly window: SqliteWindow;
  readonly search: SqliteSearchSource;
  readonly sent: SentFile;
  reservedSeq: number;
  trimmedSeq: number;
  /** A write met damage: nothing more is written to a file that is to be set aside. */
  damage: JournalError | undefined;
  /** A transaction was rolled back, and what the writer holds in memory with it. */
  isWriterStale: boolean;
}
