import { type Cancel, systemTimers, type Timers } from '../../lib/clock.ts';
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
import type { Announcement } from './announcement.ts';
import { Connection, type Statements } from './connection.ts';
import { readDiskUse, readWholeDiskUse } from './disk-space.ts';
import { TAKEN } from './errors.ts';
import { FolderOfCell } from './folder-of-cell.ts';
import { type Lease, releaseLease, renewLease, takeLease } from './lease.ts';
import { migrate } from './migrations.ts';
import { readNumbers } from './numbers.ts';
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

/** Options of `PostgresJournal`. */
export interface PostgresJournalOptions {
  /** The server and the database, as a `postgres://` URL. */
  readonly url: string;
  /** Default: the password of the URL, of the environment variable PGPASSWORD or of the password file. */
  readonly password?: string | undefined;
  /** Name of the host's identity: its rows are its own, and one host at a time holds it. Default 'main'. */
  readonly cell?: string | undefined;
  /**
   * The data folder of the host. `open` rejects with 'locked' while another host in PostgreSQL uses the folder, and when it belongs to another cell.
   * Default: none is locked.
   */
  readonly dataFolder?: string | undefined;
  /**
   * ms for which `open` waits while another host holds the cell. Default 10,000, in which the lease of a killed host ends. Infinity: until
   * the cell is free, as a standby does.
   */
  readonly waitMs?: number | undefined;
  /** Duration of the lease by the server's clock. Renewed three times in it. Default 6,000. */
  readonly leaseMs?: number | undefined;
  /** Called while `open` waits for another host, once with each new text. */
  readonly onWait?: ((message: string) => void) | undefined;
  /** Called once, when another host has taken the cell: this journal is never written again. */
  readonly onLost?: ((failure: JournalError) => void) | undefined;
  readonly timers?: Timers;
}

/** Pause between two attempts to take a cell. */
const TAKE_PAUSE_MS = 500;
const DEFAULT_WAIT_MS = 10_000;
const DEFAULT_LEASE_MS = 6_000;
/** A transaction that waits longer for its host is ended by the server, so that a paused host does not keep others from taking the cell. */
const IDLE_TRANSACTION_MS = 3_000;

/** Parts of an open journal. */
interface Open {
  readonly lease: Lease;
  readonly gate: ReadGate;
  readonly transactions: Transactions;
  state: WriterState;
  reservedSeq: number;
  trimmedSeq: number;
}

/**
 * The journal in PostgreSQL. All cells share one set of tables. A lease with an epoch in the database gives one host at a time the right
 * to write a cell, and each transaction checks the epoch. A host whose epoch has passed can write nothing more: its writes reject with
 * 'lost'.
 */
export class PostgresJournal implements Journal {
  readonly #options: PostgresJournalOptions;
  readonly #cellName: string;
  readonly #leaseMs: number;
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
    this.#timers = options.timers ?? systemTimers;
  }

  async open(): Promise<JournalStart> {
    if (this.#open !== undefined) throw new JournalError('io', 'the journal is open already');
    this.#isClosed = false;
    const { dataFolder } = this.#options;
    if (dataFolder !== undefined) this.#folder = FolderOfCell.take(dataFolder, this.#cellName);
    try {
      return await this.#openCell();
    } catch (error) {
      this.#folder?.release();
      throw error;
    }
  }

  async #openCell(): Promise<JournalStart> {
    const connection = await this.#connectWriter();
    try {
      await migrate(connection);
      const lease = await this.#take(connection);
      const { start, trimmedSeq, total } = await readNumbers(connection, lease);
      const gate = new ReadGate(() => Connection.open(this.#options, this.#cellName), lease.cell);
      const transactions = new Transactions({
        connection,
        connect: () => this.#connectWriter(),
        lease,
        gate,
        onLost: (failure) => this.#options.onLost?.(failure),
      });
      const state = newState(start.lastSeq, total);
      this.#open = { lease, gate, transactions, state, reservedSeq: start.reservedSeq, trimmedSeq };
      this.#scheduleRenewal();
      return start;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  /**
   * Tells gateways how to reach this host. `read` is called now and with each renewal of the lease. Does not reject: without the server, the next
   * renewal writes it.
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
      await open.transactions.run((statements) => new PostgresWriter(statements, open.state).apply(writes));
    } catch (error) {
      // The batch was rolled back, and what the writer knew with it.
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
    return this.#read(listProcesses);
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
      // Without the server, the lease ends by its time.
      if (!(error instanceof JournalError)) throw error;
    }
    await Promise.all([transactions.close(), gate.close()]);
    this.#folder?.release();
  }

  #opened(): Open {
    if (this.#open === undefined) throw new JournalError('closed', 'the journal is not open');
    return this.#open;
  }

  async #read<T>(read: (statements: Statements, open: Open) => Promise<T>): Promise<T> {
    const open = this.#opened();
    return open.gate.read((statements) => read(statements, open));
  }

  async #connectWriter(): Promise<Connection> {
    const connection = await Connection.open(this.#options, this.#cellName);
    try {
      // Commits are durable when they resolve, whatever the default of the database is.
      await connection.execute(
        `SET synchronous_commit = on; SET idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`,
      );
    } catch (error) {
      await connection.end();
      throw error;
    }
    return connection;
  }

  /** Takes the cell, or waits for it. Rejects with the last refusal. */
  async #take(connection: Connection): Promise<Lease> {
    const end = performance.now() + (this.#options.waitMs ?? DEFAULT_WAIT_MS);
    let isTold = false;
    for (;;) {
      const taken = await takeLease(connection, { name: this.#cellName, ttlMs: this.#leaseMs });
      if (!(taken instanceof JournalError)) return taken;
      if (this.#isClosed)
        throw new JournalError('closed', 'the journal was closed while it waited for its cell');
      if (performance.now() >= end) throw taken;
      if (!isTold) this.#options.onWait?.(taken.message);
      isTold = true;
      await new Promise<void>((resolve) => void this.#timers.after(TAKE_PAUSE_MS, resolve));
    }
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
    const { lease, transactions } = open;
    const [ttlMs, announcement] = [this.#leaseMs, this.#announce()];
    try {
      if (await transactions.alone((connection) => renewLease(connection, lease, { ttlMs, announcement })))
        return;
    } catch (error) {
      // While the server does not answer, no other host takes the cell either.
      if (error instanceof JournalError) return;
      throw error;
    }
    transactions.lose(new JournalError('lost', TAKEN));
  }
}

function newState(lastSeq: number, total: number): WriterState {
  return { lastSeq, total, stale: new Set(), plain: new Set(), titles: new Map() };
}
