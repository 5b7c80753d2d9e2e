import type { JournalWrite } from '../journal.ts';
import { JournalError } from '../journal.ts';
import type { Connection } from './connection.ts';
import { PostgresJournal } from './postgres-journal.ts';

/** Short, so that a paused host loses its cell within a history. */
const LEASE_MS = 40;
const STEPS = 30;
const CHANNEL = 'ahp-chat:/history';

/** Draws from 0 up to, but not including, 1. */
export type Chance = () => number;

/** What a history found. */
export interface HistoryEnd {
  /** What contradicts the promises of the lease. Empty: nothing. */
  readonly violations: readonly string[];
  readonly takeovers: number;
  /** Commits that hosts were told about. */
  readonly acknowledged: number;
  /** Commits that were refused because another host had taken the cell. */
  readonly fenced: number;
}

/** A host of a history: its journal, and what it was told. */
class Owner {
  readonly name: string;
  readonly journal: PostgresJournal;
  /** `lastSeq` at its start. Absent until it has taken the cell. */
  startedAfter: number | undefined;
  readonly acknowledged: number[] = [];
  fenced = 0;
  #nextSeq = 0;
  #work: Promise<unknown> = Promise.resolve();
  #isPaused = false;
  readonly #late: (() => void)[] = [];

  constructor(name: string, options: { url: string; cell: string }) {
    this.name = name;
    this.journal = new PostgresJournal({
      ...options,
      leaseMs: LEASE_MS,
      waitMs: 6 * LEASE_MS,
      timers: {
        after: (delayMs, callback) => {
          const timer = setTimeout(
            () => {
              if (this.#isPaused) this.#late.push(callback);
              else callback();
            },
            Math.min(delayMs, LEASE_MS / 3),
          );
          return () => clearTimeout(timer);
        },
        immediate: (callback) => void setImmediate(callback),
      },
    });
  }

  /** Tries to take the cell. */
  take(onTaken: () => void): void {
    this.#do(async () => {
      const { lastSeq } = await this.journal.open();
      this.startedAfter = lastSeq;
      this.#nextSeq = lastSeq;
      onTaken();
    });
  }

  /** Commits some envelopes, after what the host has begun before. */
  commit(count: number): void {
    this.#do(async () => {
      if (this.startedAfter === undefined) return;
      const seqs = Array.from({ length: count }, (_, index) => this.#nextSeq + index + 1);
      const writes: JournalWrite[] = seqs.map((seq) => ({
        op: 'envelope',
        seq,
        channel: CHANNEL,
        time: seq,
        json: JSON.stringify(this.name),
      }));
      await this.journal.commit([...writes, { op: 'meta', key: 'k', value: this.name }]);
      this.#nextSeq += count;
      this.acknowledged.push(...seqs);
    });
  }

  /** Its timers do not run until `resume`, as in a process that is paused. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const callback of this.#late.splice(0)) callback();
  }

  /** Resolves when all that it has begun has ended. */
  settled(): Promise<unknown> {
    return this.#work;
  }

  #do(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!(error instanceof JournalError)) throw error;
      if (error.code === 'lost') this.fenced += 1;
    });
  }
}

/**
 * Plays one history of a cell on a real server: hosts take it, commit, pause and wake up, connections are cut, and commits are held between their fence
 * and their end. Then compares what the hosts were told with what the database has.
 */
export async function playHistory(
  admin: Connection,
  { url, cell, chance }: { readonly url: string; readonly cell: string; readonly chance: Chance },
): Promise<HistoryEnd> {
  const owners: Owner[] = [];
  let taken: Owner[] = [];
  let isHeld = false;
  const pick = (): Owner | undefined => owners[Math.floor(chance() * owners.length)];
  const add = (): void => {
    const owner = new Owner(`owner ${owners.length}`, { url, cell });
    owners.push(owner);
    owner.take(() => {
      taken = [...taken, owner];
    });
  };
  const release = async (): Promise<void> => {
    if (isHeld) await admin.execute('ROLLBACK');
    isHeld = false;
  };
  const steps: readonly [share: number, step: () => Promise<void> | void][] = [
    [0.45, () => pick()?.commit(1 + Math.floor(chance() * 4))],
    [0.1, () => (owners.length < 5 ? add() : undefined)],
    [0.06, () => pick()?.pause()],
    // The host that has the cell, so that another can take it.
    [0.06, () => taken.at(-1)?.pause()],
    [0.08, () => pick()?.resume()],
    [0.05, () => cut(admin, cell)],
    [
      0.06,
      async () => {
        if (!isHeld) await hold(admin, cell);
        isHeld = true;
      },
    ],
    [0.06, release],
    [0.08, () => new Promise((resolve) => setTimeout(resolve, chance() * 3 * LEASE_MS))],
  ];
  add();
  await owners[0]?.settled();
  owners[0]?.commit(1);
  for (let count = 0; count < STEPS; count += 1) {
    let left = chance();
    const [, step] = steps.find(([share]) => (left -= share) < 0) ?? [0, () => undefined];
    await step();
    await new Promise((resolve) => setTimeout(resolve, chance() * 4));
  }
  await release();
  for (const owner of owners) owner.resume();
  for (const owner of owners) await owner.settled();
  const { rows } = await admin.query(
    `SELECT seq, json FROM agenthost.envelopes JOIN agenthost.cells ON id = cell WHERE name = $1 ORDER BY seq`,
    [cell],
  );
  for (const owner of owners) await owner.journal.close();
  return {
    violations: findViolations(
      taken,
      rows.map(({ seq, json }) => ({ seq: Number(seq), owner: String(JSON.parse(String(json))) })),
    ),
    takeovers: taken.length - 1,
    acknowledged: taken.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0),
    fenced: owners.reduce((sum, { fenced }) => sum + fenced, 0),
  };
}

/** Keeps commits of a cell from ending: each writes this row behind its fence. */
const hold = (admin: Connection, cell: string): Promise<void> =>
  admin.execute(
    `BEGIN; SELECT value FROM agenthost.meta WHERE cell = (SELECT id FROM agenthost.cells WHERE name = '${cell}') FOR UPDATE`,
  );

const cut = (admin: Connection, cell: string): Promise<void> =>
  admin.execute(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agenthost ${cell}'`,
  );

function findViolations(
  taken: readonly Owner[],
  rows: readonly { readonly seq: number; readonly owner: string }[],
): string[] {
  const violations: string[] = [];
  const ownerOf = new Map(rows.map(({ seq, owner }) => [seq, owner]));
  for (const [index, { name, acknowledged }] of taken.entries()) {
    const next = taken[index + 1]?.startedAfter ?? Number.POSITIVE_INFINITY;
    for (const seq of acknowledged) {
      if (ownerOf.get(seq) !== name)
        violations.push(`${seq} of ${name} was acknowledged, and belongs to ${ownerOf.get(seq) ?? 'nobody'}`);
      if (seq > next)
        violations.push(`${seq} of ${name} was acknowledged, but the next host began at ${next}`);
    }
  }
  const ranks = new Map(taken.map(({ name }, index) => [name, index]));
  let last = -1;
  for (const { seq, owner } of rows) {
    const rank = ranks.get(owner) ?? -1;
    if (rank < last) violations.push(`${seq} of ${owner} stands behind those of a later host`);
    last = Math.max(last, rank);
  }
  return violations;
}
