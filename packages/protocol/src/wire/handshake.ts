import type { TokenScope } from '../auth/token.ts';
import type { TelemetryCapabilities } from '../telemetry/telemetry.ts';
import type { BaseParams, ConnectionParams, Count, URI } from './basics.ts';
import type { ActionEnvelope, Snapshot } from './envelope.ts';

/** A program at one end of a connection. For logs and display; what it can do is told by capabilities. */
export interface Implementation {
  /** For programs. */
  name: string;
  version?: string;
  /** For people. */
  title?: string;
}

/** What a client can do beyond the least. An absent field is something that it cannot. */
export interface ClientCapabilities {
  /** Shows user interfaces of MCP servers, and so may use their `mcp://` channels [MCP-2]. */
  mcpApps?: Record<string, unknown>;
}

/** What `initialize` and `reconnect` both tell of the client. */
export interface ClientIdentityParams extends ConnectionParams {
  /** Chosen by the client and kept over reconnects; other tokens than its first one cannot use it [AUTH-1]. */
  clientId: string;
  /** Random id of the client's life. Given, `clientSeq` counts on through reconnects and resending is safe [ACT-5]. */
  'x-epoch'?: string;
}

/** `initialize`: the first request of a new client [CONN-1]. */
export interface InitializeParams extends ClientIdentityParams {
  /** Semantic versions, the preferred one first; the host takes the highest that it speaks. */
  protocolVersions: string[];
  clientInfo?: Implementation;
  /** As many `subscribe`s without options; unknown channels are left out [CONN-2]. */
  initialSubscriptions?: URI[];
  /** BCP 47. Absent: English [CHAT-19]. */
  locale?: string;
  /** Absent: none of them. */
  capabilities?: ClientCapabilities;
}

/** What the host is, and the state of what was subscribed to. */
export interface InitializeResult {
  /** One of those that were offered. */
  protocolVersion: string;
  /** Number of the last envelope [CONN-4]. */
  serverSeq: Count;
  serverInfo?: Implementation;
  snapshots: Snapshot[];
  /** Where file pickers start. */
  defaultDirectory?: URI;
  /** Characters that, typed into a message, are worth a `completions`. */
  completionTriggerCharacters?: string[];
  /** What makes a message a terminal command [CHAT-17]. Absent: nothing does. */
  terminalCommandPrefix?: string;
  /** Absent: none [OTLP-1]. */
  telemetry?: TelemetryCapabilities;
  /** What the caller's token lets it do, so that nothing else need be offered. Absent: a host without scopes. */
  'x-scope'?: TokenScope;
}

/** `ping`: answered by `null` when everything sent before it is settled [WIRE-4]. */
export interface PingParams extends ConnectionParams {}

/** `reconnect`: takes up a dropped connection in place of `initialize` [CONN-5]. */
export interface ReconnectParams extends ClientIdentityParams {
  lastSeenServerSeq: Count;
  /** Channels to go on with; those left out are given up. */
  subscriptions: URI[];
}

/** Replay when the journal still covers the gap, fresh snapshots otherwise [CONN-5]. */
export type ReconnectResult = ReconnectReplayResult | ReconnectSnapshotResult;

/** All that was missed. */
export interface ReconnectReplayResult {
  type: 'replay';
  /** By rising `serverSeq`. */
  actions: ActionEnvelope[];
  /** Channels that are gone, or not permitted any more. */
  missing: URI[];
}

/** Too much was missed; channels that are gone have no snapshot. */
export interface ReconnectSnapshotResult {
  type: 'snapshot';
  snapshots: Snapshot[];
}

/** `subscribe`: again for the same channel, it replaces `view` and `delivery` [SUB-1]. */
export interface SubscribeParams extends BaseParams {
  delivery?: SubscriptionDeliveryOptions;
  view?: SubscribeView;
}

/** What to show of a channel. */
export interface SubscribeView {
  /** Completed turns of a chat, the newest. Absent: all that fit [SUB-3]. */
  turns?: Count;
}

/** How to send a channel's envelopes. */
export interface SubscriptionDeliveryOptions {
  /** How long appends may be held back to be merged. Absent or 0: not at all [SUB-4]. */
  maxLatencyMs?: number;
}

/** The state to begin with. */
export interface SubscribeResult {
  /** Absent: the channel has no state [SUB-1]. */
  snapshot?: Snapshot;
}

/** `unsubscribe` [SUB-2]. */
export interface UnsubscribeParams extends BaseParams {}
