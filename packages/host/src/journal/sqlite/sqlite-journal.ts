import { statSync } from 'node:fs';
import {
  type DiskUse,
  type Journal,
  JournalError,
  type JournalStart,
  type JournalWrite,
  type ListedClient,
  type SessionListOptions,
  type StoredChannel,
  type StoredChannelHead,
  type StoredClient,
  type StoredContent,
  type StoredEnvelope,
  type StoredProcess,
  type StoredSession,
  type StoredToken,
  type StoredTurn,
  type TurnRange,
} from '../journal.ts';
import type { LostRange } from '../lost-ranges.ts';
import type { SearchOptions, SearchPage } from '../search/results.ts';
import { search } from '../search/search.ts';
import { readBootId } from './boot-id.ts';
import { failureOf, isDamage, rollBack, toJournalError } from './errors.ts';
import { freeSpace } from './free-space.ts';
import { migrations } from './migrations.ts';
import { readNumbers, setNumberAside, writeInternal } from './numbers.ts';
import { type JournalFiles, journalFiles, openAlone } from './open-database.ts';
import type { OpenState } from './open-state.ts';
import type { SqliteJournalOptions } from './options.ts';
import { SqliteReader } from './reads.ts';
import { SqliteSearchSource } from './search-source.ts';
import { SentFile } from './sent-file.ts';
import { SeqFile } from './seq-file.ts';
import { SqliteWindow } from './window.ts';
import { SqliteWriter } from './writes.ts';

/**
 * The journal in one SQLite file (`journal.db`, with a log beside it) and the tiny files `seq` and `sent`. One process at a time:
 * a second one is refused with 'locked', and the lock ends with the process that holds it, a killed one too. Calls run to their
 * end at once, so that its promises never overlap.
 */
export class SqliteJournal implements Journal {
  readonly #options: SqliteJournalOptions;
  readonly #files: JournalFiles;
  readonly #seqFile: SeqFile;
  #open: OpenState | undefined;

  constructor(options: SqliteJournalOptions) {
    this.#options = options;
    this.#files = journalFiles(options.folder);
    this.#seqFile = new SeqFile(this.#files.seq);
  }

  async open(): Promise<JournalStart> {
    if (this.#open !== undefined) throw new JournalError('io', `${this.#files.database} is open already`);
    const now = (this.#options.now ?? Date.now)();
    const bootId = (this.#options.bootId ?? readBootId)();
    const opened = await openAlone({
      files: this.#files,
      synchronous: this.#options.synchronous ?? 'normal',
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
      this.#open = {
        database,
        fileNumber: statSync(this.#files.database).ino,
        statements,
        reader: new SqliteReader(statements),
        writer,
        window: new SqliteWindow(statements),
        search: new SqliteSearchSource(statements),
        sent,
        reservedSeq,
        trimmedSeq,
        damage: undefined,
        isWriterStale: false,
      };
      this.#transaction(({ statements }) => {
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
    // A read that is called before this resolves must not see it, and none can come between the rest and that.
    await Promise.resolve();
    this.#transaction(({ writer }) => {
      for (const write of writes) writer.apply(write);
      writer.finish();
    });
    const { sent, writer } = this.#opened();
    try {
      sent.write(writer.lastSeq);
    } catch {
      // The commit stands: without this note the next start may only not see that a log was cut.
    }
  }

  async reserveSeq(seq: number): Promise<void> {
    if (seq <= this.#opened().reservedSeq) return;
    this.#transaction(({ statements }) => writeInternal(statements, 'reservedSeq', String(seq)), 'synced');
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
    return this.#read(({ reader }) => reader.turns(chat, options));
  }

  hasTurnBefore(chat: string, before: number): Promise<boolean> {
    return this.#read(({ reader }) => reader.hasTurnBefore(chat, before));
  }

  findTurn(chat: string, turnId: string): Promise<number | undefined> {
    return this.#read(({ reader }) => reader.turn(chat, turnId));
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
    const dropped = this.#transaction(({ window, statements }) => {
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

  search(query: string, options: SearchOptions): Promise<SearchPage> {
    return search(
      {
        read: (slice) => this.#read(({ search: source }) => slice(source)),
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      },
      query,
      options,
    );
  }

  async fillIndex(ms: number): Promise<boolean> {
    return this.#transaction(({ writer }) => writer.search.tend(ms));
  }

  compact(maxPages: number): Promise<boolean> {
    return this.#read(({ database }) => freeSpace(database, maxPages));
  }

  async close(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    try {
      this.#transaction(({ statements }) => writeInternal(statements, 'endedCleanly', 'true'), 'synced');
    } catch (error) {
      // On a full disk, or in a damaged file, it stays marked as cut off, which costs the next start a check.
      if (!(error instanceof JournalError)) throw error;
    } finally {
      this.#open = undefined;
      open.sent.close();
      open.database.close();
    }
  }

  #opened(): OpenState {
    if (this.#open === undefined) throw new JournalError('closed', `${this.#files.database} is not open`);
    return this.#open;
  }

  async #read<T>(read: (open: OpenState) => T): Promise<T> {
    const open = this.#opened();
    try {
      return read(open);
    } catch (error) {
      throw failureOf(error, this.#files, this.#options.onDamage);
    }
  }

  /** SQLite would go on writing to a file that nobody finds any more, and all of it would be gone with the host. */
  #checkPresent({ fileNumber }: OpenState): void {
    const { database } = this.#files;
    if (statSync(database, { throwIfNoEntry: false })?.ino === fileNumber) return;
    throw new JournalError(
      'missing',
      `${database} was removed or replaced while this host used it: put it back, or stop the host`,
    );
  }

  #transaction<T>(work: (open: OpenState) => T, durability?: 'synced'): T {
    const open = this.#opened();
    const { database, writer, statements } = open;
    if (open.damage !== undefined) throw open.damage;
    this.#checkPresent(open);
    try {
      if (durability === 'synced') database.exec('PRAGMA synchronous = FULL');
      if (open.isWriterStale) writer.reset(open.trimmedSeq);
      open.isWriterStale = false;
      statements.run('BEGIN IMMEDIATE');
      const result = work(open);
      statements.run('COMMIT');
      return result;
    } catch (error) {
      rollBack(database);
      open.isWriterStale = true;
      const failure = failureOf(error, this.#files, this.#options.onDamage);
      // Of the file, that is: one row that cannot be undone harms nobody else.
      if (isDamage(error) && !(error instanceof JournalError)) open.damage = failure;
      throw failure;
    } finally {
      if (durability === 'synced')
        database.exec(`PRAGMA synchronous = ${this.#options.synchronous ?? 'normal'}`);
    }
  }
}
