import type { RequestId } from './message.ts';

/** The request that a handler serves. */
export class RequestContext {
  readonly id: RequestId;
  readonly #live: Set<RequestContext>;
  #controller: AbortController | undefined;
  #isSettled = false;
  #abortReason: Error | undefined;

  constructor(id: RequestId, live: Set<RequestContext>) {
    this.id = id;
    this.#live = live;
    live.add(this);
  }

  /** Aborts when the connection closes before the response. Created on first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /** Marks the request as answered. Returns false when it was already. Used by the peer. */
  settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#live.delete(this);
    return true;
  }

  /** Whether a handler threw because of this signal. Used by the peer. */
  isAbort(thrown: unknown): boolean {
    return this.#abortReason !== undefined && thrown === this.#abortReason;
  }

  /** Aborts because the connection closed. Used by the peer. */
  abort(reason: Error): void {
    this.settle();
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }
}
