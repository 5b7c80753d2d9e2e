import type { URI } from '../common/types.ts';
import type { TelemetryCapabilities } from '../telemetry/telemetry.ts';
import type { ActionEnvelope, Snapshot } from './envelope.ts';

export interface ClientCapabilities {
  mcpApps?: Record<string, unknown>;
}

export interface Implementation {
  name: string;
  version?: string;
  title?: string;
}

export interface InitializeParams {
  channel: 'ahp-root://';
  protocolVersions: string[];
  clientId: string;
  /** Random id of the client's life. Given, `clientSeq` counts on through reconnects and resending is safe [ACT-5]. */
  'x-epoch'?: string;
  clientInfo?: Implementation;
  initialSubscriptions?: URI[];
  locale?: string;
  capabilities?: ClientCapabilities;
}

export interface InitializeResult {
  protocolVersion: string;
  serverSeq: number;
  serverInfo?: Implementation;
  snapshots: Snapshot[];
  defaultDirectory?: URI;
  completionTriggerCharacters?: string[];
  terminalCommandPrefix?: string;
  telemetry?: TelemetryCapabilities;
}

export interface PingParams {
  channel: 'ahp-root://';
}

export interface ReconnectParams {
  channel: 'ahp-root://';
  clientId: string;
  lastSeenServerSeq: number;
  subscriptions: URI[];
  /** As in `initialize` [ACT-5]. */
  'x-epoch'?: string;
}

/** Replay when the journal still covers the gap, fresh snapshots otherwise [CONN-5]. */
export type ReconnectResult = ReconnectReplayResult | ReconnectSnapshotResult;

export interface ReconnectReplayResult {
  type: 'replay';
  actions: ActionEnvelope[];
  missing: URI[];
}

export interface ReconnectSnapshotResult {
  type: 'snapshot';
  snapshots: Snapshot[];
}

export interface SubscribeParams {
  channel: URI;
  delivery?: SubscriptionDeliveryOptions;
  view?: SubscribeView;
}

export interface SubscribeResult {
  snapshot?: Snapshot;
}

export interface SubscribeView {
  turns?: number;
}

export interface SubscriptionDeliveryOptions {
  maxLatencyMs?: number;
}

export interface UnsubscribeParams {
  channel: URI;
}
