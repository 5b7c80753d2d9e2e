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
  readonly #isProxy: (address: string | undefined) => boolean;
  /** By remote address and port, the oldest first. `address`: the one for which the socket counts. */
  readonly #sockets = new Map<string, { readonly socket: Socket; readonly address: string }>();
  readonly #countByAddress = new Map<string, number>();
  #isLogged = false;

  /** `isProxy`: whether sockets of an address are counted by {@link countFor} instead. Default: those of no address. */
  constructor(
    log: Log,
    limits: UnauthenticatedLimits = LIMITS,
    isProxy: (address: string | undefined) => boolean = () => false,
  ) {
    this.#log = log;
    this.#limits = limits;
    this.#isProxy = isProxy;
  }

  /** Counts a socket until it closes or is authenticated. Returns false if its address has too many; the socket is not counted then. */
  admit(socket: Socket): boolean {
    const address = addressName(socket.remoteAddress);
    if (!this.#isProxy(socket.remoteAddress) && this.#isFull(address)) return false;
    const name = remoteEnd(socket);
    this.#add(name, socket, address);
    socket.once('close', () => this.#forget(name));
    if (this.#sockets.size > this.#limits.most) this.#dropOldest();
    return true;
  }

  /** Counts the socket of a proxy for the client's address from now on. Returns false if that one has too many; nothing changes then. */
  countFor(end: Pick<Socket, 'remoteAddress' | 'remotePort'>, client: string | undefined): boolean {
    const [name, address] = [remoteEnd(end), addressName(client)];
    const known = this.#sockets.get(name);
    if (known === undefined || known.address === address) return true;
    if (this.#isFull(address)) return false;
    this.#forget(name);
    this.#add(name, known.socket, address);
    return true;
  }

  #isFull(address: string): boolean {
    const count = this.#countByAddress.get(address) ?? 0;
    const isFull = !isLoopbackName(address) && count >= this.#limits.mostPerAddress;
    if (isFull) this.#logOnce(address);
    return isFull;
  }

  #add(name: string, socket: Socket, address: string): void {
    this.#sockets.set(name, { socket, address });
    this.#countByAddress.set(address, (this.#countByAddress.get(address) ?? 0) + 1);
  }

  /** The client has sent a valid token: the socket counts as a connection from now on. `socket` may be the TLS socket around it. */
  authenticated(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    this.#forget(remoteEnd(socket));
  }

  #dropOldest(): void {
    const [oldest] = this.#sockets.values();
    if (oldest === undefined) return;
    this.#logOnce(oldest.address);
    // Its place is free now, even if the close takes long.
    this.#forget(remoteEnd(oldest.socket));
    oldest.socket.destroy();
  }

  #forget(name: string): void {
    const { address } = this.#sockets.get(name) ?? {};
    if (address === undefined) return;
    this.#sockets.delete(name);
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
