import type { URI } from '../common/types.ts';

export interface OtlpExportLogsParams {
  channel: URI;
  payload: Record<string, unknown>;
}

export interface OtlpExportMetricsParams {
  channel: URI;
  payload: Record<string, unknown>;
}

export interface OtlpExportTracesParams {
  channel: URI;
  payload: Record<string, unknown>;
}

export interface TelemetryCapabilities {
  logs?: URI;
  traces?: URI;
  metrics?: URI;
}
