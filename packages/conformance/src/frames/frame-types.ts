/** Names of the types of params, by notification. */
const NOTIFICATIONS: Readonly<Record<string, string>> = {
  action: 'ActionEnvelope',
  'root/sessionAdded': 'SessionAddedParams',
  'root/sessionRemoved': 'SessionRemovedParams',
  'root/sessionSummaryChanged': 'SessionSummaryChangedParams',
  'root/progress': 'ProgressParams',
  'auth/required': 'AuthRequiredParams',
  'otlp/exportLogs': 'OtlpExportLogsParams',
  'otlp/exportTraces': 'OtlpExportTracesParams',
  'otlp/exportMetrics': 'OtlpExportMetricsParams',
};

/** Name of the type of a notification's params. */
export const paramsType = (method: string): string | undefined =>
  Object.hasOwn(NOTIFICATIONS, method) ? NOTIFICATIONS[method] : undefined;

/** Name of the type of a request's result. */
export const resultType = (method: string): string =>
  `${method.charAt(0).toUpperCase()}${method.slice(1)}Result`;
