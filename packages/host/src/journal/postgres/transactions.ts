import { JournalError } from '../journal.ts';
import type { Announcement } from './announcement.ts';
import { type Connection, number, Statements, text } from './connection.ts';
import { isConnectionLoss, RESTORED, TAKEN } from './errors.ts';
import { EXTEND, FENCE } from './fence.ts';
import { type Lease, renewLease } from './lease.ts';
import { type LeaseTime, momentNow } from './lease-time.ts';
import type { ReadGate } from './read-gate.ts';

/** Pause between two queries for the outcome of a commit. */
const SETTLE_PAUSE_MS = 200;
/** A transaction that takes longer than this part of the lease extends the lease again at its end. */
const SLOW_PART = 1 / 6;

/** Parts of `Transactions`. */
export interface TransactionParts {
  readonly connection: Connection;
  readonly connect: () => Promise<Connection>;
  readonly lease: Lease;
  /** Duration of the lease. */
  readonly leaseMs: number;
  readonly leaseTime: LeaseTime;
  readonly gate: ReadGate;
  /** Time limit for the outcome of a `COMMIT` after its connection was lost. */
  readonly giveUpMs: number;
  /** Called once for each `COMMIT` whose outcome is unknown because the server does not answer, with the reason. */
  readonly onUnknown: ((message: string) => void) | undefined;
  /** Called once, when the journal can never be written again. */
  readonly onLost: (failure: JournalError) => void;
}

/** Runs work in the order of the calls, one after the other. */
class Line {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** The transactions of a host that holds a cell, one after the other on one connection, each under the fence of the lease. */
export class Transactions {
  readonly #parts: TransactionParts;
  #connection: Connection;
  readonly #commits = new Line();
  /** Renewals of the lease do not wait for a commit that waits for slow reads. */
  readonly #statements = new Line();
  #lost: JournalError | undefined;
  #isClosed = false;
  /** Counts the transactions of this lease. */
  #mark = 0;
  /** The number of the last one that was committed. */
  #committed = 0;

  constructor(parts: TransactionParts) {
    this.#parts = parts;
    this.#connection = parts.connection;
  }

  /** Why the journal can never be written again; `undefined` while it can. */
  get lost(): JournalError | undefined {
    return this.#lost;
  }

