import { JournalError } from '../journal.ts';
import { type Connection, Statements } from './connection.ts';

/** Connections for reads of one journal, beside the one with the snapshot. */
const MAX_CONNECTIONS = 2;

type Work<T> = (statements: Statements) => Promise<T>;

/**
 * Runs reads on connections of their own, so that each read sees exactly the commits that had resolved when it was called. The `COMMIT` of
 * a transaction waits for the reads that were called before it. Reads that are called while it runs go to a snapshot from before it.
 */
export class ReadGate {
  readonly #connect: () => Promise<Connection>;
  readonly #cell: number;
  readonly #free: Connection[] = [];
  #count = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #reading = new Set<Promise<unknown>>();
  /** The connection with the snapshot, in a transaction from `prepare` on. */
  #snapshot: Connection | undefined;
  readonly #onSnapshot = new Set<Promise<unknown>>();
  #hasTransaction = false;
  #isCommitting = false;
  #isClosed = false;

  constructor(connect: () => Promise<Connection>, cell: number) {
    this.#connect = connect;
    this.#cell = cell;
  }

  /** Runs a read. Rejects with `JournalError`. */
  read<T>(work: Work<T>): Promise<T> {
    const snapshot = this.#isCommitting ? this.#snapshot : undefined;
    const [reads, result] =
      snapshot === undefined
        ? [this.#reading, this.#run(work)]
        : [this.#onSnapshot, work(new Statements(snapshot, this.#cell))];
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    reads.add(settled);
    void settled.then(() => reads.delete(settled));
    return result;
  }

  /** Takes the snapshot for the reads during the next `COMMIT`. */
  async prepare(): Promise<void> {
    await this.#endSnapshot();
    if (this.#snapshot?.isLost !== false) this.#snapshot = await this.#connect();
    // The first query of a transaction takes its snapshot.
    await this.#snapshot.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1');
    this.#hasTransaction = true;
  }

  /** Resolves when `COMMIT` may be sent. `prepare` has resolved before. */
  async beforeCommit(): Promise<void> {
    this.#isCommitting = true;
    await Promise.all(this.#reading);
  }

  /** The commit has an outcome: later reads see it. */
  afterCommit(): void {
    this.#isCommitting = false;
    // A snapshot that stays open would keep the server from removing old rows. A failure is that of a lost connection, which `prepare` finds.
    void this.#endSnapshot();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#reading, ...this.#onSnapshot]);
    const connections = this.#free.splice(0);
    if (this.#snapshot !== undefined) connections.push(this.#snapshot);
    await Promise.all(connections.map((connection) => connection.end()));
  }

  async #endSnapshot(): Promise<void> {
    await Promise.all(this.#onSnapshot);
    const snapshot = this.#snapshot;
    if (!this.#hasTransaction || snapshot === undefined) return;
    this.#hasTransaction = false;
    if (snapshot.isLost) return;
    try {
      await snapshot.execute('COMMIT');
    } catch {
      // The next transaction must not meet the rest of this one.
      snapshot.abandon();
    }
  }

  async #run<T>(work: Work<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await work(new Statements(connection, this.#cell));
    } finally {
      if (connection.isLost) this.#count -= 1;
      else this.#free.push(connection);
      this.#waiting.shift()?.();
    }
  }

  async #take(): Promise<Connection> {
    for (;;) {
      if (this.#isClosed) throw new JournalError('closed', 'the journal is not open');
      const free = this.#free.pop();
      if (free?.isLost === false) return free;
      if (free !== undefined) this.#count -= 1;
      else if (this.#count < MAX_CONNECTIONS) return this.#another();
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async #another(): Promise<Connection> {
    this.#count += 1;
    try {
      return await this.#connect();
    } catch (error) {
      this.#count -= 1;
      this.#waiting.shift()?.();
      throw error;
    }
  }
}
