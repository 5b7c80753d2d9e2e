/** Checks without a sign of life until a connection is closed: 2 min, at one check per 15 s. Checks are counted because clocks jump and machines sleep. */
const MAX_SILENT_CHECKS = 8;

/** Checks without a handshake until a connection is closed: at least 30 s. */
const MAX_CHECKS_BEFORE_HANDSHAKE = 3;

/** Decides when to close a connection that has not completed its handshake, or whose client gives no sign of life. */
export class Heartbeat {
  #silentChecks = 0;
  #checksBeforeHandshake = 0;

  /**
   * Call it every 15 s. Returns the reason to close the connection; `undefined`: there is none. `hasHandshake`: the handshake is complete or
   * runs. `isAlive` is called only if the connection may stay.
   */
  check(hasHandshake: boolean, isAlive: () => boolean): 'noHandshake' | 'silent' | undefined {
    this.#checksBeforeHandshake = hasHandshake ? 0 : this.#checksBeforeHandshake + 1;
    if (this.#checksBeforeHandshake === MAX_CHECKS_BEFORE_HANDSHAKE) return 'noHandshake';
    this.#silentChecks = isAlive() ? 0 : this.#silentChecks + 1;
    return this.#silentChecks < MAX_SILENT_CHECKS ? undefined : 'silent';
  }
}
