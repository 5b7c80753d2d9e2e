import type { TelemetryCapabilities, TokenScope, URI } from '@agenthost/protocol';
import type { Sink } from '../sync/subscription.ts';

/** Channels without state: they have subscribers, and neither snapshots nor a replay [CONN-5]. */
export interface StatelessChannels {
  /** The telemetry channels that a token may subscribe to, for the handshake [OTLP-1]. */
  capabilities(scope: TokenScope): TelemetryCapabilities;
  /** Whether there is a channel with this URI. */
  has(uri: URI): boolean;
  /** `isResumed`: the subscription goes on after a reconnect. Throws a wire error if the connection may not subscribe. */
  subscribe(uri: URI, sink: Sink, options: { readonly scope: TokenScope; readonly isResumed: boolean }): void;
  /** Does nothing if the connection has no such subscription. */
  unsubscribe(uri: URI, sink: Sink): void;
  /** Ends all subscriptions of a connection that has closed. */
  leave(sink: Sink): void;
}
