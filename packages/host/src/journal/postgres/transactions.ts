import { JournalError } from '../journal.ts';
import { type Connection, number, Statements } from './connection.ts';
import { isConnectionLoss, TAKEN } from './errors.ts';
import { FENCE } from './fence.ts';
import type { Lease } from './lease.ts';
import type { ReadGate } from './read-gate.ts';

/** Time in which the outcome of a `COMMIT` must become known after its connection was lost. */
const SETTLE_LIMIT_MS = 30_000;
/** Pause between two questions for it. */
const SETTLE_PAUSE_MS = 200;

/** Parts of `Transactions`. */
export interface TransactionParts {
  readonly connection: Connection;
  readonly connect: () => Promise<Connection>;
  readonly lease: Lease;
  readonly gate: ReadGate;
  /** Called once, when the journal can never be written again. */
  readonly onLost: (failure: JournalError) => void;
}

/** The transactions of a host that holds a cell, one after the other on one connection, each under the fence of the lease. */
export class Transactions {
  readonly #parts: TransactionParts;
  #connection: Connection;
  #queue: Promise<unknown> = Promise.resolve();
  #lost: JournalError | undefined;
  /** Counts the transactions of this epoch. */
  #mark = 0;

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
   * this waits until the server answers whether it was committed. Without an answer within 30 s the journal is lost for this host.
   */
  run<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#inOrder(() => this.#transact(work));
  }

  /** Runs statements outside a transaction, between two transactions. */
  alone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#inOrder(async () => work(await this.#connected()));
  }

  /** No transaction succeeds from now on. */
  lose(failure: JournalError): JournalError {
    if (this.#lost !== undefined) return this.#lost;
    this.#lost = failure;
    this.#parts.onLost(failure);
    return failure;
  }

  /** Ends the connection, after the running transaction. */
  close(): Promise<void> {
    return this.#inOrder(() => this.#connection.end());
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #connected(): Promise<Connection> {
    if (this.#connection.isLost) this.#connection = await this.#parts.connect();
    return this.#connection;
  }

  async #transact<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    if (this.#lost !== undefined) throw this.#lost;
    const { gate } = this.#parts;
    const connection = await this.#connected();
    this.#mark += 1;
    const mark = this.#mark;
    let result: T;
    try {
      result = await this.#send(connection, mark, work);
    } catch (error) {
      await rollBack(connection);
      if (error instanceof JournalError && error.code === 'lost') throw this.lose(error);
      throw error;
    }
    await gate.beforeCommit();
    try {
      await this.#commit(connection, mark);
    } finally {
      gate.afterCommit();
    }
    return result;
  }

  /** Sends all of a transaction but its `COMMIT`: in one round trip, unless `work` waits for answers. */
  async #send<T>(
    connection: Connection,
    mark: number,
    work: (statements: Statements) => Promise<T>,
  ): Promise<T> {
    const { lease, gate } = this.#parts;
    const prepared = gate.prepare();
    const fenced = Promise.all([
      connection.query('BEGIN'),
      connection.query(FENCE, [lease.cell, lease.epoch, mark]),
    ]);
    const worked = work(new Statements(connection, lease.cell));
    // All have ended before the caller rolls back. The failure of the fence says most.
    await Promise.allSettled([fenced, worked, prepared]);
    await fenced;
    await prepared;
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

  /** Asks the server until it knows the outcome of a transaction. */
  async #wasCommitted(mark: number, cause: unknown): Promise<boolean> {
    const { cell, epoch } = this.#parts.lease;
    const end = performance.now() + SETTLE_LIMIT_MS;
    while (performance.now() < end) {
      try {
        const connection = await this.#connected();
        // Waits for the end of the transaction, if the server still runs it.
        const { rows } = await connection.query(
          'SELECT epoch, mark FROM agenthost.cells WHERE id = $1 FOR UPDATE',
          [cell],
        );
        const row = rows[0] ?? {};
        if (number(row, 'epoch') === epoch) return number(row, 'mark') === mark;
        // The transaction may have been committed before the other host took the cell. This host can do nothing with either outcome.
        throw this.lose(new JournalError('lost', TAKEN, { cause }));
      } catch (error) {
        if (!(error instanceof JournalError) || error === this.#lost) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, SETTLE_PAUSE_MS));
    }
    throw this.lose(
      new JournalError(
        'lost',
        `the connection was lost during a commit, and the server did not answer within ${SETTLE_LIMIT_MS / 1000} s: start the host again`,
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
