import { type Cancel, type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';

/** More than so many bytes waiting for a viewer: it does not keep up. */
const BEHIND_BYTES = 512 * 1024;
/** A viewer that has taken nothing for so long is not waited for. */
const STALLED_MS = 2_000;
/** How often a viewer that does not keep up is looked at again. */
const LOOK_MS = 4;
/** How often a first viewer is looked for: terminals that nobody looks at may be many. */
const LOOK_FOR_FIRST_MS = 50;
/** So long a new terminal waits for its first viewer: who made it is about to look, and the beginning must not be gone by then. */
const FIRST_VIEWER_MS = 5_000;

/**
 * Holds a terminal back to the pace of who looks at it, as terminals always do: without it a flood would close the connection
 * of the very person who is watching it. Only while a client holds the terminal (an agent's work waits for nobody's screen), only
 * if none of the viewers keeps up, and not for one that takes nothing at all. A new terminal waits for a viewer for a while.
 */
export class ViewerBackpressure {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #channel: Channel<'terminal'>;
  readonly #caughtUp: () => void;
  #cancel: Cancel | undefined;
  /** The least that waited for any viewer, and when it last became less, by `steadyNow`. */
  #least = 0;
  #movedAt = 0;
  /** By `steadyNow`; past once somebody has looked. */
  #awaitsViewerUntil: number;

  /** `isNew`: the terminal was made just now. `caughtUp`: `isBehind` may have become false. */
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

  /** True while output should wait; looked at again by itself until it is not. */
  get isBehind(): boolean {
    if (!this.#isOutrun()) return false;
    const lookMs = this.#channel.subscriptions.size === 0 ? LOOK_FOR_FIRST_MS : LOOK_MS;
    this.#cancel ??= this.#timers.after(lookMs, () => {
      this.#cancel = undefined;
      this.#caughtUp();
    });
    return true;
  }

  /** Looks no more. */
  end(): void {
    this.#cancel?.();
  }

  #isOutrun(): boolean {
    const { subscriptions, state, isAlive } = this.#channel;
    if (!isAlive || state.claim.kind !== 'client') return false;
    if (subscriptions.size === 0) return steadyNow(this.#clock) < this.#awaitsViewerUntil;
    this.#awaitsViewerUntil = Number.NEGATIVE_INFINITY;
    let least = Number.POSITIVE_INFINITY;
    for (const sink of subscriptions.keys()) least = Math.min(least, sink.waitingBytes ?? 0);
    const now = steadyNow(this.#clock);
    if (least < this.#least || this.#least <= BEHIND_BYTES) this.#movedAt = now;
    this.#least = least;
    return least > BEHIND_BYTES && now - this.#movedAt < STALLED_MS;
  }
}
