import type { Telemetry, TelemetryPort } from './telemetry.ts';

/**
 * Opens the telemetry of a host. The code is loaded with the first call, because most programs do not use it.
 *
 * @example
 * const telemetry = await openTelemetry(client);
 * const stop = await telemetry.logs((record) => console.log(record.body), { severity: 'warn' });
 */
export async function openTelemetry(client: TelemetryPort): Promise<Telemetry> {
  const { Telemetry: Opened } = await import('./telemetry.ts');
  return new Opened(client);
}
