import { JournalError } from '../journal/journal.ts';
import type { Server } from '../journal/postgres/connection.ts';
import {
  cellsWithSessionsOf,
  type FleetCell,
  type FleetPlace,
  type FleetSession,
  listFleetSessions,
  readCells,
} from '../journal/postgres/fleet.ts';
import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { GatewayDatabase } from './database.ts';

/** Age up to which a row is used without another query, and pause between two queries for the cells of open connections. */
const FRESH_MS = 1_000;

/** Time for reading the rows of cells. Clients wait for it. */
const FIND_MS = 2_000;

/** Time for reading a list. */
const LIST_MS = 10_000;

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
 * The cells of a database, their holders and their sessions. Rows are read on demand, and once a second while connections to their holders are open.
 * It writes nothing and locks nothing. While the database does not answer, the last known rows are used: no other host can take a cell then. Lists have a
 * connection of their own, so that no client waits for a list.
 */
export class CellDirectory {
  readonly #parts: DirectoryParts;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<FleetCell | undefined>>();
  readonly #watched = new Map<string, Set<Watched>>();
  readonly #rows: GatewayDatabase;
  readonly #lists: GatewayDatabase;
  #cancelPoll: Cancel | undefined;
  #isClosed = false;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
    this.#rows = new GatewayDatabase({ ...parts, limitMs: FIND_MS });
    this.#lists = new GatewayDatabase({ ...parts, limitMs: LIST_MS });
  }

  /**
   * Connects, and checks the version of the tables. A database without tables is accepted: the gateway may start before the first host. Rejects with
   * `JournalError`.
   */
  async open(): Promise<void> {
    try {
      await this.#rows.ask((connection) => readCells(connection, []));
    } catch (error) {
      if (!(error instanceof JournalError && error.code === 'missing')) throw error;
    }
  }

  /**
   * A cell by name; `undefined` when there is none. While the database does not answer, the last known row is returned at once. Rejects with
   * `JournalError` when there is none.
   */
  find(name: string): Promise<FleetCell | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined && this.#now() - known.readAt < FRESH_MS) return Promise.resolve(known.cell);
    const reading = this.#reading.get(name) ?? this.#readOne(name, known);
    return known !== undefined && this.#rows.isFailing ? Promise.resolve(known.cell) : reading;
  }

  #readOne(name: string, known: Known | undefined): Promise<FleetCell | undefined> {
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
    return this.#lists.ask((connection) => readCells(connection));
  }

  /** See `listFleetSessions`. */
  sessions(options: { limit: number; after?: FleetPlace | undefined }): Promise<FleetSession[]> {
    return this.#lists.ask((connection) => listFleetSessions(connection, options));
  }

  /** See `cellsWithSessionsOf`. */
  cellsOf(repository: string): Promise<string[]> {
    return this.#lists.ask((connection) => cellsWithSessionsOf(connection, repository));
  }

  /** Whether the database answers. */
  async isReachable(): Promise<boolean> {
    try {
      await this.#rows.ask((connection) => readCells(connection, []));
      return true;
    } catch {
      return false;
    }
  }

  /** Calls `onMoved` once, when another host has taken the cell. Returns a function that ends the watch. */
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

  /** Ends the connections to the database. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll?.();
    await Promise.all([this.#rows.close(), this.#lists.close()]);
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
      // The connection reports the error. The holders stay the same.
    }
  }

  async #read(names: readonly string[]): Promise<void> {
    const cells = await this.#rows.ask((connection) => readCells(connection, names));
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
}
