import type { WireError } from '@agenthost/protocol';

/** The content of an answer. `json`: a result that is encoded already. */
type Content<Result> =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'json'; readonly json: string }
  | { readonly kind: 'error'; readonly error: WireError };

/**
 * The place of an answer among the other output of its connection:
 * - `behindCommit`: after the commit of all changes made before it. If that commit fails, an error is sent instead.
 * - `held`: before the output that the outbox holds back for it. The hold ends.
 * - `anyway`: in its place, even if the open tick cannot be committed.
 */
type Order = 'behindCommit' | 'held' | 'anyway';

/** The code and reason that a connection closes with. */
export interface CloseReason {
  readonly code: number;
  readonly reason: string;
}

/** The answer to a request. Handlers return it, and the connection sends it. */
export class Answer<Result = unknown> {
  readonly content: Content<Result>;
  readonly order: Order;
  /** If set, the connection closes after the answer. */
  readonly close: CloseReason | undefined;

  private constructor(content: Content<Result>, order: Order, close?: CloseReason) {
    this.content = content;
    this.order = order;
    this.close = close;
  }

  static behindCommit<R>(result: R): Answer<R> {
    return new Answer({ kind: 'result', result }, 'behindCommit');
  }

  static held<R>(result: R): Answer<R> {
    return new Answer({ kind: 'result', result }, 'held');
  }

  /** A held answer whose result is `json`. */
  static heldJson(json: string): Answer<never> {
    return new Answer({ kind: 'json', json }, 'held');
  }

  static anyway<R>(result: R): Answer<R> {
    return new Answer({ kind: 'result', result }, 'anyway');
  }

  /** An error, behind the commit. Throwing the error does the same, but cannot close the connection. */
  static refusal(error: WireError): Answer<never> {
    return new Answer({ kind: 'error', error }, 'behindCommit');
  }

  /** Returns this answer, after which the connection closes. */
  thenClose(close: CloseReason): Answer<Result> {
    return new Answer(this.content, this.order, close);
  }
}
