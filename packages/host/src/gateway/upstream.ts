import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connectPinnedTls } from '@agenthost/rpc/websocket-pinned';
import type { Announcement } from '../journal/postgres/announcement.ts';

/** Time in which a host must accept a connection. */
const CONNECT_MS = 5_000;

/** Connections to one host that are being made at the same time. Further ones wait, since a host limits those without a token. */
const MAX_CONNECTING = 64;

/** Connects to a host as it announced itself. Nothing is sent before its certificate was checked. Rejects with the system's error. */
export function connectUpstream({ url, fingerprint }: Announcement): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'https:' && fingerprint !== undefined)
    return connectPinnedTls({ url, signal: AbortSignal.timeout(CONNECT_MS) }, [fingerprint]);
  const isSecure = protocol === 'https:';
  const place = { host, port: Number(port || (isSecure ? 443 : 80)) };
  return new Promise((resolve, reject) => {
    const socket = isSecure ? connectTls({ ...place, servername: host }) : connect(place);
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const onTimeout = (): void => fail(new Error(`no answer from ${url} within ${CONNECT_MS / 1_000} s`));
    socket.setTimeout(CONNECT_MS, onTimeout);
    socket.once('error', fail);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0);
      socket.off('timeout', onTimeout);
      socket.off('error', fail);
      // Until its user listens.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/** Limits the connections that are being made, by host. */
export class ConnectingLimit {
  readonly #waiting = new Map<string, { count: number; readonly queue: (() => void)[] }>();

  /** Resolves when one more connection to this URL may be made, with a function that the caller calls once it is made or has failed. */
  async enter(url: string): Promise<() => void> {
    const place = this.#waiting.get(url) ?? { count: 0, queue: [] };
    this.#waiting.set(url, place);
    if (place.count < MAX_CONNECTING) place.count += 1;
    else await new Promise<void>((resolve) => void place.queue.push(resolve));
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      const next = place.queue.shift();
      if (next !== undefined) return next();
      place.count -= 1;
      if (place.count === 0) this.#waiting.delete(url);
    };
  }
}
