/** Bytes of remembered subscriptions, for the forgettable clients of one token. */
const MAX_BYTES_PER_TOKEN = 4 * 1024 * 1024;

/** A disconnected client without a processed action. */
export interface ForgettableClient {
  readonly id: string;
  readonly tokenHash: string;
  /** Bytes of its stored subscriptions. */
  readonly bytes: number;
}

interface Share {
  /** Bytes by client, in the order in which the clients disconnected. */
  readonly clients: Map<string, number>;
  bytes: number;
}

/**
 * Limits the disconnected clients that a host remembers per token: a new client id costs nothing. It counts only clients without a processed
 * action. Such a client initializes when it returns [CONN-7]; the resent action of another one would be applied again [ACT-5].
 */
export class ForgettableClients {
  readonly #mostPerToken: () => number;
  readonly #shares = new Map<string, Share>();
  readonly #tokenOf = new Map<string, string>();

  constructor(mostPerToken: () => number) {
    this.#mostPerToken = mostPerToken;
  }

  /** Adds a client that has disconnected. Returns the clients of its token to forget, those that disconnected first before the others. */
  add(client: ForgettableClient): string[] {
    this.remove(client.id);
    const share = this.#shares.get(client.tokenHash) ?? { clients: new Map<string, number>(), bytes: 0 };
    this.#shares.set(client.tokenHash, share);
    share.clients.set(client.id, client.bytes);
    share.bytes += client.bytes;
    this.#tokenOf.set(client.id, client.tokenHash);
    return this.#shorten(share);
  }

  /** Adds the clients of earlier runs of the host, in the order in which they disconnected. Returns the clients to forget. */
  adopt(found: readonly ForgettableClient[]): string[] {
    const known = [...this.#shares].flatMap(([tokenHash, { clients }]) =>
      Array.from(clients, ([id, bytes]) => ({ id, tokenHash, bytes })),
    );
    const isKnown = new Set(known.map(({ id }) => id));
    this.#shares.clear();
    this.#tokenOf.clear();
    return [...found.filter(({ id }) => !isKnown.has(id)), ...known].flatMap((client) => this.add(client));
  }

  /** Removes a client that has reconnected or has no row any more. */
  remove(id: string): void {
    const tokenHash = this.#tokenOf.get(id);
    if (tokenHash === undefined) return;
    this.#tokenOf.delete(id);
    const share = this.#shares.get(tokenHash);
    if (share === undefined) return;
    share.bytes -= share.clients.get(id) ?? 0;
    share.clients.delete(id);
    if (share.clients.size === 0) this.#shares.delete(tokenHash);
  }

  #shorten(share: Share): string[] {
    const forgotten: string[] = [];
    for (const id of share.clients.keys()) {
      if (share.clients.size <= this.#mostPerToken() && share.bytes <= MAX_BYTES_PER_TOKEN) break;
      this.remove(id);
      forgotten.push(id);
    }
    return forgotten;
  }
}
