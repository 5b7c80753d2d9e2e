import type { Socket } from 'node:net';
import { addressName, isLoopbackName } from '../../auth/address-name.ts';
import type { Log } from '../../lib/log.ts';

/** How many connections may be there that have not shown a token yet. */
export interface UnauthenticatedLimits {
  /** In all. One more, and the oldest of them goes: whoever has a token shows it at once. */
  readonly most: number;
  /** From one address of another machine. One more is refused. */
  readonly mostPerAddress: number;
}

/** As many as may be connected by default, and so come back at once after a restart. */
const LIMITS: UnauthenticatedLimits = { most: 2_048, mostPerAddress: 128 };

/** What one too many from an address is told. */
export const TOO_MANY_UNAUTHENTICATED =
  'too many connections without a token are open from here: try again later';

/**
 * The connections of a port that nobody vouches for yet, HTTP requests among them. How long each may take is for the server to watch; here is seen to it that
 * all together take no more sockets and memory than they may, and keep nobody out who has a token.
 */
export class UnauthenticatedSockets {
  readonly #limits: UnauthenticatedLimits;
  readonly #log: Log;
  /** By the other end, the oldest first. */
  readonly #sockets = new Map<string, Socket>();
  readonly #countByAddress = new Map<string, number>();
  #isTold = false;

  constructor(log: Log, limits: UnauthenticatedLimits = LIMITS) {
    this.#log = log;
    this.#limits = limits;
  }

  /** One more, until it closes or is known. False: it is one too many from its address, and not counted. */
  arrived(socket: Socket): boolean {
    const address = addressName(socket.remoteAddress);
    const count = this.#countByAddress.get(address) ?? 0;
    if (!isLoopbackName(address) && count >= this.#limits.mostPerAddress) {
      this.#tell(address);
      return false;
    }
    const name = otherEnd(socket);
    this.#sockets.set(name, socket);
    this.#countByAddress.set(address, count + 1);
    socket.once('close', () => this.#forget(name, address));
    if (this.#sockets.size > this.#limits.most) this.#dropOldest();
    return true;
  }

  /** Whoever is at the other end has shown a token, and counts among connections from now on. `socket`: it, or what TLS made of it. */
  known(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    this.#forget(otherEnd(socket), addressName(socket.remoteAddress));
  }

  #dropOldest(): void {
    const [oldest] = this.#sockets.values();
    if (oldest === undefined) return;
    this.#tell(addressName(oldest.remoteAddress));
    // Not when its end is known: it counts no more, however long that takes.
    this.known(oldest);
    oldest.destroy();
  }

  #forget(name: string, address: string): void {
    if (!this.#sockets.delete(name)) return;
    const count = (this.#countByAddress.get(address) ?? 0) - 1;
    if (count > 0) this.#countByAddress.set(address, count);
    else this.#countByAddress.delete(address);
    if (this.#sockets.size === 0) this.#isTold = false;
  }

  /** Once, until there are none any more. */
  #tell(address: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#log.warn(
      { address, open: this.#sockets.size },
      'there are too many connections without a token; some are cut off',
    );
  }
}

/** Tells the connections of a port apart. */
export const otherEnd = ({
  remoteAddress,
  remotePort,
}: Pick<Socket, 'remoteAddress' | 'remotePort'>): string => `${remoteAddress} ${remotePort}`;
