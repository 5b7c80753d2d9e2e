import type { HostRequestMethod } from '@agenthost/protocol';

/**
 * The ways of a known client that deviate from the protocol: a dialect of one program. It is chosen by the handshake, and has a folder of its
 * own. Everything that the client sends passes through it before the versions' conversion, and everything that it gets after it.
 */
export interface ClientWays {
  /** Name for the log. */
  readonly name: string;
  /**
   * Returns params of a request or a notification as the protocol has them, or a promise of them when that needs a lookup. Params may be
   * anything: they are not checked yet.
   */
  paramsIn(method: string, params: unknown): unknown;
  /** Whether a number of an action is used once, so that the action may be told from one that is sent again [ACT-5]. */
  isUnique(clientSeq: number): boolean;
  /** Returns a notification's params or a snapshot as the client expects them: the value itself if nothing changes. */
  out<T extends object>(value: T): T;
  /** Returns a result as the client expects it. */
  resultOut(method: string, result: unknown): unknown;
  /** Returns the result that replaces an error; `undefined`: the error stands. */
  insteadOf(method: string, error: unknown): { readonly result: unknown } | undefined;
}

/**
 * Sends a request to the client and resolves with its result, which may be anything. Rejects with the errors of `Peer.request`; after
 * `timeoutMs` with `RequestTimeout`.
 */
export type AskClient = (method: HostRequestMethod, params: object, timeoutMs: number) => Promise<unknown>;

/**
 * Returns the ways of the client behind a handshake, `initialize` or `reconnect`; `undefined`: it has none of its own. `ask` asks this
 * client.
 */
export type FindWays = (params: unknown, ask: AskClient) => ClientWays | undefined;