  /**
   * Runs `work` in a transaction. When the connection is lost before `COMMIT`, the transaction has failed; when it is lost during `COMMIT`,
   * this waits until the server reports whether it was committed. Without an answer within `giveUpMs` the journal is lost for this host.
   */
  run<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#commits.run(async () => {
      const { gate } = this.#parts;
      this.#check();
      await gate.pin();
      try {
        return await this.#statements.run(() => this.#transact(work));
      } finally {
        gate.unpin();
      }
    });
  }

  /** Runs statements outside a transaction, between two transactions. */
  alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#statements.run(async () => work(await this.#connected()));
  }

  /** Renews the lease. Rejects with 'lost' when this host no longer holds it, or the database lacks its last commit. */
  renew(announcement: Announcement | undefined): Promise<void> {
    const { lease, leaseMs, leaseTime } = this.#parts;
    return this.#statements.run(async () => {
      this.#check();
      const connection = await this.#connected();
      const asked = momentNow();
      if (!(await renewLease(connection, lease, { ttlMs: leaseMs, mark: this.#committed, announcement })))
        throw this.lose(new JournalError('lost', TAKEN));
      leaseTime.confirm(asked);
    });
  }

  /** Marks the journal as lost: no later transaction succeeds. Returns the first failure. */
  lose(failure: JournalError): JournalError {
    if (this.#lost !== undefined) return this.#lost;
    this.#lost = failure;
    this.#parts.onLost(failure);
    return failure;
  }

  /** Ends the connection, after the running transaction. Later transactions reject with 'closed'. */
  close(): Promise<void> {
    return this.#statements.run(async () => {
      this.#isClosed = true;
      await this.#connection.end();
    });
  }

  #check(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#isClosed) throw new JournalError('closed', 'the journal is not open');
  }

  async #connected(): Promise<Connection> {
    if (!this.#connection.isLost) return this.#connection;
    try {
      this.#connection = await this.#parts.connect();
    } catch (error) {
      if (error instanceof JournalError && error.code === 'lost') throw this.lose(error);
      throw error;
    }
    return this.#connection;
  }

  async #transact<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    this.#check();
    const { gate, leaseMs, leaseTime } = this.#parts;
    const connection = await this.#connected();
    this.#mark += 1;
    const mark = this.#mark;
    let asked = momentNow();
    let result: T;
    try {
      result = await this.#send(connection, mark, work);
      await gate.beforeCommit();
      const now = momentNow();
      if (now.steady - asked.steady > leaseMs * SLOW_PART) {
        await connection.query(EXTEND, [this.#parts.lease.cell, leaseMs]);
        asked = now;
      }
    } catch (error) {
      await rollBack(connection);
      if (error instanceof JournalError && error.code === 'lost') throw this.lose(error);
      throw error;
    }
    await this.#commit(connection, mark);
    this.#committed = mark;
    leaseTime.confirm(asked);
    return result;
  }

  /** Sends a transaction without its `COMMIT`: in one round trip, unless `work` waits for answers. */
  async #send<T>(
    connection: Connection,
    mark: number,
    work: (statements: Statements) => Promise<T>,
  ): Promise<T> {
    const { lease, leaseMs } = this.#parts;
    const fenced = Promise.all([
      connection.query('BEGIN'),
      connection.query(FENCE, [lease.cell, lease.token, this.#committed, mark, leaseMs]),
    ]);
    const worked = work(new Statements(connection, lease.cell));
    // Both have ended before the caller rolls back. The failure of the fence is the most specific one.
    await Promise.allSettled([fenced, worked]);
    await fenced;
    return worked;
  }

  async #commit(connection: Connection, mark: number): Promise<void> {
    try {
      const { command } = await connection.query('COMMIT');
      if (command === 'COMMIT') return;
    } catch (error) {
      const { cause } = error instanceof Error ? error : {};
      if (!isConnectionLoss(cause)) throw error;
      connection.abandon();
      if (await this.#wasCommitted(mark, error)) return;
      throw error;
    }
    throw new JournalError('io', 'the server rolled the transaction back');
  }

  /** Queries the server until the outcome of a transaction is known. */
  async #wasCommitted(mark: number, cause: unknown): Promise<boolean> {
    const { giveUpMs, onUnknown } = this.#parts;
    const { cell, token } = this.#parts.lease;
    const end = performance.now() + giveUpMs;
    let isTold = false;
    while (performance.now() < end) {
      try {
        const connection = await this.#connected();
        // Waits for the end of the transaction, if the server still runs it.
        const { rows } = await connection.query(
          `SELECT coalesce(lease::text, '') AS lease, mark FROM agenthost.cells WHERE id = $1 FOR UPDATE`,
          [cell],
        );
        const row = rows[0] ?? {};
        // The transaction may have been committed before the other host took the cell. For this host both outcomes mean the same.
        if (text(row, 'lease') !== token) throw this.lose(new JournalError('lost', TAKEN, { cause }));
        const found = number(row, 'mark');
        if (found !== mark && found !== this.#committed)
          throw this.lose(new JournalError('lost', RESTORED, { cause }));
        return found === mark;
      } catch (error) {
        if (!(error instanceof JournalError) || error === this.#lost) throw error;
        if (!isTold) onUnknown?.(error.message);
        isTold = true;
      }
      await new Promise((resolve) => setTimeout(resolve, SETTLE_PAUSE_MS));
    }
    throw this.lose(
      new JournalError(
        'lost',
        `the connection was lost during a commit, and PostgreSQL did not answer for ${giveUpMs / 1_000} s, so this host gave up its cell: check the server, and start this host again`,
        { cause },
      ),
    );
  }
}

/** The server rolls back by itself when the connection ends. */
async function rollBack(connection: Connection): Promise<void> {
  if (connection.isLost) return;
  try {
    await connection.execute('ROLLBACK');
  } catch {
    connection.abandon();
  }
}
