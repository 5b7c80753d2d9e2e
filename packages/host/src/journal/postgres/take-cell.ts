import type { Timers } from '../../lib/clock.ts';
import { JournalError } from '../journal.ts';
import { type Connection, number, Statements } from './connection.ts';
import { CellInUse, type Lease, takeLease } from './lease.ts';
import { LeaseTime, momentNow } from './lease-time.ts';
import { migrate } from './migrations.ts';
import { type Numbers, readNumbers } from './numbers.ts';
import { readIdentity } from './session.ts';

/** Pause between two attempts to take a cell. */
const PAUSE_MS = 500;
/** Pause between two attempts to upgrade tables that a reader holds, in which the other hosts commit. */
const UPGRADE_PAUSE_MS = 2_000;
/** Shortest wait for such a reader, which is no host whose lease would end. Shorter than `agenthost start` waits for a host. */
const UPGRADE_WAIT_MS = 45_000;

/** How to take a cell. */
export interface TakeOptions {
  /** Name of the cell. */
  readonly name: string;
  /** Duration of the lease. */
  readonly leaseMs: number;
  /** ms to wait for another host. Infinity: also for a server that does not answer. */
  readonly waitMs: number;
  /** Called with the reason and the holder, if it is known, when the wait begins, and again when the kind of reason or the holder changes. */
  readonly onWait: ((message: string, holder: string | undefined) => void) | undefined;
  readonly timers: Timers;
  readonly connect: () => Promise<Connection>;
  /** Called once before the wait for another host, with what the journal knows of the cell. */
  readonly beforeWait: ((statements: Statements) => Promise<void>) | undefined;
  /** Whether the journal was closed, so that the wait has to end. */
  readonly isClosed: () => boolean;
}

/** A cell that this host has just taken. */
export interface TakenCell {
  readonly connection: Connection;
  readonly lease: Lease;
  readonly leaseTime: LeaseTime;
  readonly numbers: Numbers;
  /** Identity of the database; see `readIdentity`. */
  readonly identity: string;
}

/** Connects, migrates and takes the cell, or waits for it. Rejects with the last refusal, or with 'closed'. */
export async function takeCell(options: TakeOptions): Promise<TakenCell> {
  const { name, waitMs, onWait, timers, isClosed } = options;
  const end = performance.now() + waitMs;
  let connection: Connection | undefined;
  let told: { readonly code: JournalError['code']; readonly holder: string | undefined } | undefined;
  let { beforeWait } = options;
  try {
    for (;;) {
      let refusal: JournalError;
      try {
        if (connection?.isLost !== false) connection = await prepared(options);
        const taken = await tryTaking(connection, options);
        if (!(taken instanceof CellInUse)) return taken;
        refusal = taken;
        if (beforeWait !== undefined) {
          await beforeWait(new Statements(connection, await idOf(connection, name)));
          beforeWait = undefined;
        }
      } catch (error) {
        if (!(error instanceof JournalError)) throw error;
        const isPatient = waitMs === Number.POSITIVE_INFINITY;
        if (error.code !== 'locked' && !(isPatient && error.code === 'unreachable')) throw error;
        connection?.abandon();
        refusal = error;
      }
      if (isClosed()) throw new JournalError('closed', 'the journal was closed while it waited for its cell');
      if (performance.now() >= end) throw refusal;
      const { code, message } = refusal;
      const holder = refusal instanceof CellInUse ? refusal.holder : undefined;
      if (told?.code !== code || told.holder !== holder) onWait?.(message, holder);
      told = { code, holder };
      await new Promise<void>((resolve) => void timers.after(PAUSE_MS, resolve));
    }
  } catch (error) {
    await connection?.end();
    throw error;
  }
}

/** Connects, and creates or migrates the tables. Waits while a reader, such as `pg_dump`, holds them. */
async function prepared({ connect, waitMs, onWait, timers, isClosed }: TakeOptions): Promise<Connection> {
  const connection = await connect();
  const end = performance.now() + Math.max(waitMs, UPGRADE_WAIT_MS);
  try {
    for (let isTold = false; ; isTold = true) {
      try {
        await connection.patiently(() => migrate(connection));
        return connection;
      } catch (error) {
        if (!(error instanceof JournalError) || error.code !== 'locked' || isClosed()) throw error;
        if (performance.now() >= end)
          throw new JournalError('locked', `${error.message}; then start this host again`, { cause: error });
        if (!isTold) onWait?.(error.message, undefined);
      }
      await new Promise<void>((resolve) => void timers.after(UPGRADE_PAUSE_MS, resolve));
    }
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

async function idOf(connection: Connection, name: string): Promise<number> {
  const { rows } = await connection.query('SELECT id FROM agenthost.cells WHERE name = $1', [name]);
  return number(rows[0] ?? {}, 'id');
}

async function tryTaking(
  connection: Connection,
  { name, leaseMs: ttlMs }: TakeOptions,
): Promise<TakenCell | CellInUse> {
  const asked = momentNow();
  const lease = await takeLease(connection, { name, ttlMs });
  if (lease instanceof CellInUse) return lease;
  const leaseTime = new LeaseTime(asked);
  const identity = await readIdentity(connection);
  return { connection, lease, leaseTime, identity, numbers: await readNumbers(connection, lease, identity) };
}
