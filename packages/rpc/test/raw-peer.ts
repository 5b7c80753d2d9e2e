import { type ControlledPair, controlledPair } from '../src/memory.ts';
import type { AnyMethods } from '../src/methods.ts';
import { Peer, type PeerOptions } from '../src/peer.ts';
import type { Timers } from '../src/timers.ts';

/** A peer with untyped methods. */
export type AnyPeer = Peer<AnyMethods, AnyMethods>;

/** A peer and the other end of its connection. */
export interface Raw {
  peer: AnyPeer;
  pair: ControlledPair;
  /** Parsed frames that the peer sent. */
  sent: unknown[];
  closed: { code: number; reason: string }[];
  errors: unknown[];
  send(frame: unknown): void;
}

/** Creates a peer on end b and returns it with the other end. */
export function raw(options: PeerOptions = {}): Raw {
  const pair = controlledPair();
  const sent: unknown[] = [];
  const closed: { code: number; reason: string }[] = [];
  const errors: unknown[] = [];
  pair.a.start({
    onFrame: (frame) => sent.push(JSON.parse(frame)),
    onClose: (info) => closed.push(info),
  });
  const peer: AnyPeer = new Peer(pair.b, { onError: (error) => errors.push(error), ...options });
  return {
    peer,
    pair,
    sent,
    closed,
    errors,
    send: (frame) => {
      pair.a.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
      pair.aToB.deliver();
      pair.bToA.deliver(Number.POSITIVE_INFINITY);
    },
  };
}

export const request = (id: unknown, method: string, params: unknown = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** Lets promises settle and delivers the frames that they sent. */
export async function settle({ pair }: Raw): Promise<void> {
  for (let round = 0; round < 10; round++) await Promise.resolve();
  pair.bToA.deliver(Number.POSITIVE_INFINITY);
}

export function deferred<T>(): {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve: (value) => resolve(value), reject: (error) => reject(error) };
}

export class ManualTimers implements Timers {
  readonly armed = new Map<number, { callback: () => void; delayMs: number }>();
  #next = 1;
  setTimeout(callback: () => void, delayMs: number): number {
    this.armed.set(this.#next, { callback, delayMs });
    return this.#next++;
  }
  clearTimeout(handle: unknown): void {
    if (typeof handle === 'number') this.armed.delete(handle);
  }
  fire(): void {
    for (const [handle, { callback }] of [...this.armed]) {
      this.armed.delete(handle);
      callback();
    }
  }
}
