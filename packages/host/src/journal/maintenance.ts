import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Journal, JournalWrite, ListedClient } from './journal.ts';
import {
  dropsAnything,
  findExcessTurns,
  findExpiredSessions,
  type RetentionPolicy,
  turnsKept,
} from './retention.ts';
import { SettledClock } from './settled-clock.ts';

/** Rows a trimming slice drops: a few milliseconds of the event loop. */
const trimSliceRows = 500;
/** Pages of 4 KiB a compaction slice gives back. */
const compactSlicePages = 64;
/** Between slices, so that commits and reads come through. */
const pauseMs = 5;
/** Channels that one call is asked to snapshot. */
const snapshotBatch = 50;
/** Sessions whose chats one slice looks at. */
const sessionsPerSlice = 20;
/** How long a slice of the search index takes. */
const indexSliceMs = 4;
/** From a request to the run that gives space back: deletes that follow each other share one. */
const compactAfterMs = 1_000;
/** Clients that one slice forgets. */
const clientsPerSlice = 200;
/** How long a client that does not come back is remembered at least. */
const clientDays = 7;
const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
/** Freed rows of the window are soon filled again; from so many on it has shrunk. */
const compactAfterRows = 10_000;

/** What maintenance needs of the host. */
export interface MaintenanceOptions {
  readonly journal: Journal;
  readonly timers: Timers;
  readonly clock: Clock;
  /** Time stamp of the newest envelope when the host started, ms since the epoch. Default: none. */
  readonly lastTime?: number;
  readonly log: Log;
  /** The replay window: default 24 h and 256 MiB, whichever is less. */
  readonly window?: { readonly maxAgeMs?: number; readonly maxBytes?: number };
  /** Default: everything is kept for ever. */
  readonly retention?: RetentionPolicy;
  /** ms between two looks at the window. Default 60,000. */
  readonly intervalMs?: number;
  /** ms between two applications of the retention policy, and between two looks at the remembered clients. Default one hour. */
  readonly retentionIntervalMs?: number;
  /** Commits rows that snapshot these channels as they are now. One that it leaves out keeps its envelopes in the window. */
  readonly snapshot: (channels: readonly string[]) => Promise<void>;
  /** Commits writes in turn with the host's own. */
  readonly commit: (writes: readonly JournalWrite[]) => Promise<void>;
  /** Drops all completed turns of a chat but the newest `keep`, for everyone. */
  readonly dropTurns: (chat: string, keep: number) => Promise<void>;
  /** Disposes of a session for everyone, as `disposeSession` does. */
  readonly disposeSession: (uri: string) => Promise<void>;
  /** Who is connected now. */
  readonly clients: {
    /** Commits that they are there. */
    refresh(): Promise<void>;
    isPresent(id: string): boolean;
    /** Takes over those that may be forgotten, the longest away first. Returns the ids of those that are to be. */
    adopt(clients: readonly ListedClient[]): readonly string[];
    /** These are forgotten. */
    forgotten(ids: readonly string[]): void;
  };
}

/**
 * Keeps the journal within its bounds in the background: trims the replay window, applies the retention policy, forgets clients
 * that no longer come, gives freed space back. Works in slices of a few milliseconds; a failure is logged and tried again at the next interval.
 */
