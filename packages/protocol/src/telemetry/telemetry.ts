import type { NotificationParams, URI } from '../wire/basics.ts';

/** The telemetry channels of a host. An absent one is not available [OTLP-1]. */
export interface TelemetryCapabilities {
  /** May be a URI template with `{level}`, the lowest severity wanted. */
  logs?: URI;
  traces?: URI;
  metrics?: URI;
}

/** A batch of telemetry. Never replayed. */
export interface OtlpExportParams extends NotificationParams {
  /** An unchanged export request of OTLP/JSON [OTLP-1]. */
  payload: Record<string, unknown>;
}

/** `otlp/exportLogs`: the payload has `resourceLogs`. */
export interface OtlpExportLogsParams extends OtlpExportParams {}

/** `otlp/exportTraces`: the payload has `resourceSpans`. */
export interface OtlpExportTracesParams extends OtlpExportParams {}

/** `otlp/exportMetrics`: the payload has `resourceMetrics`. */
export interface OtlpExportMetricsParams extends OtlpExportParams {}
