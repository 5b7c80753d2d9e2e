import { JournalError } from '../journal/journal.ts';
import { Connection, type Server } from '../journal/postgres/connection.ts';
import {
  cellsWithSessionsOf,
  type FleetCell,
  type FleetPlace,
  type FleetSession,
  listFleetSessions,
  readCells,
} from '../journal/postgres/fleet.ts';
import { migrate } from '../journal/postgres/migrations.ts';
import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

/** Age up to which a row is used without asking again, and pause between two looks at the cells of open connections. */
const FRESH_MS = 1_000;

/** A row that was read. */
interface Known {
  readonly cell: FleetCell;
  readonly readAt: number;
}

/** A connection of a client that ends when its cell gets another holder. */
interface Watched {
  readonly epoch: number;
  readonly onMoved: () => void;
}

/** Services of a directory. */
export interface DirectoryParts {
  readonly server: Server;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/**
 * The cells of a database: who holds them, and what is in them. Rows are read when they are asked for, and once a second while connections
 * to their holders are open. It writes nothing and locks nothing. While the database does not answer, the last known rows count: no other host can
 * take a cell then.
 */
export class CellDirectory {
  readonly #parts: DirectoryParts;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<FleetCell | undefined>>();
  readonly #watched = new Map<string, Set<Watched>>();
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #cancelPoll: Cancel | undefined;
  #isClosed = false;
  #isFailing = false;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  /** Makes the tables if a host has not yet. Rejects with `JournalError`. */
  async open(): Promise<void> {
    await migrate(await this.#connected());
  }

  /** A cell by name; `undefined` when there is none. Rejects with `JournalError` when the database does not answer and never told. */
  find(name: string): Promise<FleetCell | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined && this.#now() - known.readAt < FRESH_MS) return Promise.resolve(known.cell);
    const running = this.#reading.get(name);
    if (running !== undefined) return running;
    const reading = this.#read([name]).then(
      () => this.#known.get(name)?.cell,
      (error: unknown) => {
        if (known !== undefined && error instanceof JournalError) return known.cell;
        throw error;
      },
    );
    this.#reading.set(name, reading);
    const done = (): void => void this.#reading.delete(name);
    reading.then(done, done);
    return reading;
  }

  /** All cells, by name. Rejects with `JournalError`. */
  all(): Promise<FleetCell[]> {
    return this.#ask((connection) => readCells(connection));
  }

  /** See `listFleetSessions`. */
  sessions(options: { limit: number; after?: FleetPlace | undefined }): Promise<FleetSession[]> {
    return this.#ask((connection) => listFleetSessions(connection, options));
  }

  /** See `cellsWithSessionsOf`. */
  cellsOf(repository: string): Promise<string[]> {
    return this.#ask((connection) => cellsWithSessionsOf(connection, repository));
  }

  /** Whether the database answers. */
  async isReachable(): Promise<boolean> {
    try {
      await this.#ask((connection) => readCells(connection, []));
      return true;
    } catch {
      return false;
    }
  }

  /** Calls `onMoved` once, when the cell has another epoch. Returns a function that ends the watch. */
  watch({ name, epoch }: Pick<FleetCell, 'name' | 'epoch'>, onMoved: () => void): Cancel {
    const one = { epoch, onMoved };
    const all = this.#watched.get(name) ?? new Set();
    this.#watched.set(name, all.add(one));
    this.#schedulePoll();
    return () => {
      all.delete(one);
      if (all.size === 0 && this.#watched.get(name) === all) this.#watched.delete(name);
    };
  }

  /** Ends the connection to the database. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll?.();
    await this.#connecting?.catch(() => undefined);
    await this.#connection?.end();
  }

  #now(): number {
    return steadyNow(this.#parts.clock);
  }

  #schedulePoll(): void {
    if (this.#isClosed || this.#cancelPoll !== undefined || this.#watched.size === 0) return;
    this.#cancelPoll = this.#parts.timers.after(FRESH_MS, () => {
      void this.#poll().finally(() => {
        this.#cancelPoll = undefined;
        this.#schedulePoll();
      });
    });
  }

  async #poll(): Promise<void> {
    try {
      await this.#read([...this.#watched.keys()]);
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      // Reported by `#ask`. The holders stay what they are.
    }
  }

  async #read(names: readonly string[]): Promise<void> {
    const cells = await this.#ask((connection) => readCells(connection, names));
    const readAt = this.#now();
    const missing = new Set(names);
    for (const cell of cells) {
      missing.delete(cell.name);
      this.#known.set(cell.name, { cell, readAt });
      for (const { epoch, onMoved } of [...(this.#watched.get(cell.name) ?? [])])
        if (epoch !== cell.epoch) onMoved();
    }
    for (const name of missing) this.#known.delete(name);
  }

  async #ask<T>(ask: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      const result = await ask(await this.#connected());
      this.#isFailing = false;
      return result;
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed)
        this.#parts.log.error({ error }, 'the gateway cannot read the database');
      this.#isFailing = true;
      throw error;
    }
  }

  async #connected(): Promise<Connection> {
    if (this.#isClosed) throw new JournalError('closed', 'the gateway stops');
    if (this.#connection?.isLost === false) return this.#connection;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    const connection = await Connection.open(this.#parts.server, 'gateway');
    this.#connection = connection;
    return connection;
  }
}
