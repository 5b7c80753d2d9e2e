import { telemetry } from './en/telemetry.ts';
import { chooseCatalogue } from './text.ts';

/** The texts of the trace of a turn. They are not in the first load of the page. */
export const telemetryText: typeof telemetry = chooseCatalogue({ en: telemetry }, telemetry).catalogue;
