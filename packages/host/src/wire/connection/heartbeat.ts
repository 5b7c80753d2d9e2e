/**
 * So many checks in a row without a sign of life end a connection: with one each 15 s, two minutes. Checks are counted, since clocks
 * jump and machines sleep.
 */
const MOST_SILENT_CHECKS = 8;

/** So many without a handshake end it as well: that is half a minute at least. */
const MOST_STRANGE_CHECKS = 3;

/** Counts how long a connection has given no sign of life, or has not said whose it is. */
export class Heartbeat {
  #silentChecks = 0;
  #strangeChecks = 0;

  /** To be called every 15 s. Says why to let go of it; `undefined`: there is no reason. `isAlive` is asked of those alone that may stay. */
  check(isKnown: boolean, isAlive: () => boolean): 'strange' | 'silent' | undefined {
    this.#strangeChecks = isKnown ? 0 : this.#strangeChecks + 1;
    if (this.#strangeChecks === MOST_STRANGE_CHECKS) return 'strange';
    this.#silentChecks = isAlive() ? 0 : this.#silentChecks + 1;
    return this.#silentChecks < MOST_SILENT_CHECKS ? undefined : 'silent';
  }
}
