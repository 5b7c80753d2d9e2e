import { JournalError } from '../journal/journal.ts';
import { Connection, type Server } from '../journal/postgres/connection.ts';
import { isPermissionMissing } from '../journal/postgres/errors.ts';
import { checkFleetTables } from '../journal/postgres/fleet.ts';
import type { Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

/** Time limit for closing a connection without queries. */
const CLOSE_MS = 1_000;

/** Services and limits of a connection. */
export interface GatewayDatabaseParts {
  readonly server: Server;
  readonly timers: Timers;
  readonly log: Log;
  /** Time limit of a query, including a new connection. */
  readonly limitMs: number;
}

/**
 * A connection of a gateway to the database, made when it is needed. A query without an answer in time ends the connection, because a hanging server
 * closes none. It writes nothing.
 */
export class GatewayDatabase {
  readonly #parts: GatewayDatabaseParts;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #isClosed = false;
  #isFailing = false;

  constructor(parts: GatewayDatabaseParts) {
    this.#parts = parts;
  }

  /** Whether the last query failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Runs a query. Rejects with `JournalError`, 'unreachable' after the time limit and 'missing' before a host has made the tables. */
  async ask<T>(question: (connection: Connection) => Promise<T>): Promise<T> {
    const { timers, log, limitMs } = this.#parts;
    const late = Promise.withResolvers<never>();
    let used: Connection | undefined;
    const cancel = timers.after(limitMs, () => {
      used?.abandon();
      const message = `no answer from PostgreSQL within ${limitMs / 1_000} s: check the server and the network`;
      late.reject(new JournalError('unreachable', message));
    });
    const run = async (): Promise<T> => {
      used = await this.#connected();
      return reading(used, question);
    };
    try {
      const result = await Promise.race([run(), late.promise]);
      this.#isFailing = false;
      return result;
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed) log.error({ error }, 'the gateway cannot read the database');
      this.#isFailing = true;
      throw error;
    } finally {
      cancel();
    }
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting?.catch(() => undefined);
    const connection = this.#connection;
    if (connection === undefined) return;
    const late = Promise.withResolvers<void>();
    const cancel = this.#parts.timers.after(CLOSE_MS, late.resolve);
    await Promise.race([connection.end(), late.promise]);
    cancel();
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
    try {
      await reading(connection, checkFleetTables);
    } catch (error) {
      connection.abandon();
      throw error;
    }
    this.#connection = connection;
    return connection;
  }
}

/** Runs queries of a gateway. A missing permission rejects with the grants that a gateway needs, which are fewer than those of a host. */
async function reading<T>(
  connection: Connection,
  question: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    return await question(connection);
  } catch (cause) {
    if (!isPermissionMissing(cause)) throw cause;
    const { user, database, address } = connection.place;
    const role = /^[a-z_][a-z0-9_]*$/.test(user) ? user : `"${user.replaceAll('"', '""')}"`;
    throw new JournalError(
      'readOnly',
      `${user} cannot read the tables of the hosts in database ${database} at ${address}: run there as their owner: GRANT USAGE ON SCHEMA agenthost TO ${role}; GRANT SELECT ON agenthost.cells, agenthost.sessions, agenthost.version TO ${role};`,
      { cause },
    );
  }
}
