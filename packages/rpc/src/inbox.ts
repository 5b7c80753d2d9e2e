import type { CloseInfo, TransportHandlers } from './transport.ts';

/**
 * The receiving half of every transport: buffers frames that arrive before `start`, reports the close once,
 * and drops what arrives after it.
 */
export class Inbox {
  #handlers: TransportHandlers | undefined;
  #early: string[] = [];
  #closeInfo: CloseInfo | undefined;
  #isReported = false;

  /** True after `close`. Later frames are dropped. */
  get isClosed(): boolean {
    return this.#closeInfo !== undefined;
  }

  /** Sets the listeners and delivers the buffered frames. Throws when called twice. */
  start(handlers: TransportHandlers): void {
    if (this.#handlers !== undefined) throw new Error('Transport.start was called twice');
    this.#handlers = handlers;
    const early = this.#early;
    this.#early = [];
    for (const frame of early) {
      // A listener may close the inbox while buffered frames are delivered.
      if (this.#isReported) return;
      handlers.onFrame(frame);
    }
    this.#report();
  }

  /** Delivers one frame, or buffers it until `start`. */
  push(frame: string): void {
    if (this.#closeInfo !== undefined) return;
    if (this.#handlers === undefined) this.#early.push(frame);
    else this.#handlers.onFrame(frame);
  }

  /** Reports the close. Only the first call counts. */
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
