import type { PtySink } from '../pty.ts';
import type { RunningPty } from '../running/running-pty.ts';

/** A pty in a keeper, and whether any host may still ask for it. */
export class HeldPty {
  readonly pty: RunningPty;
  /** When it was first seen to have ended without a host, in ms since the epoch. */
  endedAt: number | undefined;
  readonly #unwanted: () => void;
  /** The host that is there reads it: it hears the exit, and releases it. */
  #isRead = false;
  #isForgotten = false;
  #ending: Promise<void> | undefined;

  /**
   * @param unwanted Called, perhaps more than once, when it was ended for good, no process of its session is left, and no host reads
   * it: there may be nobody else who would release it.
   */
  constructor(pty: RunningPty, unwanted: () => void) {
    this.pty = pty;
    this.#unwanted = unwanted;
  }

  /** It was ended for good: no host will ask for it. */
  get isForgotten(): boolean {
    return this.#isForgotten;
  }

  /** As that of the pty. */
  attach(offset: number, sink: PtySink): void {
    this.#isRead = true;
    this.pty.attach(offset, sink);
  }

  /** Whoever read it has gone. */
  detach(): void {
    this.pty.detach();
    this.#isRead = false;
    this.#settle();
  }

  /** Ends its session; with `forgets` for good. Resolves when no process is left; never rejects. */
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
