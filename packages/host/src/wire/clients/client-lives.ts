import { type Cancel, type Clock, steadyNow, type Timers } from '../../lib/clock.ts';

/** A connection that speaks for a client. */
export interface ClientConnection {
  /** False if it may only look. */
  readonly takesPart: boolean;
}

/**
 * The state of a client:
 *
 * | state       | meaning                                                         | connects    | disconnects | grace ends |
 * |-------------|-----------------------------------------------------------------|-------------|-------------|------------|
 * | `known`     | not connected since the host started: its grace began then      | `connected` | –           | `gone`     |
 * | `connected` | `connection` speaks for it                                      | `connected` | `away`      | –          |
 * | `away`      | in its grace period, which began at `since`                     | `connected` | –           | `gone`     |
 * | `gone`      | disconnected for longer than the grace period: it holds nothing | `connected` | –           | –          |
 *
 * `connected` means a connection that takes part. A connection that may only look speaks for a client without changing its state, except that
 * it replaces an older connection.
 */
export type ClientLife<C> =
  | { readonly state: 'known' }
  | { readonly state: 'connected'; readonly connection: C }
  | { readonly state: 'away'; readonly since: number; readonly cancelGrace: Cancel }
  | { readonly state: 'gone' };

type State = ClientLife<unknown>['state'];

/** The presence of clients, as channels and features see it. */
export interface Presence {
  /** Time that a disconnected client keeps what it holds, in ms. */
  readonly graceMs: number;
  /** Whether the client is `connected`. */
  isPresent(clientId: string): boolean;
  /** Whether the client is `gone`. */
  isGone(clientId: string): boolean;
  /** Calls back with each client that enters a state. */
  onChange(listener: (clientId: string, state: State) => void): void;
  /** Call it for a client that holds something. It makes `onChange` report the end of the client even if this host never saw it. */
  expect(clientId: string): void;
}

/** Features that must learn which clients take part in a channel [SESS-8] [WATCH-1]. */
export interface Departures {
  /** The client has subscribed to a channel, other than by its handshake. */
  subscribed?(clientId: string, uri: string): void;
  /** The client has unsubscribed from a channel. */
  unsubscribed(clientId: string, uri: string): void;
  /** The client has reconnected with these subscriptions only. Resolves when the state reflects that. */
  returned(clientId: string, subscriptions: readonly string[]): Promise<void>;
}

/** A state that is stored: `known` and `gone` are the states of all other clients. */
type Entered<C> = Exclude<ClientLife<C>, { state: 'known' | 'gone' }>;

const GONE = { state: 'gone' } as const;
const KNOWN = { state: 'known' } as const;

/** The states of all clients. */
export class ClientLives<C extends ClientConnection> implements Presence {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly graceMs: number;
  readonly #startedAt: number;
  readonly #lives = new Map<string, Entered<C>>();
  /** The connections that may only look, by the client that they speak for. */
  readonly #observers = new Map<string, C>();
  readonly #listeners: ((clientId: string, state: State) => void)[] = [];
  #isStopped = false;

  /** `graceMs`: time that a disconnected client keeps what it holds. */
  constructor(parts: { clock: Clock; timers: Timers; graceMs: number }) {
    this.#clock = parts.clock;
    this.#timers = parts.timers;
    this.graceMs = parts.graceMs;
    this.#startedAt = steadyNow(parts.clock);
  }

  lifeOf(clientId: string): ClientLife<C> {
    return this.#lives.get(clientId) ?? (this.#graceLeft(this.#startedAt) < 0 ? GONE : KNOWN);
  }

  /** The connection that speaks for a client; `undefined`: there is none. */
  connectionOf(clientId: string): C | undefined {
    const life = this.lifeOf(clientId);
    return life.state === 'connected' ? life.connection : this.#observers.get(clientId);
  }

  isPresent(clientId: string): boolean {
    return this.lifeOf(clientId).state === 'connected';
  }

  isGone(clientId: string): boolean {
    const life = this.lifeOf(clientId);
    // Its timer may be late.
    return life.state === 'gone' || (life.state === 'away' && this.#graceLeft(life.since) < 0);
  }

  onChange(listener: (clientId: string, state: State) => void): void {
    this.#listeners.push(listener);
  }

  expect(clientId: string): void {
    const { state } = this.lifeOf(clientId);
    if (state === 'known') this.#lives.set(clientId, this.#away(clientId, this.#startedAt));
    if (state !== 'gone') return;
    // The caller may be inside a transaction.
    this.#timers.immediate(() => {
      if (!this.#isStopped && this.isGone(clientId)) this.#tell(clientId, 'gone');
    });
  }

  /** Call it when a connection has completed its handshake. Returns the older connection that it replaces [CONN-3]. */
  connect(clientId: string, connection: C): C | undefined {
    const replaced = this.connectionOf(clientId);
    this.#observers.delete(clientId);
    if (connection.takesPart) this.#enter(clientId, { state: 'connected', connection });
    else {
      if (replaced !== undefined) this.disconnect(clientId, replaced);
      this.#observers.set(clientId, connection);
    }
    return replaced;
  }

  /** Call it when a connection has closed. Returns false if it did not speak for the client any more. */
  disconnect(clientId: string, connection: C): boolean {
    if (this.connectionOf(clientId) !== connection) return false;
    if (!this.#observers.delete(clientId))
      this.#enter(clientId, this.#away(clientId, steadyNow(this.#clock)));
    return true;
  }

  /** The host stops: grace periods no longer end. They begin again with the next start. */
  stop(): void {
    this.#isStopped = true;
    for (const life of this.#lives.values()) if (life.state === 'away') life.cancelGrace();
  }

  #away(clientId: string, since: number): Extract<ClientLife<C>, { state: 'away' }> {
    let cancel: Cancel = () => undefined;
    const wait = (): void => {
      if (this.#isStopped) return;
      cancel = this.#timers.after(Math.max(0, this.#graceLeft(since)) + 1, () => {
        // A timer may fire early.
        if (this.#graceLeft(since) < 0) this.#enter(clientId, GONE);
        else wait();
      });
    };
    wait();
    return { state: 'away', since, cancelGrace: () => cancel() };
  }

  #enter(clientId: string, life: Exclude<ClientLife<C>, typeof KNOWN>): void {
    const before = this.#lives.get(clientId);
    if (before?.state === 'away') before.cancelGrace();
    if (life.state === 'gone') this.#lives.delete(clientId);
    else this.#lives.set(clientId, life);
    this.#tell(clientId, life.state);
  }

  #tell(clientId: string, state: State): void {
    for (const listener of this.#listeners) listener(clientId, state);
  }

  /** Ms of a grace period that are left; negative: it is over. */
  #graceLeft(since: number): number {
    return since + this.graceMs - steadyNow(this.#clock);
  }
}
