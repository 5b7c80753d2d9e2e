import type { CloseInfo, TransportHandlers } from './transport.ts';

/**
 * The receiving half that every transport shares: keeps what arrives before `start`, reports the close once, and lets
 * nothing through after it.
 */
export class Inbox {
  #handlers: TransportHandlers | undefined;
  #early: string[] = [];
  #closeInfo: CloseInfo | undefined;
  #isReported = false;

  /** True once `close` was called: later frames are dropped. */
  get isClosed(): boolean {
    return this.#closeInfo !== undefined;
  }

  /** Sets the listeners and hands them what came early. Throws when called twice. */
  start(handlers: TransportHandlers): void {
    if (this.#handlers !== undefined) throw new Error('Transport.start was called twice');
    this.#handlers = handlers;
    const early = this.#early;
    this.#early = [];
    for (const frame of early) {
      // A listener may close while it takes what came early.
      if (this.#isReported) return;
      handlers.onFrame(frame);
    }
    this.#report();
  }

  /** Delivers one frame, or keeps it until `start`. */
  push(frame: string): void {
    if (this.#closeInfo !== undefined) return;
    if (this.#handlers === undefined) this.#early.push(frame);
    else this.#handlers.onFrame(frame);
  }

  /** Reports the end; only the first call counts. */
  close(info: CloseInfo): void {
    if (this.#closeInfo !== undefined) return;
    this.#closeInfo = info;
    this.#report();
  }

  #report(): void {
    if (this.#isReported || this.#handlers === undefined || this.#closeInfo === undefined) return;
    this.#isReported = true;
    this.#handlers.onClose(this.#closeInfo);
  }
}
