import {
  type Journal,
  JournalError,
  type JournalStart,
  type JournalWrite,
  type SessionListOptions,
  type TurnRange,
} from '../journal.ts';
import type {
  DiskUse,
  ListedClient,
  StoredChannel,
  StoredChannelHead,
  StoredClient,
  StoredContent,
  StoredEnvelope,
  StoredProcess,
  StoredSession,
  StoredToken,
  StoredTurn,
  WholeDiskUse,
} from '../rows.ts';
import type { SearchOptions, SearchPage } from '../search/results.ts';
import { search } from '../search/search.ts';
import type { LostRange } from '../sequence-numbers.ts';
import { copyDatabase } from './copy-database.ts';
import { freeSpace, readWholeDiskUse } from './disk-space.ts';
import { toJournalError } from './errors.ts';
import { type Migration, migrations } from './migrations.ts';
import { SentFile, SeqFile } from './number-files.ts';
import { readNumbers, setNumberAside, writeInternal } from './numbers.ts';
import { type JournalFiles, journalFiles, openAlone, readBootId } from './open-database.ts';
import { OpenJournal } from './open-journal.ts';
import { SqliteWriter } from './writes.ts';

/** Options of `SqliteJournal`. */
export interface SqliteJournalOptions {
  /** The data folder. Created with mode 0700 when missing; files in it have mode 0600. */
  readonly folder: string;
  /**
   * 'normal' (default): commits outlive the process, and a power loss may lose the newest. 'full': each commit is synced to disk, at
   * about twenty times the cost.
   */
  readonly synchronous?: 'normal' | 'full';
  /** ms since the epoch; part of the names of files that are set aside. Default: the system's clock. */
  readonly now?: () => number;
  /** Default: the id that the operating system reports. */
  readonly bootId?: () => string | undefined;
  /** Called at the first damage in the open database. Later calls that meet damage reject too. */
  readonly onDamage?: (failure: JournalError) => void;
  /** Default: all migrations of this version. */
  readonly migrations?: readonly Migration[];
}

/**
 * The journal in one SQLite file (`journal.db`, with its write-ahead log) and the small files `seq` and `sent`. One process at a time
 * can open it: a second one is refused with 'locked', and the lock ends with the process that holds it, also when that is killed. Each call
 * runs to its end synchronously, so calls never overlap.
 */
export class SqliteJournal implements Journal {
  readonly #options: SqliteJournalOptions;
  readonly #files: JournalFiles;
  readonly #seqFile: SeqFile;
  #open: OpenJournal | undefined;
  #copying: { readonly ending: AbortController; readonly settled: Promise<void> } | undefined;

  constructor(options: SqliteJournalOptions) {
    this.#options = options;
    this.#files = journalFiles(options.folder);
    this.#seqFile = new SeqFile(this.#files.seq);
  }

