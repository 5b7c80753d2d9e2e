import { JournalError } from '../journal.ts';
import { type Connection, Statements } from './connection.ts';

/** Limit of snapshots that reads hold at the same time, besides the one for the reads during a commit. */
const READ_SNAPSHOTS = 2;
/** Connections for reads. More than three only while slow reads hold snapshots of earlier commits; further commits wait for one. */
const MAX_CONNECTIONS = 5;
/** Number of connections that stay open without a read. */
const KEPT_CONNECTIONS = 3;
/** Time limit for running reads when the journal is closed. */
const CLOSE_LIMIT_MS = 2_000;

type Work<T> = (statements: Statements) => Promise<T>;

/** A transaction that reads: all its statements see the commits before `begun`. */
interface Snapshot {
  readonly connection: Connection;
  readonly begun: Promise<void>;
  readCount: number;
}

/** A read, or a commit, that waits for a snapshot. */
interface Waiting {
  readonly start: (snapshot: Snapshot) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Runs reads on connections of their own, so that each read sees exactly the commits that had resolved when it was called. Each read has a
 * snapshot, which it takes before the next `COMMIT` is sent: a slow read delays no commit. Reads that are called during a commit, or that still
 * wait for a connection then, share a snapshot from before it.
 */
export class ReadGate {
  readonly #connect: () => Promise<Connection>;
  readonly #cell: number;
  readonly #free: Connection[] = [];
  /** Open connections, and those that are being made. */
  #count = 0;
  readonly #connecting = new Set<Promise<void>>();
  readonly #snapshots = new Set<Snapshot>();
  readonly #waiting: Waiting[] = [];
  /** The commit that waits for its snapshot. */
  #pinning: Waiting | undefined;
  #pinned: Snapshot | undefined;
  #isCommitting = false;
  #isClosed = false;
  #onIdle: () => void = () => undefined;

  constructor(connect: () => Promise<Connection>, cell: number) {
    this.#connect = connect;
    this.#cell = cell;
  }

  /** Runs a read. Rejects with `JournalError`. */
  read<T>(work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        start: (snapshot) => resolve(this.#run(snapshot, work)),
        fail: reject,
      });
      this.#serve();
    });
  }

  /**
   * Takes the snapshot for the reads during the next commit: resolves when the server is asked for it. Waits while slow reads of earlier commits
   * use all connections. Call before the transaction begins, and `unpin` when it has an outcome.
   */
  async pin(): Promise<void> {
    await new Promise<Snapshot>((resolve, reject) => {
      this.#pinning = { start: resolve, fail: reject };
      this.#serve();
    });
  }

  /** Resolves when `COMMIT` may be sent: all reads that were called have their snapshots. */
  async beforeCommit(): Promise<void> {
    this.#isCommitting = true;
    this.#serve();
    await Promise.allSettled([...this.#snapshots].map(({ begun }) => begun));
    await this.#pinned?.begun;
  }

  /** Ends the wait of later reads: the commit has an outcome, and they see it. */
  unpin(): void {
    this.#isCommitting = false;
    const pinned = this.#pinned;
    this.#pinned = undefined;
    if (pinned !== undefined) this.#endUnused(pinned);
    this.#serve();
  }

  /** Waits up to 2 s for running reads, and then aborts them: they reject with 'unreachable'. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#serve();
    let late: NodeJS.Timeout | undefined;
    if (this.#snapshots.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
        late = setTimeout(resolve, CLOSE_LIMIT_MS);
      });
    }
    clearTimeout(late);
    for (const { connection } of this.#snapshots) connection.abandon();
    await Promise.all(this.#connecting);
    await Promise.all(this.#free.splice(0).map((connection) => connection.end()));
  }

  /** Starts waiting reads and commits while connections are available. */
  #serve(): void {
    if (this.#isClosed) {
      const closed = new JournalError('closed', 'the journal is not open');
      for (const { fail } of this.#waiting.splice(0)) fail(closed);
      this.#pinning?.fail(closed);
      this.#pinning = undefined;
      return;
    }
    if (this.#pinning !== undefined) {
      const snapshot = this.#begin();
      if (snapshot !== undefined) {
        const { start } = this.#pinning;
        this.#pinning = undefined;
        // Reads of this snapshot are called during the commit, so it must not end before.
        this.#pinned = snapshot;
        start(snapshot);
      }
    }
    while (this.#waiting.length > 0) {
      const snapshot = this.#isCommitting ? this.#pinned : this.#beginRead();
      if (snapshot === undefined) break;
      this.#waiting.shift()?.start(snapshot);
    }
    const missing = this.#waiting.length + (this.#pinning === undefined ? 0 : 1) - this.#connecting.size;
    for (let n = 0; n < missing && this.#count < this.#limit; n += 1) this.#open();
  }

  get #limit(): number {
    return this.#pinning === undefined ? READ_SNAPSHOTS + 1 : MAX_CONNECTIONS;
  }

  #beginRead(): Snapshot | undefined {
    const held = this.#snapshots.size - (this.#pinned === undefined ? 0 : 1);
    return held < READ_SNAPSHOTS ? this.#begin() : undefined;
  }

  #begin(): Snapshot | undefined {
    for (;;) {
      const connection = this.#free.pop();
      if (connection === undefined) return undefined;
      if (connection.isLost) {
        this.#count -= 1;
        continue;
      }
      // The first query of a transaction takes its snapshot.
      const begun = connection.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1');
      // Its reads fail too, and report the error.
      begun.catch(() => undefined);
      const snapshot = { connection, begun, readCount: 0 };
      this.#snapshots.add(snapshot);
      return snapshot;
    }
  }

  async #run<T>(snapshot: Snapshot, work: Work<T>): Promise<T> {
    snapshot.readCount += 1;
    try {
      const result = work(new Statements(snapshot.connection, this.#cell));
      // Outside the transaction, the read could see later commits.
      const [read] = await Promise.all([result, snapshot.begun]);
      return read;
    } finally {
      snapshot.readCount -= 1;
      this.#endUnused(snapshot);
    }
  }

  /** Ends a snapshot that nothing uses. Its connection is free at once: the server runs statements in order. */
  #endUnused(snapshot: Snapshot): void {
    if (snapshot.readCount > 0 || snapshot === this.#pinned) return;
    this.#snapshots.delete(snapshot);
    const { connection } = snapshot;
    if (connection.isLost) this.#count -= 1;
    else {
      // The next transaction on this connection must not begin inside this one.
      connection.execute('COMMIT').catch(() => connection.abandon());
      if (this.#free.length < KEPT_CONNECTIONS) this.#free.push(connection);
      else {
        this.#count -= 1;
        void connection.end();
      }
    }
    if (this.#snapshots.size === 0) this.#onIdle();
    this.#serve();
  }

  #open(): void {
    this.#count += 1;
    const made = this.#connect().then(
      (connection) => {
        this.#connecting.delete(made);
        this.#free.push(connection);
        this.#serve();
      },
      (error: unknown) => {
        this.#connecting.delete(made);
        this.#count -= 1;
        const failed = this.#pinning ?? this.#waiting.shift();
        if (failed === this.#pinning) this.#pinning = undefined;
        failed?.fail(error);
        this.#serve();
      },
    );
    this.#connecting.add(made);
  }
}
