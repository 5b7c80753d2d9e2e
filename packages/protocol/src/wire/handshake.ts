import type { SessionRole } from '../auth/session-role.ts';
import type { TokenScope } from '../auth/token.ts';
import type { AutomationCapabilities } from '../automation/state.ts';
import type { TelemetryCapabilities } from '../telemetry/telemetry.ts';
import type { BaseParams, ConnectionParams, Count, NotificationParams, URI, WithMeta } from './basics.ts';
import type { ActionEnvelope, Snapshot } from './envelope.ts';

/** A program at one end of a connection, for logs and display. Abilities are told by capabilities. */
export interface Implementation {
  /** Name for programs. */
  name: string;
  version?: string;
  /** Name for people. */
  title?: string;
  /** Extension: the device that a client runs on, for people, such as `Firefox on Android`. Absent: unknown. */
  'x-device'?: string;
}

/** Optional abilities of a client. An absent field means that the client lacks it. */
export interface ClientCapabilities {
  /** Shows user interfaces of MCP servers, and may use their `mcp://` channels [MCP-2]. */
  mcpApps?: Record<string, unknown>;
}

/** Fields about the client in `initialize` and `reconnect`. */
export interface ClientIdentityParams extends ConnectionParams {
  /** Chosen by the client and kept over reconnects. It belongs to the first token that uses it [AUTH-1]. */
  clientId: string;
  /**
   * Random id of the client object. When present, `clientSeq` continues over reconnects and sending actions
   * again is safe [ACT-5].
   */
  'x-epoch'?: string;
}

/** `initialize`: the first request of a new client [CONN-1]. */
export interface InitializeParams extends ClientIdentityParams {
  /** Semantic versions, preferred first. The host takes the highest one that it supports. */
  protocolVersions: string[];
  clientInfo?: Implementation;
  /** Subscribes to these channels, without options. Unknown channels are left out [CONN-2]. */
  initialSubscriptions?: URI[];
  /** BCP 47. Absent: English [CHAT-19]. */
  locale?: string;
  /** Absent: none. */
  capabilities?: ClientCapabilities;
}

/** The host's description, and the snapshots of the subscribed channels. */
export interface InitializeResult extends WithMeta {
  /** One of the offered versions. */
  protocolVersion: string;
  /** Number of the last envelope [CONN-4]. */
  serverSeq: Count;
  serverInfo?: Implementation;
  snapshots: Snapshot[];
  /** Initial directory for file pickers. */
  defaultDirectory?: URI;
  /** Characters after which a client should ask for `completions`. */
  completionTriggerCharacters?: string[];
  /** Prefix of messages that run a terminal command [CHAT-17]. Absent: none. */
  terminalCommandPrefix?: string;
  /** Absent: none [OTLP-1]. */
  telemetry?: TelemetryCapabilities;
  /** Absent: the host has no automations [AUTO-1]. */
  automations?: AutomationCapabilities;
  /** Scope of the caller's token. Absent: a host without scopes. */
  'x-scope'?: TokenScope;
  /** Extension: the person of the caller's token. Absent: it has none. */
  'x-person'?: string;
  /** Extension: the roles of that person, by session. Absent: none. */
  'x-roles'?: Record<string, SessionRole>;
}

/** `ping`: answered with `null` when everything sent before it is processed [WIRE-4]. */
export interface PingParams extends ConnectionParams {}

/** `reconnect`: resumes a dropped connection, in place of `initialize` [CONN-5]. */
export interface ReconnectParams extends ClientIdentityParams {
  lastSeenServerSeq: Count;
  /** Channels to keep. Others are unsubscribed. */
  subscriptions: URI[];
}

/** A replay when the journal still covers the gap, else snapshots [CONN-5]. */
export type ReconnectResult = ReconnectReplayResult | ReconnectSnapshotResult;

/** All missed envelopes. */
export interface ReconnectReplayResult {
  type: 'replay';
  /** By increasing `serverSeq`. */
  actions: ActionEnvelope[];
  /** Channels that no longer exist or are no longer permitted. */
  missing: URI[];
}

/** Snapshots, because the gap is too large. Channels that no longer exist have none. */
export interface ReconnectSnapshotResult {
  type: 'snapshot';
  snapshots: Snapshot[];
}

/** `subscribe`: for a subscribed channel it replaces `view` and `delivery` [SUB-1]. */
export interface SubscribeParams extends BaseParams {
  delivery?: SubscriptionDeliveryOptions;
  view?: SubscribeView;
}

/** The part of a channel to show. */
export interface SubscribeView {
  /** Number of completed turns, the newest ones. Absent: as many as fit [SUB-3]. */
  turns?: Count;
}

/** How envelopes of a channel are delivered. */
export interface SubscriptionDeliveryOptions {
  /** Milliseconds that appends may be held back to be merged. Absent or 0: none [SUB-4]. */
  maxLatencyMs?: number;
}

/** The initial state. */
export interface SubscribeResult {
  /** Absent: the channel has no state [SUB-1]. */
  snapshot?: Snapshot;
}

/** `unsubscribe` [SUB-2]. */
export interface UnsubscribeParams extends NotificationParams {}
