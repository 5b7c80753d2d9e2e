import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Journal, JournalWrite } from './journal.ts';
import {
  dropsAnything,
  findExcessTurns,
  findExpiredSessions,
  type RetentionPolicy,
  turnsKept,
} from './retention.ts';
import type { ListedClient } from './rows.ts';
import { SettledClock } from './settled-clock.ts';

/** Envelopes that one slice of trimming drops: a few milliseconds of the event loop. */
const TRIM_SLICE_ROWS = 500;
/** Pages of 4 KiB that one slice of compaction returns to the file system. */
const COMPACT_SLICE_PAGES = 64;
/** Pause between slices, in which commits and reads run. */
const PAUSE_MS = 5;
/** Channels that one call snapshots. */
const SNAPSHOT_BATCH = 50;
/** Sessions whose chats one slice checks. */
const SESSIONS_PER_SLICE = 20;
/** Duration of one slice of indexing. */
const INDEX_SLICE_MS = 4;
/** Delay between a request and its compaction, so that successive deletes share one. */
const COMPACT_AFTER_MS = 1_000;
/** Clients that one slice drops. */
const CLIENTS_PER_SLICE = 200;
/** Days for which the host remembers an absent client at least. */
const CLIENT_DAYS = 7;
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** The window soon reuses the space of fewer dropped envelopes; from this number on, compaction pays. */
const COMPACT_AFTER_ROWS = 10_000;

/** Parts of the host that maintenance uses. */
export interface MaintenanceOptions {
  readonly journal: Journal;
  readonly timers: Timers;
  readonly clock: Clock;
  /** Time stamp of the newest envelope when the host started, ms since the epoch. Default: none. */
  readonly lastTime?: number;
  readonly log: Log;
  /** The replay window: default 24 h and 256 MiB, whichever is less. */
  readonly window?: { readonly maxAgeMs?: number; readonly maxBytes?: number };
  /** Default: nothing expires. */
  readonly retention?: RetentionPolicy;
  /** ms between two runs. Default 60,000. */
  readonly intervalMs?: number;
  /** ms between two applications of the retention policy, and between two checks of the remembered clients. Default one hour. */
  readonly retentionIntervalMs?: number;
  /** Commits snapshot rows of these channels. The envelopes of a channel without a new snapshot row stay in the window. */
  readonly snapshot: (channels: readonly string[]) => Promise<void>;
  /** Commits writes in order with those of the host. */
  readonly commit: (writes: readonly JournalWrite[]) => Promise<void>;
  /** Drops all completed turns of a chat but the newest `keep`, and tells its subscribers. */
  readonly dropTurns: (chat: string, keep: number) => Promise<void>;
  /** Disposes of a session as the request `disposeSession` does. */
  readonly disposeSession: (uri: string) => Promise<void>;
  /** The clients that the host remembers. */
  readonly clients: {
    /** Commits the last-seen time of the connected clients. */
    refresh(): Promise<void>;
    isPresent(id: string): boolean;
    /** Takes over absent clients that the host may forget, the longest absent first. Returns the ids of those beyond its limit. */
    adopt(clients: readonly ListedClient[]): readonly string[];
    /** Called when these clients were dropped. */
    forgotten(ids: readonly string[]): void;
  };
}

/**
 * Background work on the journal: trims the replay window, applies the retention policy, drops clients that stay away, compacts the
 * file. Works in slices of a few milliseconds. A failed step is logged and tried again after the next interval.
 */
