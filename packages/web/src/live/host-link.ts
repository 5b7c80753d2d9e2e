import {
  type AhpClient,
  connect,
  createClient,
  HandshakeFailed,
  Replaced,
  RpcError,
  Unauthorized,
  UntrustedHost,
} from '@agenthost/client';
import { ErrorCodes } from '@agenthost/protocol';
import { savedHostTransport } from '../offline/saved-host.ts';
import { SavedStates } from '../offline/saved-states.ts';
import { Emitter } from './emitter.ts';
import { LiveCache } from './live-cache.ts';

/** State of the connection to one host, for display. Times are milliseconds since the epoch. */
export type LinkStatus =
  /** The first connection is being made. */
  | { readonly state: 'connecting' }
  | { readonly state: 'online' }
  /** The host does not answer; the page tries again at `retryAt`, or is trying now. `since`: when it was last online. */
  | {
      readonly state: 'away';
      readonly reason: string;
      readonly retryAt?: number | undefined;
      readonly since?: number | undefined;
    }
  /** The host refuses the token, the origin or the address. `httpStatus`: 401, 403 or another; absent when it closed a connection. */
  | { readonly state: 'refused'; readonly reason: string; readonly httpStatus?: number | undefined }
  /** Host and page have no common version. */
  | { readonly state: 'incompatible'; readonly reason: string }
  /** Another tab took over this client's identity. */
  | { readonly state: 'replaced' };

/** Address of a host. */
export interface HostAddress {
  /** `own` for the host that served the page, else a random id. */
  readonly id: string;
  /** `http(s)://…`, the base path included. */
  readonly url: string;
  /** Absent: the browser's cookie. */
  readonly token?: string;
  /** Name for people. */
  readonly name: string;
}

/** Options of every client of the page. */
export type PageClientOptions = NonNullable<Parameters<typeof connect>[1]>;

/** What a link needs of the page. */
export interface LinkParts {
  /** Called for each new client. */
  options(address: HostAddress): PageClientOptions;
  /** Forgets the saved identity of this page at a host. */
  forgetLife(hostId: string): void;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 15_000;

/** One host: its client, and the channels that views have open. The link lasts as long as the page. */
export class HostLink {
  readonly address: HostAddress;
  /** Open sessions, chats, terminals and lists, shared by views. */
  readonly cache = new LiveCache();
  readonly #parts: LinkParts;
  readonly #changed = new Emitter();
  #client: AhpClient | undefined;
  /** The client shows the states that this browser saved, because the host was not reached since the page was loaded. */
  #isCopy = false;
  #status: LinkStatus = { state: 'connecting' };
  #lastOnline: number | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  /** Number of the latest attempt. A later attempt makes the result of an earlier one useless. */
  #latest = 0;
  #hasForgotten = false;
  #isClosed = false;

  constructor(address: HostAddress, parts: LinkParts) {
    this.address = address;
    this.#parts = parts;
  }

