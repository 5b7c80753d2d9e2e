import { type Journal, JournalError, type JournalWrite } from '../journal/journal.ts';
import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sequencer } from './sequencer.ts';
import { type Output, Tick, type Undo } from './tick.ts';

/** Who caused a change: what a client asked for is refused when it cannot be journaled, the host's own is done again. */
export type Cause = 'client' | 'host';

const RETRY_MS = 1_000;
/** An attempt writes at least so much: where nothing larger fits, the next commit would fail again. */
const PROBE_BYTES = 64 * 1024;

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
  readonly #beforeSeal: (() => void)[] = [];
  readonly #afterPublish: (() => void)[] = [];
  readonly #onHealth: ((failure: { readonly error: unknown } | undefined) => void)[] = [];
  #open: Tick | undefined;
  #sealed: Tick[] = [];
  #isPumping = false;
  #depth = 0;
  #cause = 0;
  #held: (() => void)[] | undefined;
  /** What the ticks that failed would have written. */
  #failedBytes = 0;
  /** It was said that the journal cannot be written, and not yet that it can again. */
  #isTroubleTold = false;
  #trouble = troubleOf(undefined);
  #waiters: (() => void)[] = [];
  #cancelRetry: Cancel = () => undefined;
  #isStopped = false;

  constructor(parts: { journal: Journal; sequencer: Sequencer; clock: Clock; timers: Timers; log: Log }) {
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
  onSeal(hook: () => void): void {
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

  /**
   * Runs changes that belong together: they are committed in one transaction. Throws `JournalUnavailable` for a client's
   * cause while the journal cannot be written; the host's own cause waits then and runs later. It may run again after a
   * failed commit, on the state as it was before. When `work` throws, all of it is taken back before the error goes on.
   */
  transact(cause: Cause, work: () => void): void {
    if (this.#depth === 0) {
      if (this.#isStopped) return;
      if (this.#held !== undefined) {
        if (cause === 'client') throw new JournalUnavailable(this.#trouble);
        this.#held.push(work);
        return;
      }
      this.#runCause(work, cause);
      if (this.#open?.isLarge === true) this.seal();
      return;
    }
    this.#depth += 1;
    try {
      work();
    } finally {
      this.#depth -= 1;
    }
  }

  /** When the open tick began, by `steadyNow`: to look at the clock for each delta costs as much as to reduce it. Inside `transact` only. */
  get tickTime(): number {
    return this.#tick().beganAt;
  }

  /** Adds a journal row. Inside `transact` only. */
  write(row: JournalWrite): void {
    this.#tick().write(row);
  }

  /** How to take back what was just changed in memory. Inside `transact` only. */
  undo(restore: () => void): void {
    this.undoTo({ restore });
  }

  /** The same for who has an object of it anyway. */
  undoTo(change: Undo): void {
    this.#tick().undo.push(change);
  }

  /** Number of the present cause, or of the last one. What gave an `undo` since it began need not give another until the next. */
  get cause(): number {
    return this.#cause;
  }

  /** The same; `undefined` outside of `transact`. */
  get presentCause(): number | undefined {
    return this.#depth === 0 ? undefined : this.#cause;
  }

  /** What to do once the change is committed and published. It must look again whether its cause still stands. */
  effect(run: () => void): void {
    this.#tick().effects.push(run);
  }

  /**
   * Output in its place: at once when nothing is open, else behind the commit. `dropped` runs instead when that fails.
   * Inside `transact` it belongs to what is changed there, also when it comes first.
   */
  publish(send: () => void, dropped?: () => void): void {
    this.publishOutput({ send, dropped });
  }

  /** The same for who has an object of it anyway. */
  publishOutput(output: Output): void {
    if (this.#depth === 0 && this.#open === undefined && this.#sealed.length === 0) {
      output.send();
      this.#flush();
      return;
    }
    this.#tick().output.push(output);
  }

  /**
   * The same for output that carries the last number. It leaves once that number is reserved durably; if it cannot be reserved, `dropped` runs
   * at once.
   */
  publishNumbered(send: () => void, dropped?: () => void): void {
    if (this.#sequencer.covers(this.#sequencer.last)) return this.publish(send, dropped);
    if (!this.isHealthy) {
      this.#log.error(
        { seq: this.#sequencer.last },
        'a message was not sent: no number can be reserved for it',
      );
      dropped?.();
      return;
    }
    this.#tick();
    this.publish(send, dropped);
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

  /** Drains, then takes nothing more. */
  async stop(): Promise<void> {
    await this.drain();
    this.#isStopped = true;
    this.#cancelRetry();
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #tick(): Tick {
    if (this.#open === undefined) {
      this.#open = new Tick(steadyNow(this.#clock));
      this.#timers.immediate(() => this.seal());
    }
    return this.#open;
  }

  #runSealHooks(): void {
    for (const hook of this.#beforeSeal) this.#guard(() => this.#runCause(hook));
  }

  /** Runs one cause in the open tick, as a whole or not at all. */
  #runCause(work: () => void, cause?: Cause): void {
    const tick = this.#tick();
    const start = tick.mark();
    if (cause === 'host') tick.redo.push(work);
    this.#cause += 1;
    this.#depth += 1;
    try {
      work();
      tick.settle(start);
    } catch (error) {
      for (const change of tick.takeBack(start)) this.#restore(change);
      throw error;
    } finally {
      this.#depth -= 1;
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
