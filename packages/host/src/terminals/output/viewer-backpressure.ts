import { type Cancel, type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';

/** A viewer with more waiting bytes is behind. */
const BEHIND_BYTES = 512 * 1024;
/** A viewer that has taken nothing for this long is ignored. */
const STALLED_MS = 2_000;
/** Interval of checks while viewers are behind. */
const LOOK_MS = 4;
/** Interval of checks for the first viewer. */
const LOOK_FOR_FIRST_MS = 50;
/** A new terminal waits this long for its first viewer, so that its creator sees the beginning of the output. */
const FIRST_VIEWER_MS = 5_000;

/**
 * Stops the output of a terminal while every viewer is behind, as a terminal on a slow line does: a flood would otherwise close the
 * connections of its viewers. Applies to terminals that a client holds; programs of agents do not wait for viewers. Ignores viewers that
 * take nothing. A new terminal waits for its first viewer.
 */
export class ViewerBackpressure {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #channel: Channel<'terminal'>;
  readonly #caughtUp: () => void;
  #cancel: Cancel | undefined;
  /** The bytes that wait for the fastest viewer, and the time of their last decrease, by `steadyNow`. */
  #least = 0;
  #movedAt = 0;
  /** By `steadyNow`; in the past after the first viewer. */
  #awaitsViewerUntil: number;

  /** `isNew`: the terminal was just created. `caughtUp` is called when `isBehind` may have become false. */
  constructor(
    { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
    channel: Channel<'terminal'>,
    { isNew, caughtUp }: { readonly isNew: boolean; caughtUp(): void },
  ) {
    this.#awaitsViewerUntil = isNew ? steadyNow(clock) + FIRST_VIEWER_MS : Number.NEGATIVE_INFINITY;
    this.#clock = clock;
    this.#timers = timers;
    this.#channel = channel;
    this.#caughtUp = () => caughtUp();
  }

  /** Whether output should wait. While it should, `caughtUp` is called at the next check. */
  get isBehind(): boolean {
    if (!this.#isOutrun()) return false;
    const lookMs = this.#channel.subscriptions.size === 0 ? LOOK_FOR_FIRST_MS : LOOK_MS;
    this.#cancel ??= this.#timers.after(lookMs, () => {
      this.#cancel = undefined;
      this.#caughtUp();
    });
    return true;
  }

  /** Whether the terminal waits for its first viewer. */
  get isAwaitingFirst(): boolean {
    const { subscriptions, state, isAlive } = this.#channel;
    if (!isAlive || state.claim.kind !== 'client' || subscriptions.size > 0) return false;
    return steadyNow(this.#clock) < this.#awaitsViewerUntil;
  }

  /** Stops the checks. */
  end(): void {
    this.#cancel?.();
  }

  #isOutrun(): boolean {
    const { subscriptions, state, isAlive } = this.#channel;
    if (!isAlive || state.claim.kind !== 'client') return false;
    if (subscriptions.size === 0) return this.isAwaitingFirst;
    this.#awaitsViewerUntil = Number.NEGATIVE_INFINITY;
    let least = Number.POSITIVE_INFINITY;
    for (const sink of subscriptions.keys()) least = Math.min(least, sink.waitingBytes ?? 0);
    const now = steadyNow(this.#clock);
    if (least < this.#least || this.#least <= BEHIND_BYTES) this.#movedAt = now;
    this.#least = least;
    return least > BEHIND_BYTES && now - this.#movedAt < STALLED_MS;
  }
}
