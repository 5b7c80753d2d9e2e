/** A moment on both clocks of the machine, in ms. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** The present moment. */
export const momentNow = (): Moment => ({ steady: performance.now(), wall: Date.now() });

/** Time since the last confirmation that this host holds its cell. */
export class LeaseTime {
  #confirmed: Moment;

  /** `asked`: when this host requested the lease. */
  constructor(asked: Moment) {
    this.#confirmed = asked;
  }

  /** Notes that the server has extended the lease. `asked`: when the host sent the request. */
  confirm(asked: Moment): void {
    this.#confirmed = asked;
  }

  /** ms since the last confirmation. The monotonic clock may stop while a machine sleeps, so the wall clock is used too. */
  get ageMs(): number {
    return Math.max(this.awakeMs, Date.now() - this.#confirmed.wall);
  }

  /** The same, without the time during which the machine slept. */
  get awakeMs(): number {
    return performance.now() - this.#confirmed.steady;
  }
}
