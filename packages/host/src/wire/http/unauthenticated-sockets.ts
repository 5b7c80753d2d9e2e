import type { Socket } from 'node:net';
import { addressName, isLoopbackName } from '../../auth/address-name.ts';
import type { Log } from '../../lib/log.ts';

/** Limits for the open sockets whose client has not sent a valid token. */
export interface UnauthenticatedLimits {
  /** Of all addresses. Above it the oldest socket is destroyed: a client with a token sends it at once. */
  readonly most: number;
  /** Of one address of another machine. Above it a new socket is refused. */
  readonly mostPerAddress: number;
}

/** `most` equals the default of `maxConnections`: all clients may reconnect at once after a restart. */
const LIMITS: UnauthenticatedLimits = { most: 2_048, mostPerAddress: 128 };

/** The answer to a refused connection. */
export const TOO_MANY_UNAUTHENTICATED =
  'too many connections without a token are open from here: try again later';

/** Caps unauthenticated sockets, those of plain HTTP requests included. Timeouts are in `listener.ts`. */
export class UnauthenticatedSockets {
  readonly #limits: UnauthenticatedLimits;
  readonly #log: Log;
  /** By remote address and port, the oldest first. */
  readonly #sockets = new Map<string, Socket>();
  readonly #countByAddress = new Map<string, number>();
  #isLogged = false;

  constructor(log: Log, limits: UnauthenticatedLimits = LIMITS) {
    this.#log = log;
    this.#limits = limits;
  }

  /** Counts a socket until it closes or is authenticated. Returns false if its address has too many; the socket is not counted then. */
  admit(socket: Socket): boolean {
    const address = addressName(socket.remoteAddress);
    const count = this.#countByAddress.get(address) ?? 0;
    if (!isLoopbackName(address) && count >= this.#limits.mostPerAddress) {
      this.#logOnce(address);
      return false;
    }
    const name = remoteEnd(socket);
    this.#sockets.set(name, socket);
    this.#countByAddress.set(address, count + 1);
    socket.once('close', () => this.#forget(name, address));
    if (this.#sockets.size > this.#limits.most) this.#dropOldest();
    return true;
  }

  /** The client has sent a valid token: the socket counts as a connection from now on. `socket` may be the TLS socket around it. */
  authenticated(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    this.#forget(remoteEnd(socket), addressName(socket.remoteAddress));
  }

  #dropOldest(): void {
    const [oldest] = this.#sockets.values();
    if (oldest === undefined) return;
    this.#logOnce(addressName(oldest.remoteAddress));
    // Its place is free now, even if the close takes long.
    this.#forget(remoteEnd(oldest), addressName(oldest.remoteAddress));
    oldest.destroy();
  }

  #forget(name: string, address: string): void {
    if (!this.#sockets.delete(name)) return;
    const count = (this.#countByAddress.get(address) ?? 0) - 1;
    if (count > 0) this.#countByAddress.set(address, count);
    else this.#countByAddress.delete(address);
    if (this.#sockets.size === 0) this.#isLogged = false;
  }

  /** Logs once, until there are no unauthenticated sockets. */
  #logOnce(address: string): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.#log.warn(
      { address, open: this.#sockets.size },
      'too many connections without a token are open; some are closed',
    );
  }
}

/** Identifies a connection of a port. */
export const remoteEnd = ({
  remoteAddress,
  remotePort,
}: Pick<Socket, 'remoteAddress' | 'remotePort'>): string => `${remoteAddress} ${remotePort}`;
