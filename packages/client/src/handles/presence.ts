import {
  type ClientToHostRequests,
  ErrorCodes,
  type HostToClientNotifications,
  type PresenceChangedParams,
  type PresentClient,
  ROOT_URI,
  type SetPresenceParams,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { type Clock, steadyNow } from '../clock.ts';
import type { ConnectionState } from '../connection/connection-state.ts';
import { ConnectionLost } from '../errors.ts';
import { Listeners, type ReportError } from '../listeners.ts';

/** Shortest time between two calls, in milliseconds. */
const INTERVAL_MS = 250;

/** Presence of this client: the channels that it shows, whether a person can see it, and the field in which the person writes. */
export type OwnPresence = Omit<SetPresenceParams, 'channel' | '_meta'>;

/** What presence needs of a client. */
export interface PresencePort {
  readonly status: ConnectionState;
  onStatus(listener: (status: ConnectionState) => void): () => void;
  onNotification(
    method: 'x-presenceChanged',
    listener: (params: HostToClientNotifications['x-presenceChanged']) => void,
  ): () => void;
  request(
    method: 'x-setPresence',
    params: ClientToHostRequests['x-setPresence']['params'],
  ): Promise<ClientToHostRequests['x-setPresence']['result']>;
}

/** The clients that are connected to the host, and the channels that each shows. Hosts without this extension report nothing. */
export class Presence {
  readonly #client: PresencePort;
  readonly #clock: Clock;
  readonly #report: ReportError;
  readonly #listeners: Listeners<readonly PresentClient[]>;
  #clients: readonly PresentClient[] = [];
  #more = 0;
  #own: OwnPresence | undefined;
  /** As last sent on this connection, as JSON. */
  #sent = '';
  #sentAt = Number.NEGATIVE_INFINITY;
  #timer: unknown;

  constructor(client: PresencePort, { clock, report }: { clock: Clock; report: ReportError }) {
    this.#client = client;
    this.#clock = clock;
    this.#report = report;
    this.#listeners = new Listeners(report, 'presence');
    client.onNotification('x-presenceChanged', (params) => this.#receive(params));
    client.onStatus(({ state }) => {
      this.#cancel();
      this.#sent = '';
      if (state === 'online') this.#send();
      else this.#show([], 0);
    });
  }

  /** The connected clients, this one included. Empty before the first `set`, and without a connection. */
  get clients(): readonly PresentClient[] {
    return this.#clients;
  }

  /** Number of connected clients that `clients` leaves out. */
  get more(): number {
    return this.#more;
  }

  /**
   * Reports the presence of this client to the host; replaces the last report. Sent at most four times a second, and again after every reconnect.
   * From the first call on, `clients` is kept up to date.
   */
  set(own: OwnPresence): void {
    this.#own = own;
    if (this.#timer !== undefined) return;
    const waitMs = this.#sentAt + INTERVAL_MS - steadyNow(this.#clock);
    if (waitMs <= 0) return this.#send();
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, waitMs);
  }

  /** Calls `listener` with the new list at every change of `clients`. Returns a function that removes it. */
  onChange(listener: (clients: readonly PresentClient[]) => void): () => void {
    return this.#listeners.add(listener);
  }

  #send(): void {
    if (this.#own === undefined || this.#client.status.state !== 'online') return;
    const json = JSON.stringify(this.#own);
    if (json === this.#sent) return;
    this.#sent = json;
    this.#sentAt = steadyNow(this.#clock);
    this.#client.request('x-setPresence', { channel: ROOT_URI, ...this.#own }).catch((error: unknown) => {
      // It is sent again with the next connection.
      if (error instanceof ConnectionLost) return;
      // An older host.
      if (error instanceof RpcError && error.code === ErrorCodes.MethodNotFound) return;
      this.#report(error, 'x-setPresence');
    });
  }

  #receive({ clients, more = 0 }: PresenceChangedParams): void {
    // Notifications of a closing connection may arrive late.
    if (this.#client.status.state === 'online') this.#show(clients, more);
  }

  #show(clients: readonly PresentClient[], more: number): void {
    if (this.#clients.length === 0 && clients.length === 0) return;
    this.#clients = clients;
    this.#more = more;
    this.#listeners.emit(clients);
  }

  #cancel(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
