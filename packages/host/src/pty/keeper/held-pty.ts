import type { PtySink } from '../pty.ts';
import type { RunningPty } from '../running/running-pty.ts';

/** A pty in a keeper, and whether a host may still ask for it. */
export class HeldPty {
  readonly pty: RunningPty;
  /** The time when the keeper first saw it ended without a host, in ms since the epoch. */
  endedAt: number | undefined;
  readonly #unwanted: () => void;
  /** The connected host reads it: the host gets the exit and releases it. */
  #isRead = false;
  #isForgotten = false;
  #ending: Promise<void> | undefined;

  /**
   * @param unwanted Called, perhaps more than once, when the pty was ended with `forgets`, no process of its session is left, and no host reads
   * it. The keeper then releases it.
   */
  constructor(pty: RunningPty, unwanted: () => void) {
    this.pty = pty;
    this.#unwanted = unwanted;
  }

  /** It was ended with `forgets`: no host will ask for it. */
  get isForgotten(): boolean {
    return this.#isForgotten;
  }

  /** See `RunningPty`. */
  attach(offset: number, sink: PtySink): void {
    this.#isRead = true;
    this.pty.attach(offset, sink);
  }

  /** The host that read it is gone. */
  detach(): void {
    this.pty.detach();
    this.#isRead = false;
    this.#settle();
  }

  /** Ends its session. Resolves when no process is left. Never rejects. */
  async end(forgets: boolean): Promise<void> {
    this.#isForgotten ||= forgets;
    const ending = this.pty.endSession();
    this.#ending = ending;
    await ending;
    if (this.#ending === ending) this.#ending = undefined;
    this.#settle();
  }

  #settle(): void {
    if (this.#isForgotten && !this.#isRead && this.#ending === undefined) this.#unwanted();
  }
}