export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #settled: SettledClock;
  #cancelTimer: Cancel = () => {};
  #cancelCompaction: Cancel | undefined;
  /** Ends the current pause at once. */
  #wake = () => {};
  #isStopped = false;
  #running: Promise<void> | undefined;
  #retainedAt: number | undefined;
  #clientsKeptAt: number | undefined;
  #hasAdoptedClients = false;
  #mustCompact = false;
  #filling: Promise<void> = Promise.resolve();

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    this.#settled = new SettledClock(options.clock, options.lastTime ?? 0);
  }

  /** Starts indexing at once, and the first run after one interval. */
  start(): void {
    this.#schedule();
    this.#filling = this.#attempt(() => this.#fillIndex());
  }

  /** Requests a compaction after a large deletion. It starts a second later. */
  requestCompaction(): void {
    this.#mustCompact = true;
    if (this.#isStopped) return;
    this.#cancelCompaction ??= this.#options.timers.after(COMPACT_AFTER_MS, () => {
      this.#cancelCompaction = undefined;
      // A run under way may have passed its compaction.
      void (this.#running ?? Promise.resolve()).then(() => this.run());
    });
  }

  /** Starts a run, or joins the run under way. Never rejects: failures are logged. */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Cancels all timers, and resolves when the slice under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#cancelCompaction?.();
    this.#wake();
    await Promise.all([this.#running, this.#filling]);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancelTimer = this.#options.timers.after(this.#options.intervalMs ?? 60_000, () => {
      void this.run().finally(() => this.#schedule());
    });
  }

  async #runAll(): Promise<void> {
    await this.#filling;
    for (const step of [
      () => this.#trim(),
      () => this.#retain(),
      () => this.#forgetClients(),
      () => this.#fillIndex(),
      () => this.#compact(),
    ]) {
      if (this.#isStopped) return;
      await this.#attempt(step);
    }
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#options.log.warn({ error }, 'journal maintenance failed and is tried again later');
    }
  }

  async #fillIndex(): Promise<void> {
    while (!this.#isStopped && (await this.#options.journal.fillIndex(INDEX_SLICE_MS))) await this.#pause();
  }

  async #trim(): Promise<void> {
    const { journal, window = {}, log } = this.#options;
    const point = await journal.findTrimPoint({
      maxBytes: window.maxBytes ?? 256 * 1024 * 1024,
      minTime: this.#settled.now() - (window.maxAgeMs ?? DAY_MS),
    });
    if (point === undefined) return;
    await this.#snapshotStale(point);
    let total = 0;
    for (;;) {
      const dropped = this.#isStopped ? 0 : await journal.trim(point, TRIM_SLICE_ROWS);
      total += dropped;
      if (dropped < TRIM_SLICE_ROWS) break;
      await this.#pause();
    }
    if (total >= COMPACT_AFTER_ROWS) this.#mustCompact = true;
    log.debug({ point, dropped: total }, 'trimmed the replay window');
  }

  /** An envelope may be trimmed only once a snapshot row reflects it. */
  async #snapshotStale(point: number): Promise<void> {
    const { journal, snapshot, log } = this.#options;
    const asked = new Set<string>();
    while (!this.#isStopped) {
      const stale = await journal.listStale(point, asked.size + SNAPSHOT_BATCH);
      const next = stale.filter((uri) => !asked.has(uri)).slice(0, SNAPSHOT_BATCH);
      if (next.length === 0) {
        if (stale.length > 0)
          log.warn(
            { channels: stale },
            'these channels could not be snapshotted; their envelopes stay in the window',
          );
        return;
      }
      for (const uri of next) asked.add(uri);
      await snapshot(next);
      await this.#pause();
    }
  }

  async #retain(): Promise<void> {
    const { journal, clock, retention = {}, dropTurns, disposeSession, log } = this.#options;
    const intervalMs = this.#options.retentionIntervalMs ?? HOUR_MS;
    if (!dropsAnything(retention)) return;
    const lookedAt = steadyNow(clock);
    if (this.#retainedAt !== undefined && lookedAt - this.#retainedAt < intervalMs) return;
    this.#retainedAt = lookedAt;
    for await (const session of findExpiredSessions(journal, retention, this.#settled.now())) {
      if (this.#isStopped) return;
      log.info({ session, maxAgeDays: retention.maxAgeDays }, 'disposing of a session because of its age');
      await disposeSession(session);
      this.#mustCompact = true;
      await this.#pause();
    }
    let looked = 0;
    const keep = turnsKept(retention.turnsPerChat ?? Number.POSITIVE_INFINITY);
    for await (const chats of findExcessTurns(journal, retention)) {
      if (this.#isStopped) return;
      if (++looked % SESSIONS_PER_SLICE === 0) await this.#pause();
      if (chats.length === 0) continue;
      for (const chat of chats) await dropTurns(chat, keep);
      this.#mustCompact = true;
      await this.#pause();
    }
  }

  async #forgetClients(): Promise<void> {
    const { journal, clock, clients, window = {}, retentionIntervalMs = HOUR_MS } = this.#options;
    const lookedAt = steadyNow(clock);
    if (this.#clientsKeptAt !== undefined && lookedAt - this.#clientsKeptAt < retentionIntervalMs) return;
    this.#clientsKeptAt = lookedAt;
    await clients.refresh();
    // A client is kept while the window may hold what it has not seen, and for a week in any case.
    const before = this.#settled.now() - Math.max(window.maxAgeMs ?? DAY_MS, CLIENT_DAYS * DAY_MS);
    const staying: ListedClient[] = [];
    let after: ListedClient | undefined;
    while (!this.#isStopped) {
      const page = await journal.listClients({ limit: CLIENTS_PER_SLICE, ...(after && { after }) });
      const away = page.filter(({ id }) => !clients.isPresent(id));
      await this.#drop(away.filter(({ seenAt }) => seenAt < before).map(({ id }) => id));
      staying.push(...away.filter(({ seenAt, hasActed }) => seenAt >= before && !hasActed));
      after = page.at(-1);
      if (after === undefined || (this.#hasAdoptedClients && after.seenAt >= before)) break;
    }
    if (this.#isStopped || this.#hasAdoptedClients) return;
    // Clients that leave from now on are known to `clients`.
    this.#hasAdoptedClients = true;
    const excess = clients.adopt(staying);
    for (let from = 0; from < excess.length && !this.#isStopped; from += CLIENTS_PER_SLICE) {
      const slice = excess.slice(from, from + CLIENTS_PER_SLICE);
      await this.#drop(slice.filter((id) => !clients.isPresent(id)));
    }
  }

  async #drop(clientIds: readonly string[]): Promise<void> {
    const { clients, commit } = this.#options;
    if (clientIds.length > 0) await commit(clientIds.map((id) => ({ op: 'dropClient', id })));
    clients.forgotten(clientIds);
    await this.#pause();
  }

  async #compact(): Promise<void> {
    if (!this.#mustCompact) return;
    this.#mustCompact = false;
    while (!this.#isStopped && (await this.#options.journal.compact(COMPACT_SLICE_PAGES)))
      await this.#pause();
    if (this.#isStopped) this.#mustCompact = true;
  }

  #pause(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(PAUSE_MS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
