// What a subscriber of telemetry has received.
import type { RawClient } from './raw-client.ts';

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string;
    readonly doubleValue?: number;
  };
}

/** A span as it arrives. */
interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** A log record as it arrives. */
interface ReceivedRecord {
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly Attribute[];
  readonly eventName?: string;
  readonly traceId?: string;
}

/** The batches that arrived on a channel. */
export const payloads = (client: RawClient, method: string, channel: string): unknown[] =>
  client.frames
    .filter((frame) => frame.method === method && frame.params?.channel === channel)
    .map(({ params }) => params?.['payload']);

/** The items of all batches that arrived on a channel. */
export function items<T>(client: RawClient, method: string, channel: string): T[] {
  return payloads(client, method, channel).flatMap((payload) => {
    const outer = Object.values(Object(payload)).flat();
    const middle = outer.flatMap((entry) => Object.values(Object(entry)).filter(Array.isArray).flat());
    return middle.flatMap((entry) => Object.values(Object(entry)).filter(Array.isArray).flat()) as T[];
  });
}

export const TRACES = 'ahp-otlp://traces';
/** The spans that arrived. */
export const spansIn = (client: RawClient, channel = TRACES): ReceivedSpan[] =>
  items<ReceivedSpan>(client, 'otlp/exportTraces', channel);
/** The log records that arrived. */
export const recordsIn = (client: RawClient, channel: string): ReceivedRecord[] =>
  items<ReceivedRecord>(client, 'otlp/exportLogs', channel);

/** The value of an attribute. */
export const valueOf = (
  { attributes }: { readonly attributes: readonly Attribute[] },
  key: string,
): unknown => Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0];
