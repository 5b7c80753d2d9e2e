import { type Journal, JournalError } from '../journal/journal.ts';
import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sequencer } from './sequencer.ts';
import { type Output, Tick, type Undo } from './tick.ts';
import { type ActionSink, type NotAPromise, type RunningCause, Tx, type Work } from './tx.ts';

/** The origin of a change: a client's change is refused when it cannot be journaled, the host's own is done again. */
export type Cause = 'client' | 'host';

const RETRY_MS = 1_000;
/** An attempt writes at least so much: where nothing larger fits, the next commit would fail again. */
const PROBE_BYTES = 64 * 1024;

const STOPPING = 'The host is stopping, and cannot write its journal';

/** The journal cannot be written at the moment; reads go on, and the host tries again each second. Its message is for clients. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
}

/** Why it cannot be written, for clients: the journal's own words name files of the host. */
const TROUBLES: Readonly<Record<JournalError['code'], string>> = {
  full: 'there is no room on its disk',
  readOnly: 'it may not write to its data folder',
  locked: 'another process holds it',
  newer: 'a newer host wrote it',
  damaged: 'it is damaged',
  missing: 'its database was removed',
  closed: 'the host is stopping',
  io: 'its disk fails',
};

function troubleOf(error: unknown): string {
  const why = error instanceof JournalError ? ` (${TROUBLES[error.code]})` : '';
  return `The host cannot write its journal now${why}; try again`;
}

/**
 * One gate for everything: what one turn of the event loop changed is one transaction, and all output waits, in order,
 * behind its commit [ACT-8]. When a commit fails, everything not yet committed is taken back, clients are told, and the
 * host's own causes run again once the journal can be written.
 */
export class CommitPath {
  readonly #journal: Journal;
  readonly #sequencer: Sequencer;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #running: RunningCause;
  readonly #actions: ActionSink;
  readonly #beforeSeal: Work[] = [];
  readonly #afterPublish: (() => void)[] = [];
  readonly #onHealth: ((failure: { readonly error: unknown } | undefined) => void)[] = [];
  /** Rejects the promises of `commit` that are not settled yet. */
  readonly #committing = new Set<() => void>();
  #open: Tick<Work> | undefined;
  /** The handle that the causes of the open tick share; made for the first of them. */
  #tx: Tx | undefined;
  #sealed: Tick<Work>[] = [];
  #isPumping = false;
  /** Host's causes that wait for the journal. */
  #held: Work[] | undefined;
  /** What the ticks that failed would have written. */
  #failedBytes = 0;
  /** It was said that the journal cannot be written, and not yet that it can again. */
  #isTroubleTold = false;
  #trouble = troubleOf(undefined);
  #waiters: (() => void)[] = [];
  #cancelRetry: Cancel = () => undefined;
  #isStopping = false;
  #isStopped = false;

  constructor(parts: {
    journal: Journal;
    sequencer: Sequencer;
    clock: Clock;
    timers: Timers;
    log: Log;
    running: RunningCause;
    actions: ActionSink;
  }) {
    this.#running = parts.running;
    this.#actions = parts.actions;
    this.#clock = parts.clock;
    this.#journal = parts.journal;
    this.#sequencer = parts.sequencer;
    this.#timers = parts.timers;
    this.#log = parts.log;
  }

  /** False from a failed commit until the journal can be written again. */
  get isHealthy(): boolean {
    return this.#held === undefined;
  }

  /** For clients, why what they asked for could not be written: of the last commit that failed. */
  get trouble(): string {
    return this.#trouble;
  }

  /** Registers what runs as the last part of every tick before it is committed; it may still change things. */
  onSeal(hook: Work): void {
    this.#beforeSeal.push(hook);
  }

  /** Registers who hears that the journal cannot be written, and why, and (with `undefined`) that it can again. */
  onHealth(hook: (failure: { readonly error: unknown } | undefined) => void): void {
    this.#onHealth.push(hook);
  }

  /** Registers what runs after a batch of output has been handed over: sockets are flushed here. */
  onPublished(hook: () => void): void {
    this.#afterPublish.push(hook);
  }

