import {
  type AccessRequest,
  limitReached,
  permissionDenied,
  type ResourceRequestParams,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Cancel, Clock, Ids, Timers } from '../../lib/clock.ts';
import type { Asker, Wanted } from '../../workspace/access/grants.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';

/** How long a request waits for an admin. */
const PATIENCE_MS = 5 * 60_000;
/** Open requests of one client, each for another path or access. */
const MAX_PER_CLIENT = 4;
/** Open requests of all clients of one token. */
const MAX_PER_TOKEN = 16;
const MAX_REQUESTS = 64;

/** A request that is not answered yet. */
export interface OpenRequest extends Wanted {
  readonly id: string;
  readonly clientId: string;
  readonly tokenHash: string;
}

/** An open request with those who wait for its end. */
interface Waiting extends OpenRequest {
  readonly shown: AccessRequest;
  /** The URI as asked for. */
  readonly uri: string;
  readonly answered: Promise<void>;
  readonly cancel: Cancel;
  settle(error?: Error): void;
}

/** The requests for access that wait for an admin [RES-2]. They end with the host; the clients then ask again. */
export class AccessRequests {
  readonly #parts: { readonly clock: Clock; readonly timers: Timers; readonly ids: Ids; changed(): void };
  readonly #open = new Map<string, Waiting>();

  constructor(parts: { clock: Clock; timers: Timers; ids: Ids; changed(): void }) {
    this.#parts = parts;
  }

  /** The open requests as clients see them, oldest first. `clientId`: only those of one client. */
  list(by?: Pick<Asker, 'clientId' | 'tokenHash'>): AccessRequest[] {
    const all = [...this.#open.values()];
    return (by === undefined ? all : all.filter((each) => isOf(each, by))).map(({ shown }) => shown);
  }

  /**
   * Asks admins. Resolves when access was granted; rejects with `-32009` when it was denied or nobody answers in time, and with `-32011` when
   * too many requests are open. A request that is open already is joined.
   */
  ask(
    { uri }: Pick<ResourceRequestParams, 'uri'>,
    wanted: Wanted,
    by: Asker,
    clientName: string | undefined,
  ): Promise<void> {
    const own = [...this.#open.values()].filter((each) => isOf(each, by));
    const same = own.find(
      ({ path, read, write }) => path === wanted.path && read === wanted.read && write === wanted.write,
    );
    if (same !== undefined) return same.answered;
    this.#checkRoom(own.length, by);
    const { clock, timers, ids } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = ids.next();
    const now = clock.now();
    const { clientId, tokenHash } = by;
    const { path, read, write } = wanted;
    this.#open.set(id, {
      id,
      clientId,
      tokenHash,
      path,
      read,
      write,
      uri,
      answered: promise,
      shown: {
        id,
        clientId,
        ...defined({ clientName }),
        uri: fileUriOf(path),
        read,
        write,
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + PATIENCE_MS).toISOString(),
      },
      settle: (error) => (error === undefined ? resolve() : reject(error)),
      cancel: timers.after(PATIENCE_MS, () =>
        this.#end(id, refused(uri, wanted, 'nobody answered the request in time: ask again')),
      ),
    });
    // A connection that has closed no longer waits.
    promise.catch(() => undefined);
    this.#parts.changed();
    return promise;
  }

  /** The open request with this id. */
  find(id: string): OpenRequest | undefined {
    return this.#open.get(id);
  }

  /** Ends a request with an answer. */
  answer(id: string, isGranted: boolean): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#end(id, isGranted ? undefined : refused(request.uri, request, 'an admin has denied it'));
  }

  /** Ends the requests of tokens that are no longer valid. */
  dropToken(tokenHash: string): void {
    for (const request of [...this.#open.values()])
      if (request.tokenHash === tokenHash)
        this.#end(request.id, refused(request.uri, request, 'the token has ended'));
  }

  /** Ends all timers. */
  stop(): void {
    for (const { cancel } of this.#open.values()) cancel();
    this.#open.clear();
  }

  #checkRoom(ownCount: number, { tokenHash }: Asker): void {
    const ofToken = [...this.#open.values()].filter((each) => each.tokenHash === tokenHash).length;
    if (ownCount < MAX_PER_CLIENT && ofToken < MAX_PER_TOKEN && this.#open.size < MAX_REQUESTS) return;
    const max =
      ownCount >= MAX_PER_CLIENT ? MAX_PER_CLIENT : ofToken >= MAX_PER_TOKEN ? MAX_PER_TOKEN : MAX_REQUESTS;
    throw limitReached(
      `${max} requests for access are open, the maximum: wait until an admin has answered them`,
      'accessRequests',
      max,
    );
  }

  #end(id: string, error?: Error): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    request.cancel();
    request.settle(error);
    this.#parts.changed();
  }
}

const isOf = (
  request: OpenRequest,
  { clientId, tokenHash }: Pick<Asker, 'clientId' | 'tokenHash'>,
): boolean => request.clientId === clientId && request.tokenHash === tokenHash;

const refused = (uri: string, { read, write }: Pick<Wanted, 'read' | 'write'>, reason: string): Error => {
  const what = [...(read ? ['read'] : []), ...(write ? ['write'] : [])].join(' and ');
  return permissionDenied(`No access to ${what} ${JSON.stringify(uri)}: ${reason}`);
};
