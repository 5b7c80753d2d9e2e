import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connectPinnedTls } from '@agenthost/rpc/websocket-pinned';
import { isLoopback } from '../tls/names.ts';
import { isHeldHere, type ReachableCell } from './reachability.ts';

/** Time limit for a connection to a host. */
const CONNECT_MS = 5_000;

/** Limit of unanswered requests for one host. Further ones wait, because a host limits connections without a token. */
const MAX_UNANSWERED = 64;

/** Limit of requests in the queue for one host. All clients of a host may connect at the same time. */
const MAX_WAITING = 1_000;

/** The host runs on another machine, but its address is one of this machine, where another program may listen. */
export class OtherMachineError extends Error {
  override readonly name = 'OtherMachineError';
}

/**
 * Connects to the host of a cell at its announced address. Nothing is sent before its certificate was checked, and nothing to another program of
 * this machine. Rejects with `OtherMachineError`, the system's error or the signal's reason.
 */
export async function connectUpstream(cell: ReachableCell, signal: AbortSignal): Promise<Socket> {
  const socket = await connectTo(cell.announcement, signal);
  // Until its user listens.
  socket.on('error', () => undefined);
  const { remoteAddress = '' } = socket;
  if (!isLoopback(remoteAddress) || isHeldHere(cell)) return socket;
  socket.destroy();
  throw new OtherMachineError(`${cell.announcement.url} is ${remoteAddress} on the gateway's machine`);
}

function connectTo(
  { url, fingerprint }: ReachableCell['announcement'],
  signal: AbortSignal,
): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'https:' && fingerprint !== undefined) {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    return connectPinnedTls({ url, signal: limited }, [fingerprint]);
  }
  const isSecure = protocol === 'https:';
  const place = { host, port: Number(port || (isSecure ? 443 : 80)) };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = isSecure ? connectTls({ ...place, servername: host }) : connect(place);
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(new Error('the client is gone'));
    const onTimeout = (): void => fail(new Error(`no answer from ${url} within ${CONNECT_MS / 1_000} s`));
    signal.addEventListener('abort', abort);
    socket.setTimeout(CONNECT_MS, onTimeout);
    socket.once('error', fail);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', abort);
      socket.setTimeout(0);
      socket.off('timeout', onTimeout);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/** The requests at one host. */
interface Place {
  count: number;
  /** Those that wait, in their order. */
  readonly queue: Set<() => void>;
}

/** Limits the requests without an answer, by host. */
export class UnansweredLimit {
  readonly #places = new Map<string, Place>();

  /**
   * Resolves when one more request may be made at this URL, with a function that the caller calls once the host has answered or the connection has
   * ended. `undefined`: too many wait, or the signal came first.
   */
  async enter(url: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    const place: Place = this.#places.get(url) ?? { count: 0, queue: new Set() };
    this.#places.set(url, place);
    if (place.count < MAX_UNANSWERED) place.count += 1;
    else if (place.queue.size >= MAX_WAITING || !(await hasTurn(place, signal))) return undefined;
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      const [next] = place.queue;
      if (next !== undefined) return next();
      place.count -= 1;
      if (place.count === 0) this.#places.delete(url);
    };
  }
}

/** Waits for a turn in the queue. False when the signal came first. */
function hasTurn({ queue }: Place, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isTurn: boolean): void => {
      queue.delete(next);
      signal.removeEventListener('abort', abort);
      resolve(isTurn);
    };
    const next = (): void => settle(true);
    const abort = (): void => settle(false);
    queue.add(next);
    signal.addEventListener('abort', abort);
  });
}
