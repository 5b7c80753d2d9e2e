/** A moment on both clocks of the machine, in ms. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** The present moment. */
export const momentNow = (): Moment => ({ steady: performance.now(), wall: Date.now() });

/** Since when a host has not heard that it holds its cell. */
export class LeaseTime {
  #confirmed: Moment;

  /** `asked`: when this host asked for the lease. */
  constructor(asked: Moment) {
    this.#confirmed = asked;
  }

  /** The server has extended the lease after this moment, at which the host asked for it. */
  confirm(asked: Moment): void {
    this.#confirmed = asked;
  }

  /** ms since the last confirmation. The monotonic clock may stand still while a machine sleeps, so the wall clock counts too. */
  get ageMs(): number {
    return Math.max(this.awakeMs, Date.now() - this.#confirmed.wall);
  }

  /** The same without the time in which the machine slept. */
  get awakeMs(): number {
    return performance.now() - this.#confirmed.steady;
  }
}