  async open(): Promise<JournalStart> {
    if (this.#open !== undefined) throw new JournalError('io', `${this.#files.database} is open already`);
    const now = (this.#options.now ?? Date.now)();
    const bootId = (this.#options.bootId ?? readBootId)();
    const synchronous = this.#options.synchronous ?? 'normal';
    const opened = await openAlone({
      files: this.#files,
      synchronous,
      migrations: this.#options.migrations ?? migrations,
      bootId,
      now,
    });
    const { database, statements, setAside } = opened;
    let sent: SentFile | undefined;
    try {
      sent = new SentFile(this.#files.sent);
      const writer = new SqliteWriter(statements);
      const found = readNumbers(opened, writer, {
        beside: this.#seqFile.read(),
        sent: sent.read(),
        now,
      });
      const { lastSeq, lastTime, reservedSeq, trimmedSeq, mayHaveLostTail, lost, isLost, beside } = found;
      const damagedNumbers = found.damaged.map((where) => setNumberAside(this.#files, where, now));
      this.#open = new OpenJournal({
        files: this.#files,
        database,
        statements,
        writer,
        sent,
        synchronous,
        reservedSeq,
        trimmedSeq,
        onDamage: this.#options.onDamage,
      });
      this.#open.transaction(() => {
        writeInternal(statements, 'bootId', bootId ?? '');
        writeInternal(statements, 'endedCleanly', 'false');
        writeInternal(statements, 'reservedSeq', String(reservedSeq));
        writeInternal(statements, 'trimmedSeq', String(trimmedSeq));
        writeInternal(statements, 'lost', JSON.stringify(lost satisfies LostRange[]));
      });
      if (reservedSeq > beside || setAside !== undefined || damagedNumbers.length > 0)
        this.#seqFile.write(reservedSeq);
      sent.write(lastSeq);
      const fate = {
        ...(setAside && { setAside }),
        ...(isLost && { isLost }),
        ...(damagedNumbers.length > 0 && { damagedNumbers }),
      };
      return { lastSeq, lastTime, reservedSeq, mayHaveLostTail, lost, ...fate };
    } catch (error) {
      this.#open = undefined;
      sent?.close();
      database.close();
      throw toJournalError(error, this.#files.database);
    }
  }

  async commit(writes: readonly JournalWrite[]): Promise<void> {
    // A read called before this resolves must not see the batch. No read runs between here and the end of the commit.
    await Promise.resolve();
    this.#opened().transaction(({ writer }) => {
      for (const write of writes) writer.apply(write);
      writer.finish();
    });
    const { sent, writer } = this.#opened();
    try {
      sent.write(writer.lastSeq);
    } catch {
      // The commit is durable. Without this number, the next start may only miss that a log was cut.
    }
  }

  async reserveSeq(seq: number): Promise<void> {
    if (seq <= this.#opened().reservedSeq) return;
    this.#opened().transaction(
      ({ statements }) => writeInternal(statements, 'reservedSeq', String(seq)),
      'synced',
    );
    try {
      this.#seqFile.write(seq);
    } catch (error) {
      throw toJournalError(error, this.#files.seq);
    }
    this.#opened().reservedSeq = seq;
  }

  readChannel(uri: string): Promise<StoredChannel | undefined> {
    return this.#read(({ reader }) => reader.channel(uri));
  }

  readChannelHead(uri: string): Promise<StoredChannelHead | undefined> {
    return this.#read(({ reader }) => reader.channelHead(uri));
  }

  readEnvelopesAfter(channel: string, after: number, maxBytes: number): Promise<readonly StoredEnvelope[]> {
    return this.#read(({ reader }) => reader.envelopesAfter(channel, after, maxBytes));
  }

  listChannels(session: string): Promise<readonly { uri: string; kind: string }[]> {
    return this.#read(({ reader }) => reader.channels(session));
  }

  listOpen(): Promise<readonly string[]> {
    return this.#read(({ reader }) => reader.open());
  }

  listStale(seq: number, limit: number): Promise<readonly string[]> {
    return this.#read(({ reader }) => reader.stale(seq, limit));
  }

  readTurns(chat: string, options: TurnRange): Promise<readonly StoredTurn[]> {
    return this.#read(({ turns }) => turns.range(chat, options));
  }

  hasTurnBefore(chat: string, before: number): Promise<boolean> {
    return this.#read(({ turns }) => turns.hasBefore(chat, before));
  }

  findTurn(chat: string, turnId: string): Promise<number | undefined> {
    return this.#read(({ turns }) => turns.ordinalOf(chat, turnId));
  }

  readEnvelopes(
    channels: readonly string[],
    after: number,
    upTo: number,
    maxBytes: number,
  ): Promise<readonly StoredEnvelope[] | undefined> {
    return this.#read(({ reader }) => reader.envelopes(channels, after, upTo, maxBytes));
  }

  findOutcome(clientId: string, epoch: string, clientSeq: number): Promise<StoredEnvelope | undefined> {
    return this.#read(({ reader }) => reader.outcome(clientId, epoch, clientSeq));
  }

  windowStats(): Promise<{ bytes: number; trimmedSeq: number; oldestTime: number | undefined }> {
    return this.#read(({ window, trimmedSeq }) => ({ ...window.stats(), trimmedSeq }));
  }

  findTrimPoint(limits: { maxBytes: number; minTime: number }): Promise<number | undefined> {
    return this.#read(({ window }) => window.trimPoint(limits));
  }

  async trim(seq: number, limit: number): Promise<number> {
    const end = await this.#read(({ window }) => window.sliceEnd(seq, limit));
    if (end === undefined) return 0;
    const dropped = this.#opened().transaction(({ window, statements }) => {
      writeInternal(statements, 'trimmedSeq', String(end.seq));
      writeInternal(statements, 'trimmedTime', String(end.time));
      return window.dropUpTo(end.seq);
    });
    this.#opened().trimmedSeq = end.seq;
    return dropped;
  }

  listSessions(options: SessionListOptions): Promise<readonly StoredSession[]> {
    return this.#read(({ reader }) => reader.sessions(options));
  }

  readClient(id: string): Promise<StoredClient | undefined> {
    return this.#read(({ reader }) => reader.client(id));
  }

  listClients(options: Parameters<Journal['listClients']>[0]): Promise<readonly ListedClient[]> {
    return this.#read(({ reader }) => reader.clients(options));
  }

  readContent(id: string): Promise<StoredContent | undefined> {
    return this.#read(({ reader }) => reader.content(id));
  }

  readMeta(key: string): Promise<string | undefined> {
    return this.#read(({ reader }) => reader.meta(key));
  }

  listTokens(): Promise<readonly StoredToken[]> {
    return this.#read(({ reader }) => reader.tokens());
  }

  listProcesses(): Promise<readonly StoredProcess[]> {
    return this.#read(({ reader }) => reader.processes());
  }

  diskUse(session: string): Promise<DiskUse | undefined> {
    return this.#read(({ reader }) => reader.diskUse(session));
  }

  wholeDiskUse(): Promise<WholeDiskUse> {
    return this.#read(({ database }) => readWholeDiskUse(database, this.#files));
  }

  search(query: string, options: SearchOptions): Promise<SearchPage> {
    return search(
      {
        read: async (slice) => this.#opened().read(({ search: source }) => slice(source)),
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      },
      query,
      options,
    );
  }

  async fillIndex(ms: number): Promise<boolean> {
    return this.#opened().transaction(({ writer }) => writer.search.tend(ms));
  }

  compact(maxPages: number): Promise<boolean> {
    return this.#read(({ database }) => freeSpace(database, maxPages));
  }

  async copyTo(file: string, signal: AbortSignal): Promise<void> {
    const { database } = this.#opened();
    if (this.#copying !== undefined)
      throw new JournalError('io', `${this.#files.database} is being copied already`);
    const ending = new AbortController();
    const done = copyDatabase(database, file, AbortSignal.any([signal, ending.signal]));
    // The caller gets the failure.
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.#copying = { ending, settled };
    try {
      await done;
    } finally {
      this.#copying = undefined;
    }
  }

  async close(): Promise<void> {
    // SQLite reads the database in another thread until the copy has ended.
    this.#copying?.ending.abort(new JournalError('closed', `${this.#files.database} was closed`));
    await this.#copying?.settled;
    const open = this.#open;
    this.#open = undefined;
    open?.close();
  }

  #opened(): OpenJournal {
    if (this.#open === undefined) throw new JournalError('closed', `${this.#files.database} is not open`);
    return this.#open;
  }

  async #read<T>(read: (open: OpenJournal) => T): Promise<T> {
    return this.#opened().read(read);
  }
}
