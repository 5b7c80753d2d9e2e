import { type Cancel, systemTimers, type Timers } from '../../lib/clock.ts';
import {
  type Journal,
  JournalError,
  type JournalStart,
  type JournalWrite,
  type ServerCheck,
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
import type { Announcement } from './announcement.ts';
import type { Connection, Statements } from './connection.ts';
import { readDiskUse, readWholeDiskUse } from './disk-space.ts';
import { FolderOfCell } from './folder-of-cell.ts';
import { type Lease, releaseLease } from './lease.ts';
import type { LeaseTime } from './lease-time.ts';
import { ReadGate } from './read-gate.ts';
import {
  listChannels,
  listClients,
  listOpen,
  listProcesses,
  listSessions,
  listStale,
  listTokens,
  readChannel,
  readChannelHead,
  readClient,
  readContent,
  readMeta,
} from './reads.ts';
import { PostgresSearchSource } from './search-source.ts';
import { checkServer } from './server-check.ts';
import { openSession } from './session.ts';
import { takeCell } from './take-cell.ts';
import { Transactions } from './transactions.ts';
import { findTurn, hasTurnBefore, readTurns } from './turn-reads.ts';
import {
  findOutcome,
  findTrimPoint,
  readEnvelopes,
  readEnvelopesAfter,
  trimWindow,
  windowSize,
} from './window.ts';
import { PostgresWriter, type WriterState } from './writes.ts';

/** What a cell knows of the processes of a machine that does not hold it. */
export type RecordedProcesses = Pick<Journal, 'listProcesses' | 'readMeta'>;

/** Options of `PostgresJournal`. */
export interface PostgresJournalOptions {
  /** The server and the database, as a `postgres://` URL. */
  readonly url: string;
  /** Default: the password of the URL, of the environment variable PGPASSWORD or of the password file. */
  readonly password?: string | undefined;
  /** Name of the cell, the identity of the host. Each cell has its own rows, and one host at a time holds a cell. Default 'main'. */
  readonly cell?: string | undefined;
  /**
   * The data folder of the host. `open` rejects with 'locked' while another host in PostgreSQL uses the folder, and when it belongs to another cell.
   * Default: none is locked.
   */
  readonly dataFolder?: string | undefined;
  /**
   * ms for which `open` waits while another host holds the cell. Default 10,000: the lease of a killed host ends within this time. Infinity, for a
   * standby: until the cell is free, also while the server does not answer.
   */
  readonly waitMs?: number | undefined;
  /** Duration of the lease in ms by the server's clock. It is renewed three times in this time. Default 6,000. */
  readonly leaseMs?: number | undefined;
  /** Time limit of a statement on the server, in ms. Default 8,000. */
  readonly statementMs?: number | undefined;
  /** ms without an answer of the server after which the journal is lost for this host. Default 60,000. */
  readonly giveUpMs?: number | undefined;
  /**
   * Ends processes that an earlier host of this machine recorded, before `open` waits for another host: they may write to folders of that host.
   * Default: the host ends them when it has the cell.
   */
  readonly endOrphans?: ((recorded: RecordedProcesses) => Promise<void>) | undefined;
  /**
   * Called while `open` waits, with the reason: for another host, or for the server. `holder`: machine and process of the other host, if known. Called
   * again when the kind of reason or the holder changes.
   */
  readonly onWait?: ((message: string, holder: string | undefined) => void) | undefined;
  /** Called while it is unknown whether a commit was applied, once for each such commit, with the reason. Commits wait until the server answers. */
  readonly onUnknown?: ((message: string) => void) | undefined;
  /** Called once, when this journal can never be written again, usually because another host has taken the cell. */
  readonly onLost?: ((failure: JournalError) => void) | undefined;
  readonly timers?: Timers;
}

const DEFAULT_WAIT_MS = 10_000;
const DEFAULT_LEASE_MS = 6_000;
const DEFAULT_GIVE_UP_MS = 60_000;

/** Parts of an open journal. */
interface Open {
  readonly lease: Lease;
  readonly leaseTime: LeaseTime;
  readonly gate: ReadGate;
  readonly transactions: Transactions;
  /** The renewal that reads wait for. */
  confirming: Promise<void> | undefined;
  state: WriterState;
  reservedSeq: number;
  trimmedSeq: number;
}

/**
 * The journal in PostgreSQL. All cells share one set of tables. A lease in the database gives one host at a time the right
 * to write a cell, and each transaction checks the lease. A host that has lost its lease can write nothing more: its writes reject with 'lost'. Its reads
 * reject after the end of a lease that it could not renew.
 */
export class PostgresJournal implements Journal {
  readonly #options: PostgresJournalOptions;
  readonly #cellName: string;
  readonly #leaseMs: number;
  readonly #giveUpMs: number;
  readonly #timers: Timers;
  #open: Open | undefined;
  #cancelRenewal: Cancel = () => undefined;
  #folder: FolderOfCell | undefined;
  #announce: () => Announcement | undefined = () => undefined;
  #isClosed = false;

  constructor(options: PostgresJournalOptions) {
    this.#options = options;
    this.#cellName = options.cell ?? 'main';
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
    this.#giveUpMs = options.giveUpMs ?? DEFAULT_GIVE_UP_MS;
    this.#timers = options.timers ?? systemTimers;
  }

  async open(): Promise<JournalStart> {
    if (this.#open !== undefined) throw new JournalError('io', 'the journal is open already');
    this.#isClosed = false;
    const { dataFolder } = this.#options;
    if (dataFolder !== undefined) this.#folder = FolderOfCell.take(dataFolder, this.#cellName);
    try {
      const start = await this.#openCell();
      try {
        this.#folder?.claim();
      } catch (error) {
        await this.close();
        throw error;
      }
      return start;
    } catch (error) {
      this.#folder?.release();
      throw error;
    }
  }

  async #openCell(): Promise<JournalStart> {
    const { connection, lease, leaseTime, numbers, identity } = await takeCell({
      name: this.#cellName,
      leaseMs: this.#leaseMs,
      waitMs: this.#options.waitMs ?? DEFAULT_WAIT_MS,
      onWait: this.#options.onWait,
      timers: this.#timers,
      connect: () => this.#connect('write'),
      beforeWait:
        this.#folder === undefined
          ? undefined
          : async (statements) =>
              this.#options.endOrphans?.({
                listProcesses: () => listProcesses(statements, this.#folderId),
                readMeta: (key) => readMeta(statements, key),
              }),
      isClosed: () => this.#isClosed,
    });
    const { start, trimmedSeq, total } = numbers;
    const gate = new ReadGate(async () => {
      try {
        return await this.#connect('read', identity);
      } catch (error) {
        if (error instanceof JournalError && error.code === 'lost') throw transactions.lose(error);
        throw error;
      }
    }, lease.cell);
    const transactions = new Transactions({
      connection,
      connect: () => this.#connect('write', identity),
      lease,
      leaseMs: this.#leaseMs,
      leaseTime,
      gate,
      giveUpMs: this.#giveUpMs,
      onUnknown: this.#options.onUnknown,
      onLost: (failure) => this.#options.onLost?.(failure),
    });
    const state = newState(start.lastSeq, total);
    const { reservedSeq } = start;
    this.#open = {
      lease,
      leaseTime,
      gate,
      transactions,
      confirming: undefined,
      state,
      reservedSeq,
      trimmedSeq,
    };
    this.#scheduleRenewal();
    return start;
  }

  /**
   * Announces to gateways how to reach this host. `read` is called now and with each renewal of the lease. Does not reject: if the server does not
   * answer, the next renewal writes the announcement.
   */
  async announce(read: () => Announcement): Promise<void> {
    this.#announce = read;
    await this.#renew();
  }

  async commit(writes: readonly JournalWrite[]): Promise<void> {
    // A read called before this resolves must not see the batch.
    const open = this.#opened();
    const { lastSeq, total } = open.state;
    try {
      await open.transactions.run((statements) =>
        new PostgresWriter(statements, open.state, this.#folderId).apply(writes),
      );
    } catch (error) {
      // The batch was rolled back, so the cache of the writer is no longer valid.
      open.state = newState(lastSeq, total);
      throw error;
    }
  }

  async reserveSeq(seq: number): Promise<void> {
    const open = this.#opened();
    if (seq <= open.reservedSeq) return;
    await open.transactions.run((statements) =>
      statements.run('UPDATE agenthost.cells SET reserved_seq = $2 WHERE id = $1', seq),
    );
    open.reservedSeq = seq;
  }

  readChannel(uri: string): Promise<StoredChannel | undefined> {
    return this.#read((statements) => readChannel(statements, uri));
  }

  readChannelHead(uri: string): Promise<StoredChannelHead | undefined> {
    return this.#read((statements) => readChannelHead(statements, uri));
  }

  readEnvelopesAfter(channel: string, after: number, maxBytes: number): Promise<readonly StoredEnvelope[]> {
    return this.#read((statements) => readEnvelopesAfter(statements, channel, after, maxBytes));
  }

  listChannels(session: string): Promise<readonly { uri: string; kind: string }[]> {
    return this.#read((statements) => listChannels(statements, session));
  }

  listOpen(): Promise<readonly string[]> {
    return this.#read(listOpen);
  }

  listStale(seq: number, limit: number): Promise<readonly string[]> {
    return this.#read((statements) => listStale(statements, seq, limit));
  }

  readTurns(chat: string, options: TurnRange): Promise<readonly StoredTurn[]> {
    return this.#read((statements) => readTurns(statements, chat, options));
  }

  hasTurnBefore(chat: string, before: number): Promise<boolean> {
    return this.#read((statements) => hasTurnBefore(statements, chat, before));
  }

  findTurn(chat: string, turnId: string): Promise<number | undefined> {
    return this.#read((statements) => findTurn(statements, chat, turnId));
  }

  readEnvelopes(
    channels: readonly string[],
    after: number,
    upTo: number,
    maxBytes: number,
  ): Promise<readonly StoredEnvelope[] | undefined> {
    return this.#read((statements) => readEnvelopes(statements, { channels, after, upTo, maxBytes }));
  }

  findOutcome(clientId: string, epoch: string, clientSeq: number): Promise<StoredEnvelope | undefined> {
    return this.#read((statements) => findOutcome(statements, clientId, epoch, clientSeq));
  }

  windowStats(): Promise<{ bytes: number; trimmedSeq: number; oldestTime: number | undefined }> {
    return this.#read(async (statements, { trimmedSeq }) => ({
      ...(await windowSize(statements)),
      trimmedSeq,
    }));
  }

  findTrimPoint(limits: { maxBytes: number; minTime: number }): Promise<number | undefined> {
    return this.#read((statements) => findTrimPoint(statements, limits));
  }

  async trim(seq: number, limit: number): Promise<number> {
    const open = this.#opened();
    const { count, trimmedSeq } = await open.transactions.run((statements) =>
      trimWindow(statements, seq, limit),
    );
    open.trimmedSeq = trimmedSeq ?? open.trimmedSeq;
    return count;
  }

  listSessions(options: SessionListOptions): Promise<readonly StoredSession[]> {
    return this.#read((statements) => listSessions(statements, options));
  }

  readClient(id: string): Promise<StoredClient | undefined> {
    return this.#read((statements) => readClient(statements, id));
  }

  listClients(options: Parameters<Journal['listClients']>[0]): Promise<readonly ListedClient[]> {
    return this.#read((statements) => listClients(statements, options));
  }

  listTokens(): Promise<readonly StoredToken[]> {
    return this.#read(listTokens);
  }

  readContent(id: string): Promise<StoredContent | undefined> {
    return this.#read((statements) => readContent(statements, id));
  }

  readMeta(key: string): Promise<string | undefined> {
    return this.#read((statements) => readMeta(statements, key));
  }

  listProcesses(): Promise<readonly StoredProcess[]> {
    return this.#read((statements) => listProcesses(statements, this.#folderId));
  }

  diskUse(session: string): Promise<DiskUse | undefined> {
    return this.#read((statements) => readDiskUse(statements, session));
  }

  wholeDiskUse(): Promise<WholeDiskUse> {
    return this.#read(readWholeDiskUse);
  }

  search(query: string, options: SearchOptions): Promise<SearchPage> {
    const source = new PostgresSearchSource((work) => this.#read(work));
    return search(
      {
        read: async (slice) => slice(source),
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      },
      query,
      options,
    );
  }

  /** The words of a row are written with the row. */
  async fillIndex(): Promise<boolean> {
    this.#opened();
    return false;
  }

  /** The server reuses the space of deleted rows by itself (autovacuum). */
  async compact(): Promise<boolean> {
    this.#opened();
    return false;
  }

  checkServer(): Promise<ServerCheck> {
    const { gate, lease } = this.#opened();
    // Not `#read`, which waits for a renewal: the check says whether the host still holds the cell.
    return gate.read((statements) => checkServer(statements, lease));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = this.#open;
    this.#open = undefined;
    this.#cancelRenewal();
    if (open === undefined) return;
    const { transactions, gate, lease } = open;
    try {
      if (transactions.lost === undefined)
        await transactions.alone((connection) => releaseLease(connection, lease));
    } catch (error) {
      // If the server does not answer, the lease expires.
      if (!(error instanceof JournalError)) throw error;
    }
    await Promise.all([transactions.close(), gate.close()]);
    this.#folder?.release();
  }

  get #folderId(): string {
    return this.#folder?.id ?? '';
  }

  #opened(): Open {
    if (this.#open === undefined) throw new JournalError('closed', 'the journal is not open');
    return this.#open;
  }

  async #read<T>(read: (statements: Statements, open: Open) => Promise<T>): Promise<T> {
    const open = this.#opened();
    const result = await open.gate.read((statements) => read(statements, open));
    // After the end of the lease, the rows may be those of another host.
    if (open.leaseTime.ageMs > this.#leaseMs) await this.#confirm(open);
    return result;
  }

  /** Renews the lease before anything is read out. Rejects with 'unreachable' or 'lost'. */
  #confirm(open: Open): Promise<void> {
    open.confirming ??= open.transactions.renew(this.#announce()).finally(() => {
      open.confirming = undefined;
    });
    return open.confirming;
  }

  #connect(kind: 'read' | 'write', identity?: string): Promise<Connection> {
    const { url, password, statementMs } = this.#options;
    return openSession({ url, password, name: this.#cellName, statementMs }, kind, identity);
  }

  #scheduleRenewal(): void {
    this.#cancelRenewal = this.#timers.after(this.#leaseMs / 3, () => {
      void this.#renew().finally(() => {
        if (this.#open !== undefined && this.#open.transactions.lost === undefined) this.#scheduleRenewal();
      });
    });
  }

  async #renew(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    const { leaseTime, transactions } = open;
    try {
      await transactions.renew(this.#announce());
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      if (leaseTime.awakeMs < this.#giveUpMs) return;
      const message = `PostgreSQL did not answer for ${this.#giveUpMs / 1_000} s, so this host gave up its cell: check the server, and start this host again`;
      transactions.lose(new JournalError('lost', message, { cause: error }));
    }
  }
}

function newState(lastSeq: number, total: number): WriterState {
  return { lastSeq, total, stale: new Set(), plain: new Set(), titles: new Map() };
}