  /** Runs changes that belong together; see `Sync.transact`. */
  transact(cause: Cause, work: Work): void {
    if (this.#running.tx !== undefined) {
      work(this.#running.tx);
      return;
    }
    if (this.#isStopped) return;
    if (this.#held !== undefined) {
      if (cause === 'client') throw new JournalUnavailable(this.#trouble);
      this.#held.push(work);
      return;
    }
    this.#runCause(work, cause);
    if (this.#open?.isLarge === true) this.seal();
  }

  /**
   * The same as `transact`; resolves with the result of `work` when the changes are durable and published. A client's cause
   * rejects with `JournalUnavailable` when it cannot be written now. A host's cause resolves however long the journal fails,
   * and rejects when the host stops before.
   */
  commit<T extends NotAPromise>(cause: Cause, work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#refuseNested();
      const giveUp = (): void => {
        this.#committing.delete(giveUp);
        reject(new JournalUnavailable(this.#isStopping ? STOPPING : this.#trouble));
      };
      this.#committing.add(giveUp);
      try {
        this.transact(cause, (tx) => {
          const result = work(tx);
          if (cause === 'client') tx.undo(giveUp);
          tx.effect(() => {
            this.#committing.delete(giveUp);
            resolve(result);
          });
        });
      } catch (error) {
        this.#committing.delete(giveUp);
        throw error;
      }
      if (this.#isStopped || (this.#isStopping && !this.isHealthy)) giveUp();
    });
  }

  /**
   * Runs a host's cause. Resolves with true when its changes are durable, and with false as soon as the journal cannot be
   * written: the changes wait then and are written later.
   */
  attempt(work: Work): Promise<boolean> {
    return new Promise((resolve) => {
      this.#refuseNested();
      this.transact('host', (tx) => {
        work(tx);
        tx.undo(() => resolve(false));
        tx.effect(() => resolve(true));
      });
      if (!this.isHealthy || this.#isStopped) resolve(false);
    });
  }

  /**
   * Sends output that changes no state, in order: at once when nothing is open, else behind the commit. `dropped` runs
   * instead when that commit fails.
   */
  send(send: () => void, dropped?: () => void): void {
    if (this.#running.tx === undefined && this.#open === undefined && this.#sealed.length === 0) {
      send();
      this.#flush();
      return;
    }
    this.#tick().output.push({ send, dropped });
  }

  /**
   * The same for output that carries the last number: it leaves once that number is reserved durably. `dropped` runs at once
   * when the number cannot be reserved.
   */
  sendNumbered(send: () => void, dropped?: () => void): void {
    if (this.#sequencer.covers(this.#sequencer.last)) return this.send(send, dropped);
    if (!this.isHealthy) {
      this.#log.error(
        { seq: this.#sequencer.last },
        'a message was not sent: no number can be reserved for it',
      );
      dropped?.();
      return;
    }
    this.#tick();
    this.send(send, dropped);
  }

  /**
   * Closes the open tick and calls `start` with what `capture` saw at that boundary, right behind the tick's output: no
   * envelope published later is in the capture, none published earlier is missing from it [CONN-2].
   */
  boundary<T, R>(capture: () => T, start: (captured: T) => R | Promise<R>): Promise<R> {
    if (this.#open === undefined && this.#sealed.length === 0) {
      return new Promise((resolve) => resolve(start(capture())));
    }
    return new Promise((resolve, reject) => {
      this.#runSealHooks();
      const captured = capture();
      const run = (from: () => T): void => {
        try {
          resolve(start(from()));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#tick().output.push({ send: () => run(() => captured), dropped: () => run(capture) });
      this.#sealOpen();
    });
  }

  /** Resolves when the host can take more from agents and terminals; `undefined` when it can now. */
  whenReady(): Promise<void> | undefined {
    return this.isHealthy ? undefined : new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Calls back after the present turn of the event loop. */
  afterTurn(callback: () => void): void {
    this.#timers.immediate(callback);
  }

  /** Closes the open tick and starts its commit. */
  seal(): void {
    if (this.#open === undefined) return;
    this.#runSealHooks();
    this.#sealOpen();
  }

  /** Commits and publishes what is there; resolves when nothing waits any more, or nothing can be written. */
  async drain(): Promise<void> {
    while (this.isHealthy && (this.#open !== undefined || this.#sealed.length > 0)) {
      await this.boundary(
        () => undefined,
        () => undefined,
      );
    }
  }

  /** The host begins to stop: promises of `commit` no longer wait for a journal that cannot be written. */
  beginStop(): void {
    this.#isStopping = true;
    if (!this.isHealthy) this.#giveUpCommits();
  }

  /** Drains, then takes nothing more. */
  async stop(): Promise<void> {
    this.beginStop();
    await this.drain();
    this.#isStopped = true;
    this.#giveUpCommits();
    this.#cancelRetry();
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** A promise of a cause inside another one could never settle: a failed commit runs the outer cause again. */
  #refuseNested(): void {
    if (this.#running.tx !== undefined) throw new Error('a transaction is open already; use its `effect`');
  }

  #giveUpCommits(): void {
    for (const giveUp of [...this.#committing]) giveUp();
  }

  #tick(): Tick<Work> {
    if (this.#open === undefined) {
      this.#open = new Tick<Work>(steadyNow(this.#clock));
      this.#tx = undefined;
      this.#timers.immediate(() => this.seal());
    }
    return this.#open;
  }

  #runSealHooks(): void {
    for (const hook of this.#beforeSeal) this.#guard(() => this.#runCause(hook));
  }

  /** Runs one cause in the open tick, as a whole or not at all. */
  #runCause(work: Work, cause?: Cause): void {
    const tick = this.#tick();
    const start = tick.mark();
    const outer = this.#running.tx;
    this.#tx ??= new Tx(tick, this.#running, this.#actions);
    if (cause === 'host') tick.redo.push(work);
    this.#running.number += 1;
    this.#running.tx = this.#tx;
    try {
      work(this.#tx);
      tick.settle(start);
    } catch (error) {
      for (const change of tick.takeBack(start)) this.#restore(change);
      throw error;
    } finally {
      this.#running.tx = outer;
    }
  }

  #sealOpen(): void {
    if (this.#open === undefined) return;
    this.#sealed.push(this.#open);
    this.#open = undefined;
    if (!this.#isPumping) {
      this.#isPumping = true;
      // `#pump` handles every failure itself.
      void this.#pump();
    }
  }

  async #pump(): Promise<void> {
    let hasFailed = false;
    for (let tick = this.#sealed[0]; tick !== undefined; tick = this.#sealed[0]) {
      try {
        if (this.#sequencer.isLow) await this.#sequencer.reserve();
        if (tick.writes.length > 0) await this.#journal.commit(tick.writes);
      } catch (error) {
        hasFailed = true;
        this.#fail(error);
        break;
      }
      this.#sealed.shift();
      for (const item of tick.output) this.#send(item);
      this.#flush();
      for (const effect of tick.effects) this.#guard(effect);
    }
    this.#isPumping = false;
    if (!hasFailed) this.#tellRecovered();
  }

  #flush(): void {
    for (const hook of this.#afterPublish) hook();
  }

  #fail(error: unknown): void {
    this.#trouble = troubleOf(error);
    this.#sequencer.journalFails(true);
    const ticks = this.#open === undefined ? this.#sealed : [...this.#sealed, this.#open];
    this.#sealed = [];
    this.#open = undefined;
    for (const tick of ticks.toReversed()) for (const change of tick.undo.toReversed()) this.#restore(change);
    const wasHealthy = this.isHealthy;
    this.#held = [...(this.#held ?? []), ...ticks.flatMap((tick) => tick.redo)];
    this.#failedBytes = Math.max(...ticks.map(({ bytes }) => bytes));
    for (const tick of ticks)
      for (const item of tick.output) if (item.dropped !== undefined) this.#guard(item.dropped);
    this.#flush();
    if (this.#isStopping) this.#giveUpCommits();
    if (!wasHealthy) return;
    this.#scheduleRetry();
    if (this.#isTroubleTold) return;
    this.#isTroubleTold = true;
    this.#log.error(
      { error, tickCount: ticks.length },
      'the journal cannot be written; trying again each second',
    );
    for (const hook of this.#onHealth) this.#guard(() => hook({ error }));
  }

  /** Once, when all that waited has been written: an attempt alone proves little. */
  #tellRecovered(): void {
    if (!this.#isTroubleTold || !this.isHealthy) return;
    this.#isTroubleTold = false;
    this.#sequencer.journalFails(false);
    this.#log.info({}, 'the journal can be written again');
    for (const hook of this.#onHealth) this.#guard(() => hook(undefined));
  }

  #scheduleRetry(): void {
    if (this.#isStopped) return;
    this.#cancelRetry = this.#timers.after(RETRY_MS, () => {
      this.#probe().then(
        () => this.#recover(),
        () => this.#scheduleRetry(),
      );
    });
  }

  /** Writes what is as large as what could not be written, and takes it away again. */
  async #probe(): Promise<void> {
    await this.#sequencer.reserve();
    const padding = ' '.repeat(Math.max(PROBE_BYTES, this.#failedBytes));
    for (const value of [padding, '']) await this.#journal.commit([{ op: 'meta', key: 'probe', value }]);
  }

  #recover(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const work of held) this.#guard(() => this.transact('host', work));
    for (const resolve of this.#waiters.splice(0)) resolve();
    if (this.#open === undefined && this.#sealed.length === 0) this.#tellRecovered();
  }

  /** Without a closure: there is one for every few words that an agent says. */
  #send(item: Output): void {
    try {
      item.send();
    } catch (error) {
      this.#logFailure(error);
    }
  }

  #restore(change: Undo): void {
    this.#guard(() => change.restore());
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#logFailure(error);
    }
  }

  #logFailure(error: unknown): void {
    this.#log.error({ error }, 'a step behind the commit failed');
  }
}
