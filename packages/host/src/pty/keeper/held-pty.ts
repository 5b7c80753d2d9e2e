import type { PtySink } from '../pty.ts';
import type { RunningPty } from '../running-pty.ts';

/** A pty in a keeper, and whether any host may still ask for it. */
export class HeldPty {
  readonly pty: RunningPty;
  /** When it was first seen to have ended without a host, in ms since the epoch. */
  endedAt: number | undefined;
  readonly #unwanted: () => void;
  /** A host hears what it puts out, and has not heard its exit yet. */
  #isRead = false;
  #isForgotten = false;
  #ending: Promise<void> | undefined;

  /**
   * @param unwanted Called, perhaps more than once, when it was ended for good, no process of its session is left, and whoever reads
   * it was told or has gone: there is nobody else who would release it.
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
    this.pty.attach(offset, {
      data: (bytes, at) => sink.data(bytes, at),
      exit: (exit) => {
        sink.exit(exit);
        this.#isRead = false;
        this.#settle();
      },
    });
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
