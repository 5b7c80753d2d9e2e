import type { Journal } from '../journal/journal.ts';
import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { troubleReason, writeTrouble } from './journal-trouble.ts';
import type { Sequencer } from './sequencer.ts';
import { type Output, Tick, type Undo } from './tick.ts';
import { type ActionSink, type NotAPromise, type RunningCause, Tx, type Work } from './tx.ts';

/**
 * The origin of a change. A client's change is refused if it cannot be journaled; a change of the host is
 * repeated later.
 */
export type Cause = 'client' | 'host';

const RETRY_MS = 1_000;
/** Minimum bytes of a test write. If no larger write fits, the next commit would fail again. */
const PROBE_BYTES = 64 * 1024;

const STOPPING = 'The host is stopping and cannot write its journal';

/**
 * The journal cannot be written now. Reads still work, and the host retries each second. The message is for
 * clients.
 */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
}

/**
 * The commit path of all changes and output. The changes of one iteration of the event loop are one transaction,
 * and all output waits, in order, for its commit [ACT-8]. If a commit fails, all uncommitted changes are
 * undone and clients are told. The host's own causes run again when the journal can be written.
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
  /** Functions that reject the unsettled promises of `commit`. */
  readonly #committing = new Set<() => void>();
  #open: Tick<Work> | undefined;
  /** The handle of the open tick, shared by its causes. Created for the first of them. */
  #tx: Tx | undefined;
  #sealed: Tick<Work>[] = [];
  #isPumping = false;
  /** Causes of the host that wait for the journal. */
  #held: Work[] | undefined;
  /** Bytes that the failed ticks would have written. */
  #failedBytes = 0;
  /** True after clients were told that the journal cannot be written, until they are told that it can. */
  #isTroubleTold = false;
  #trouble = writeTrouble(undefined);
  #reason = troubleReason(undefined);
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

  /** Why the last failed commit could not be written, in words for clients. */
  get trouble(): string {
    return this.#trouble;
  }

  /** Why changes of clients are refused now, such as `there is no room on its disk`; `undefined` while they are accepted. */
  get refusal(): string | undefined {
    return this.isHealthy ? undefined : this.#reason;
  }

  /** Registers a hook that runs at the end of every tick, before its commit. The hook may change state. */
  onSeal(hook: Work): void {
    this.#beforeSeal.push(hook);
  }

  /**
   * Registers a hook that is called with the error when the journal cannot be written, and with `undefined`
   * when it can be written again.
   */
  onHealth(hook: (failure: { readonly error: unknown } | undefined) => void): void {
    this.#onHealth.push(hook);
  }

  /** Registers a hook that runs after a batch of output. The hook flushes the sockets. */
  onPublished(hook: () => void): void {
    this.#afterPublish.push(hook);
  }

  /** Runs changes as one cause; see `Sync.transact`. */
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

  /** Runs changes and waits for their commit; see `Sync.commit`. */
  commit<T extends NotAPromise>(cause: Cause, work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#refuseNested();
      const giveUp = (): void => {
        this.#committing.delete(giveUp);
        reject(new JournalUnavailable(this.#isStopping ? STOPPING : this.#trouble));
      };
      this.transact(cause, (tx) => {
        const result = work(tx);
        if (cause === 'client') tx.undo(giveUp);
        tx.effect(() => {
          this.#committing.delete(giveUp);
          resolve(result);
        });
      });
      this.#committing.add(giveUp);
      if (this.#isStopped || (this.#isStopping && !this.isHealthy)) giveUp();
    });
  }

  /** Runs changes of the host and tries to commit them now; see `Sync.attempt`. */
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
   * Sends output that changes no state, in order: at once if no tick is open, otherwise after the commit. If
   * that commit fails, `dropped` runs instead.
   */
  send(send: () => void, dropped?: () => void): void {
    if (this.#running.tx === undefined && this.#open === undefined && this.#sealed.length === 0) {
      send();
      this.#flush();
      return;
    }
    this.#tick().output.push({ send, dropped });
  }

  /** Sends output that depends on no change, before output that waits. */
  sendNow(send: () => void): void {
    send();
    this.#flush();
  }

  /**
   * Sends output that carries the last number, after that number is durably reserved. `dropped` runs at once
   * if the number cannot be reserved.
   */
  sendNumbered(send: () => void, dropped?: () => void): void {
    if (this.#sequencer.covers(this.#sequencer.last)) return this.send(send, dropped);
    if (!this.isHealthy) {
      this.#log.error(
        { seq: this.#sequencer.last },
        'a message was not sent because no sequence number can be reserved',
      );
      dropped?.();
      return;
    }
    this.#tick();
    this.send(send, dropped);
  }

  /**
   * Closes the open tick, calls `capture`, and calls `start` with its result directly after the tick's
   * output. The capture contains all envelopes published before `start` and none published later [CONN-2].
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

  /** Resolves when the host can take more output from agents and terminals; `undefined` if it can now. */
  whenReady(): Promise<void> | undefined {
    return this.isHealthy ? undefined : new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Calls back after the current iteration of the event loop. */
  afterTurn(callback: () => void): void {
    this.#timers.immediate(callback);
  }

  /** Resolves after the current iteration of the event loop. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => this.afterTurn(resolve));
  }

  /** Closes the open tick and starts its commit. */
  seal(): void {
    if (this.#open === undefined) return;
    this.#runSealHooks();
    this.#sealOpen();
  }

  /**
   * Commits and publishes all changes. Resolves when nothing waits any more, or the journal cannot be
   * written.
   */
  async drain(): Promise<void> {
    while (this.isHealthy && (this.#open !== undefined || this.#sealed.length > 0)) {
      await this.boundary(
        () => undefined,
        () => undefined,
      );
    }
  }

  /**
   * Starts the stop of the host: promises of `commit` no longer wait for a journal that cannot be written.
   */
  beginStop(): void {
    this.#isStopping = true;
    if (!this.isHealthy) this.#giveUpCommits();
  }

  /** Drains, and then accepts no more changes. */
  async stop(): Promise<void> {
    this.beginStop();
    await this.drain();
    this.#isStopped = true;
    this.#giveUpCommits();
    this.#cancelRetry();
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /**
   * A promise for a cause inside another cause could never settle, because a failed commit runs the outer
   * cause again.
   */
  #refuseNested(): void {
    if (this.#running.tx !== undefined) throw new Error('a transaction is already open; use its `effect`');
  }

  #giveUpCommits(): void {
    for (const giveUp of [...this.#committing]) giveUp();
  }

  #tick(): Tick<Work> {
    if (this.#open === undefined) {
      this.#open = new Tick<Work>(steadyNow(this.#clock));
      this.#timers.immediate(() => this.seal());
    }
    return this.#open;
  }

  #runSealHooks(): void {
    for (const hook of this.#beforeSeal) this.#guard(() => this.#runCause(hook));
  }

  /** Runs one cause in the open tick, completely or not at all. */
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

  /** Takes the open tick out of the path, with its transaction: a quiet host must not keep what the last tick held. */
  #takeOpen(): Tick<Work> | undefined {
    const tick = this.#open;
    this.#open = undefined;
    this.#tx = undefined;
    return tick;
  }

  #sealOpen(): void {
    const tick = this.#takeOpen();
    if (tick === undefined) return;
    this.#sealed.push(tick);
    if (!this.#isPumping) {
      this.#isPumping = true;
      // `#pump` handles all of its failures itself.
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
    this.#trouble = writeTrouble(error);
    this.#reason = troubleReason(error);
    this.#sequencer.journalFails(true);
    const open = this.#takeOpen();
    const ticks = open === undefined ? this.#sealed : [...this.#sealed, open];
    this.#sealed = [];
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
      'the journal cannot be written; the host retries every second',
    );
    for (const hook of this.#onHealth) this.#guard(() => hook({ error }));
  }

  /**
   * Tells clients once, after all waiting changes were written. A single successful attempt proves little.
   */
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

  /** Writes as many bytes as could not be written, and removes them again. */
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

  /** No closure, because this runs for every few words of an agent. */
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
    this.#log.error({ error }, 'an effect after a commit failed');
  }
}