export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #settled: SettledClock;
  #cancelTimer: Cancel = () => {};
  #cancelCompaction: Cancel | undefined;
  /** Ends the present pause at once. */
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

  /** Begins: the first look comes after one interval, the search index at once. */
  start(): void {
    this.#schedule();
    // What is older than the index can be found soon.
    this.#filling = this.#attempt(() => this.#fillIndex());
  }

  /** Something large was deleted: a run a second from now gives the space back. */
  requestCompaction(): void {
    this.#mustCompact = true;
    if (this.#isStopped) return;
    this.#cancelCompaction ??= this.#options.timers.after(compactAfterMs, () => {
      this.#cancelCompaction = undefined;
      // One that is under way may have passed that step.
      void (this.#running ?? Promise.resolve()).then(() => this.run());
    });
  }

  /** One run now, or the one that is under way. Never rejects: failures are logged. */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Leaves no timer behind; resolves when the slice under way has ended. */
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
    while (!this.#isStopped && (await this.#options.journal.fillIndex(indexSliceMs))) await this.#pause();
  }

  async #trim(): Promise<void> {
    const { journal, window = {}, log } = this.#options;
    const point = await journal.findTrimPoint({
      maxBytes: window.maxBytes ?? 256 * 1024 * 1024,
      minTime: this.#settled.now() - (window.maxAgeMs ?? dayMs),
    });
    if (point === undefined) return;
    await this.#snapshotStale(point);
    let total = 0;
    for (;;) {
      const dropped = this.#isStopped ? 0 : await journal.trim(point, trimSliceRows);
      total += dropped;
      if (dropped < trimSliceRows) break;
      await this.#pause();
    }
    if (total >= compactAfterRows) this.#mustCompact = true;
    log.debug({ point, dropped: total }, 'trimmed the replay window');
  }

  /** What is trimmed away must be in a snapshot row first. */
  async #snapshotStale(point: number): Promise<void> {
    const { journal, snapshot, log } = this.#options;
    const asked = new Set<string>();
    while (!this.#isStopped) {
      const stale = await journal.listStale(point, asked.size + snapshotBatch);
      const next = stale.filter((uri) => !asked.has(uri)).slice(0, snapshotBatch);
      if (next.length === 0) {
        if (stale.length > 0)
          log.warn({ channels: stale }, 'no snapshot was made of these: their envelopes stay');
        return;
      }
      for (const uri of next) asked.add(uri);
      await snapshot(next);
      await this.#pause();
    }
  }

  async #retain(): Promise<void> {
    const { journal, clock, retention = {}, dropTurns, disposeSession, log } = this.#options;
    const intervalMs = this.#options.retentionIntervalMs ?? hourMs;
    if (!dropsAnything(retention)) return;
    const lookedAt = steadyNow(clock);
    if (this.#retainedAt !== undefined && lookedAt - this.#retainedAt < intervalMs) return;
    this.#retainedAt = lookedAt;
    for await (const session of findExpiredSessions(journal, retention, this.#settled.now())) {
      if (this.#isStopped) return;
      log.info(
        { session, maxAgeDays: retention.maxAgeDays },
        'disposing of a session that nothing has changed for long',
      );
      await disposeSession(session);
      this.#mustCompact = true;
      await this.#pause();
    }
    let looked = 0;
    const keep = turnsKept(retention.turnsPerChat ?? Number.POSITIVE_INFINITY);
    for await (const chats of findExcessTurns(journal, retention)) {
      if (this.#isStopped) return;
      if (++looked % sessionsPerSlice === 0) await this.#pause();
      if (chats.length === 0) continue;
      for (const chat of chats) await dropTurns(chat, keep);
      this.#mustCompact = true;
      await this.#pause();
    }
  }

  async #forgetClients(): Promise<void> {
    const { journal, clock, clients, window = {}, retentionIntervalMs = hourMs } = this.#options;
    const lookedAt = steadyNow(clock);
    if (this.#clientsKeptAt !== undefined && lookedAt - this.#clientsKeptAt < retentionIntervalMs) return;
    this.#clientsKeptAt = lookedAt;
    await clients.refresh();
    // As long as what they saw last can be replayed, and over a week's absence in any case.
    const before = this.#settled.now() - Math.max(window.maxAgeMs ?? dayMs, clientDays * dayMs);
    const staying: ListedClient[] = [];
    let after: ListedClient | undefined;
    while (!this.#isStopped) {
      const page = await journal.listClients({ limit: clientsPerSlice, ...(after && { after }) });
      const away = page.filter(({ id }) => !clients.isPresent(id));
      await this.#drop(away.filter(({ seenAt }) => seenAt < before).map(({ id }) => id));
      staying.push(...away.filter(({ seenAt, hasActed }) => seenAt >= before && !hasActed));
      after = page.at(-1);
      if (after === undefined || (this.#hasAdoptedClients && after.seenAt >= before)) break;
    }
    if (this.#isStopped || this.#hasAdoptedClients) return;
    // Those of this life are known where they left.
    this.#hasAdoptedClients = true;
    const excess = clients.adopt(staying);
    for (let from = 0; from < excess.length && !this.#isStopped; from += clientsPerSlice) {
      const slice = excess.slice(from, from + clientsPerSlice);
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
    while (!this.#isStopped && (await this.#options.journal.compact(compactSlicePages))) await this.#pause();
    if (this.#isStopped) this.#mustCompact = true;
  }

  #pause(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(pauseMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
