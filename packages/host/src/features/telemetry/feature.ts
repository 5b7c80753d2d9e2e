import type { Clock, Ids, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { LogTap } from '../../telemetry/logs/log-tap.ts';
import { Telemetry, type TelemetryOptions } from '../../telemetry/telemetry.ts';
import type { Feature } from '../feature.ts';

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly tap: LogTap;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly options: TelemetryOptions | undefined;
}

/** Telemetry over channels, to OTLP endpoints and for Prometheus [OTLP-1]. Add it before the features whose ends it reports. */
export function telemetryFeature(parts: Parts): Feature & { readonly telemetry: Telemetry } {
  const telemetry = new Telemetry({ ...parts, options: parts.options ?? {} });
  return {
    name: 'telemetry',
    telemetry,
    observe: () => telemetry.observe(),
    recover: () => telemetry.start(),
    sweep: () => telemetry.sweep(),
    stop: async () => {
      // The last turns have ended, but maybe not been committed yet.
      await parts.sync.path.drain();
      await telemetry.stop();
    },
  };
}
