/** A value of an attribute. Lists hold texts only. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name. Those that are `undefined` are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** An attribute in the JSON of OTLP. Integers are decimal texts there, as for every 64-bit field of protobuf's JSON. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

/** Source of telemetry: attributes such as `service.name`. */
export interface Resource {
  readonly attributes: readonly OtlpAttribute[];
}

/** The instrumentation scope of everything that the host reports. */
export interface Scope {
  readonly name: string;
  readonly version: string;
}

/** The kinds of telemetry. */
export type Signal = 'logs' | 'traces' | 'metrics';

/** All values of {@link Signal}. */
export const SIGNALS = ['logs', 'traces', 'metrics'] as const satisfies readonly Signal[];

/** Encodes attributes. */
export function encodeAttributes(attributes: Attributes): OtlpAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: AttributeValue): OtlpValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(encodeValue) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A time in ms since the epoch as nanoseconds in decimal digits. Fractions of a millisecond are lost. */
export const nanoseconds = (ms: number): string => `${Math.max(0, Math.round(ms))}000000`;

/** The names that an export request of a signal has around its items. */
const WRAPPERS = {
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
} as const satisfies Record<Signal, readonly [string, string, string]>;

/** An export request of OTLP/JSON. `items`: log records, spans or metrics. */
export function exportRequest(
  signal: Signal,
  items: readonly object[],
  { resource, scope }: { readonly resource: Resource; readonly scope: Scope },
): Record<string, unknown> {
  const [outer, middle, inner] = WRAPPERS[signal];
  return { [outer]: [{ resource, [middle]: [{ scope, [inner]: items }] }] };
}
