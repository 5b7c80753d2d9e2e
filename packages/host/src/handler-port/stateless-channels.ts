import type { TelemetryCapabilities, TokenScope, URI } from '@agenthost/protocol';
import type { Sink } from '../sync/subscription.ts';
import type { Caller } from './channel-module.ts';

/** What a subscription to a channel without state depends on. */
export interface StatelessSubscription {
  readonly scope: TokenScope;
  /** Whether the client shows user interfaces of MCP servers [MCP-2]. */
  readonly hasMcpApps: boolean;
  /** Whether the subscription goes on after a reconnect. */
  readonly isResumed: boolean;
}

/** Channels of one kind that have subscribers, and neither snapshots nor a replay [CONN-5]. */
interface ChannelsWithoutState {
  /** Whether a URI is one of these channels. */
  has(uri: URI): boolean;
  /** Throws a wire error if the connection may not subscribe. */
  subscribe(uri: URI, sink: Sink, options: StatelessSubscription): void;
  /** Does nothing if the connection has no such subscription. */
  unsubscribe(uri: URI, sink: Sink): void;
  /** Ends all subscriptions of a connection that has closed. */
  leave(sink: Sink): void;
}

/** The telemetry channels. */
interface TelemetryChannelsPort extends ChannelsWithoutState {
  /** The telemetry channels that a token may subscribe to, for the handshake [OTLP-1]. */
  capabilities(scope: TokenScope): TelemetryCapabilities;
}

/** A client that uses a side channel. */
export interface SideCaller extends Pick<Caller, 'clientId' | 'scope' | 'sink'> {
  readonly hasMcpApps: boolean;
}

/** The side channels to MCP servers, which forward requests [MCP-2]. */
export interface SideChannels extends ChannelsWithoutState {
  /** Forwards a request to the server of the channel in `params`. Rejects with a wire error, or with the error of the server. */
  request(method: string, params: unknown, caller: SideCaller, signal: AbortSignal): Promise<object>;
  /** Takes a log message of a view. Bad ones are dropped. */
  logged(params: unknown, caller: SideCaller): void;
}

/** All channels without state. The side channels come later than the connections. */
export class StatelessChannels implements TelemetryChannelsPort {
  readonly #telemetry: TelemetryChannelsPort;
  /** `undefined` while the host starts. */
  side: SideChannels | undefined;

  constructor(telemetry: TelemetryChannelsPort) {
    this.#telemetry = telemetry;
  }

  capabilities(scope: TokenScope): TelemetryCapabilities {
    return this.#telemetry.capabilities(scope);
  }

  has(uri: URI): boolean {
    return this.#of(uri) !== undefined;
  }

  subscribe(uri: URI, sink: Sink, options: StatelessSubscription): void {
    this.#of(uri)?.subscribe(uri, sink, options);
  }

  unsubscribe(uri: URI, sink: Sink): void {
    this.#of(uri)?.unsubscribe(uri, sink);
  }

  leave(sink: Sink): void {
    this.#telemetry.leave(sink);
    this.side?.leave(sink);
  }

  #of(uri: URI): ChannelsWithoutState | undefined {
    return [this.#telemetry, this.side].find((each) => each?.has(uri) === true);
  }
}