  /** The client. Absent until the first connection, or until the browser's copy of the host's state is open. */
  get client(): AhpClient | undefined {
    return this.#client;
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** Whether the client shows the copy in this browser, because the host was not reached since the page was loaded. */
  get isCopy(): boolean {
    return this.#isCopy;
  }

  /** Calls `listener` after `status` or `client` changed. Returns a function that removes it. */
  onChange = (listener: () => void): (() => void) => this.#changed.add(listener);

  /** Connects. Repeats until the host answers. */
  start(): void {
    void this.#connect();
  }

  /** Tries at once, and takes the identity back from a client that replaced this one. */
  retryNow(): void {
    if (this.#client !== undefined && !this.#isCopy && this.#client.status.state !== 'closed') {
      this.#client.reconnectNow();
      return;
    }
    clearTimeout(this.#retry);
    if (!this.#isCopy) this.#drop();
    void this.#connect();
  }

  /** Closes the connection and makes a new client, which introduces itself with the present name. Unanswered actions are sent again. */
  reopen(): void {
    if (this.#client === undefined || this.#isCopy) return;
    this.#drop();
    this.#set({ state: 'connecting' });
    void this.#connect();
  }

  /** Checks the connection at once: after sleep, or a change of network. `withinMs`: time in which the host must answer. Default: the client's. */
  checkNow(withinMs?: number): void {
    if (this.#client === undefined || this.#isCopy) this.retryNow();
    else this.#client.checkNow(withinMs);
  }

  /** Connects under another client id, to act as this client. The caller closes it. Rejects as `connect` does. */
  connectAs(clientId: string): Promise<AhpClient> {
    const { memory: _memory, ...options } = this.#parts.options(this.address);
    return connect(this.#socketUrl, { ...options, token: this.address.token, clientId });
  }

  /** Closes the connection and all channels. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.cache.clear();
    this.#client?.close();
  }

  get #socketUrl(): string {
    return `${this.address.url.replace(/\/$/, '')}/ahp`;
  }

  async #connect(): Promise<void> {
    const { token } = this.address;
    this.#latest += 1;
    const attempt = this.#latest;
    try {
      const client = await connect(this.#socketUrl, {
        ...this.#parts.options(this.address),
        token,
      });
      if (this.#isClosed || attempt !== this.#latest) return client.close();
      this.#attempts = 0;
      this.#drop();
      this.#follow(client);
    } catch (error) {
      if (this.#isClosed || attempt !== this.#latest) return;
      if (isForeignLife(error) && !this.#hasForgotten) {
        this.#hasForgotten = true;
        this.#parts.forgetLife(this.address.id);
        return this.start();
      }
      const ended = endOf(error);
      if (ended !== undefined) return this.#set(ended);
      await this.#openCopy();
      const delayMs = Math.min(FIRST_RETRY_MS * 2 ** this.#attempts, MAX_RETRY_MS);
      this.#attempts += 1;
      this.#set({ state: 'away', reason: messageOf(error), retryAt: Date.now() + delayMs });
      this.#retry = setTimeout(() => void this.#connect(), delayMs);
    }
  }

  /** Closes the client and everything that views have opened with it. */
  #drop(): void {
    this.cache.clear();
    const client = this.#client;
    this.#client = undefined;
    this.#isCopy = false;
    client?.close();
  }

  /** Shows what this browser saved of the host, if it saved anything. */
  async #openCopy(): Promise<void> {
    if (this.#client !== undefined) return;
    const states = new SavedStates(this.address.id);
    try {
      if ((await states.host()) === undefined) return;
      const { memory, ...options } = this.#parts.options(this.address);
      const copy = createClient({
        ...options,
        // The copy shows what waits to be sent. The client that reaches the host sends it, and continues the memory.
        ...(memory && { memory: { load: () => memory.load(), save: () => undefined } }),
        holdsActions: true,
        transport: () => Promise.resolve(savedHostTransport(states)),
      });
      await copy.connect();
      if (this.#isClosed || this.#client !== undefined) return copy.close();
      this.#client = copy;
      this.#isCopy = true;
    } catch {
      // Without storage there is no copy; the page says that the host is away.
    }
  }

  #follow(client: AhpClient): void {
    this.#client = client;
    const show = (): void => {
      if (this.#client !== client) return;
      const { status } = client;
      switch (status.state) {
        case 'online':
          this.#lastOnline = Date.now();
          return this.#set({ state: 'online' });
        case 'waiting':
          return this.#set({
            state: 'away',
            reason: status.reason,
            retryAt: status.retryAt,
            since: this.#lastOnline,
          });
        case 'replaced':
        case 'closed':
          return this.#set(endOf(status.error) ?? { state: 'refused', reason: status.error.message });
        case 'idle':
        case 'connecting':
        case 'handshaking':
          return undefined;
      }
    };
    client.onStatus(show);
    show();
  }

  #set(status: LinkStatus): void {
    this.#status = status;
    this.#changed.emit();
  }
}

/** Whether the host knows the saved identity of this page under another token [AUTH-1]. */
const isForeignLife = (error: unknown): boolean =>
  error instanceof Unauthorized &&
  error.cause instanceof RpcError &&
  error.cause.code === ErrorCodes.PermissionDenied;

/** The status after an error that another attempt would not change; `undefined` when it is worth another attempt. */
function endOf(error: unknown): LinkStatus | undefined {
  if (error instanceof Unauthorized)
    return { state: 'refused', reason: error.message, httpStatus: error.refusal?.status };
  if (error instanceof UntrustedHost) return { state: 'refused', reason: error.message };
  if (error instanceof HandshakeFailed) return { state: 'incompatible', reason: error.message };
  if (error instanceof Replaced) return { state: 'replaced' };
  return undefined;
}

/** The text of an error for people. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
