/** Bytes of subscriptions that are remembered for clients of one token that are away. */
const MAX_BYTES_PER_TOKEN = 4 * 1024 * 1024;

/** A client that is remembered and not connected. */
export interface AwayClient {
  readonly id: string;
  readonly tokenHash: string;
  /** Bytes of its subscriptions as they are stored. */
  readonly bytes: number;
}

interface Share {
  /** Bytes by client, the one that left first before the others. */
  readonly clients: Map<string, number>;
  bytes: number;
}

/**
 * Bounds what clients that are away make a host remember, by token: new client ids cost nothing to invent. To be given those alone that may be
 * forgotten: a client that is gets a snapshot when it comes back [CONN-7], but one of whose actions was processed would have it
 * applied again [ACT-5].
 */
export class AwayClients {
  readonly #mostPerToken: () => number;
  readonly #shares = new Map<string, Share>();
  readonly #tokenOf = new Map<string, string>();

  constructor(mostPerToken: () => number) {
    this.#mostPerToken = mostPerToken;
  }

  /** A client has left. Returns the ids of those of its token that are to be forgotten for it, the longest away first. */
  add(client: AwayClient): string[] {
    this.remove(client.id);
    const share = this.#shares.get(client.tokenHash) ?? { clients: new Map<string, number>(), bytes: 0 };
    this.#shares.set(client.tokenHash, share);
    share.clients.set(client.id, client.bytes);
    share.bytes += client.bytes;
    this.#tokenOf.set(client.id, client.tokenHash);
    return this.#shorten(share);
  }

  /** Clients of earlier lives of this host, the longest away first. Returns the ids of those that are to be forgotten. */
  adopt(found: readonly AwayClient[]): string[] {
    const known = [...this.#shares].flatMap(([tokenHash, { clients }]) =>
      Array.from(clients, ([id, bytes]) => ({ id, tokenHash, bytes })),
    );
    const isKnown = new Set(known.map(({ id }) => id));
    this.#shares.clear();
    this.#tokenOf.clear();
    return [...found.filter(({ id }) => !isKnown.has(id)), ...known].flatMap((client) => this.add(client));
  }

  /** It is back, or no longer one that may be forgotten. */
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
