import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { JournalError } from '../journal.ts';
import { failureOf, isDamage, rollBack } from './errors.ts';
import type { SentFile } from './number-files.ts';
import { writeInternal } from './numbers.ts';
import type { JournalFiles } from './open-database.ts';
import { SqliteReader } from './reads.ts';
import { SqliteSearchSource } from './search-source.ts';
import type { Statements } from './statements.ts';
import { SqliteTurnReader } from './turn-reads.ts';
import { SqliteWindow } from './window.ts';
import type { SqliteWriter } from './writes.ts';

/** Parts of an open SQLite journal. */
export interface OpenJournalParts {
  readonly files: JournalFiles;
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly writer: SqliteWriter;
  readonly sent: SentFile;
  readonly synchronous: 'normal' | 'full';
  readonly reservedSeq: number;
  readonly trimmedSeq: number;
  readonly onDamage: ((failure: JournalError) => void) | undefined;
}

/** An open SQLite journal: runs reads and transactions, and turns what SQLite throws into `JournalError`. */
export class OpenJournal {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly reader: SqliteReader;
  readonly turns: SqliteTurnReader;
  readonly writer: SqliteWriter;
  readonly window: SqliteWindow;
  readonly search: SqliteSearchSource;
  readonly sent: SentFile;
  reservedSeq: number;
  trimmedSeq: number;
  readonly #parts: OpenJournalParts;
  /** Inode of the database file. When the path has another inode, SQLite writes to a file that was removed or replaced. */
  readonly #inode: number;
  /** The damage that a write met: the journal writes no more to a file that the next start sets aside. */
  #damage: JournalError | undefined;
  /** Whether the writer must reload its state after a rollback. */
  #isWriterStale = false;

  constructor(parts: OpenJournalParts) {
    this.#parts = parts;
    this.database = parts.database;
    this.statements = parts.statements;
    this.reader = new SqliteReader(parts.statements);
    this.turns = new SqliteTurnReader(parts.statements);
    this.writer = parts.writer;
    this.window = new SqliteWindow(parts.statements);
    this.search = new SqliteSearchSource(parts.statements);
    this.sent = parts.sent;
    this.reservedSeq = parts.reservedSeq;
    this.trimmedSeq = parts.trimmedSeq;
    this.#inode = statSync(parts.files.database).ino;
  }

  read<T>(work: (open: this) => T): T {
    try {
      return work(this);
    } catch (error) {
      throw failureOf(error, this.#parts.files, this.#parts.onDamage);
    }
  }

  /** Runs `work` in one transaction. `'synced'`: the commit is synced to disk, so that a power loss cannot undo it. */
  transaction<T>(work: (open: this) => T, durability?: 'synced'): T {
    const { database, writer, statements } = this;
    if (this.#damage !== undefined) throw this.#damage;
    this.#checkPresent();
    try {
      if (durability === 'synced') database.exec('PRAGMA synchronous = FULL');
      if (this.#isWriterStale) writer.reset(this.trimmedSeq);
      this.#isWriterStale = false;
      statements.run('BEGIN IMMEDIATE');
      const result = work(this);
      statements.run('COMMIT');
      return result;
    } catch (error) {
      rollBack(database);
      this.#isWriterStale = true;
      const failure = failureOf(error, this.#parts.files, this.#parts.onDamage);
      // Only damage that SQLite reports concerns the whole file. A row that cannot be decoded harms no other row.
      if (isDamage(error) && !(error instanceof JournalError)) this.#damage = failure;
      throw failure;
    } finally {
      if (durability === 'synced') database.exec(`PRAGMA synchronous = ${this.#parts.synchronous}`);
    }
  }

  /** Marks the database as closed in order, and closes it. */
  close(): void {
    try {
      this.transaction(({ statements }) => writeInternal(statements, 'endedCleanly', 'true'), 'synced');
    } catch (error) {
      // On a full disk or in a damaged file the database stays marked as cut off, and the next start checks it.
      if (!(error instanceof JournalError)) throw error;
    } finally {
      this.sent.close();
      this.database.close();
    }
  }

  #checkPresent(): void {
    const { database } = this.#parts.files;
    if (statSync(database, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new JournalError(
      'missing',
      `${database} was removed or replaced while this host used it: put it back, or stop the host`,
    );
  }
}
