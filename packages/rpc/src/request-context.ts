import type { RequestId } from './message.ts';

/** What a handler knows of the request that it serves. */
export class RequestContext {
  readonly id: RequestId;
  readonly #live: Set<RequestContext>;
  readonly #send: (result: unknown) => void;
  #controller: AbortController | undefined;
  #isSettled = false;
  #abortReason: Error | undefined;

  constructor(id: RequestId, live: Set<RequestContext>, send: (result: unknown) => void) {
    this.id = id;
    this.#live = live;
    this.#send = send;
    live.add(this);
  }

  /** Aborts when the connection ends before the answer. Made on first use: most handlers never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /**
   * Answers now, in this call, so that the response stands exactly between what was sent before and after. What the
   * handler returns later is ignored; so is a second call.
   */
  respond(result: unknown): void {
    if (this.settle()) this.#send(result);
  }

  /** Marks the request as answered; false when it was already. For the peer. */
  settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#live.delete(this);
    return true;
  }

  /** Whether a handler throws that because it heeds the signal. For the peer. */
  isAbort(thrown: unknown): boolean {
    return this.#abortReason !== undefined && thrown === this.#abortReason;
  }

  /** The connection is over. For the peer. */
  abort(reason: Error): void {
    this.settle();
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }
}
