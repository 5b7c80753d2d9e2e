import { kindOfScheme, type TelemetryCapabilities, type URI } from '@agenthost/protocol';
import { ConnectionLost, UnexpectedState } from '../errors.ts';
import type { HostSpan } from './host-span.ts';
import { asList, asObject, attributesIn, msOf, type TelemetryAttributes, textIn } from './otlp-json.ts';
import { type Waterfall, waterfallOf } from './waterfall.ts';

type Method = 'otlp/exportLogs' | 'otlp/exportTraces' | 'otlp/exportMetrics';

/** What telemetry needs of a client. */
export interface TelemetryPort {
  readonly host: { readonly telemetry?: TelemetryCapabilities } | undefined;
  subscribeStateless(uri: URI): Promise<() => void>;
  onNotification(
    method: Method,
    listener: (params: { readonly channel: URI; readonly payload: Record<string, unknown> }) => void,
  ): () => void;
}

/** Lowest severity of log records. */
export type LogSeverity = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** A log record of the host. */
export interface HostLogRecord {
  /** ms since the epoch. */
  readonly ms: number;
  /** Upper case, such as `INFO`. */
  readonly severity: string;
  readonly body: string;
  readonly attributes: TelemetryAttributes;
}

/** Time limit for the spans of a turn, in milliseconds. */
const TURN_LIMIT_MS = 30_000;

/** Readings of turns so far. */
let readCount = 0;

/**
 * Reads the telemetry of a host [OTLP-1]. Methods reject with `UnexpectedState` if the host does not offer the channel to this client, and like
 * `subscribe`.
 */
export class Telemetry {
  readonly #client: TelemetryPort;

  constructor(client: TelemetryPort) {
    this.#client = client;
  }

  /**
   * Calls back with each log record from now on. `severity`: the lowest one, default `info`. `tail`: lines of the past that come first, default 0.
   * Resolves with a function that unsubscribes.
   */
  logs(
    listener: (record: HostLogRecord) => void,
    { severity = 'info', tail = 0 }: { readonly severity?: LogSeverity; readonly tail?: number } = {},
  ): Promise<() => void> {
    const uri = this.#channel('logs').replace('{level}', severity);
    return this.#follow('otlp/exportLogs', tail > 0 ? `${uri}?tail=${tail}` : uri, (payload) => {
      for (const record of readRecords(payload)) listener(record);
    });
  }

  /** Calls back with each ended span from now on. Resolves with a function that unsubscribes. */
  spans(listener: (span: HostSpan) => void): Promise<() => void> {
    return this.#follow('otlp/exportTraces', this.#channel('traces'), (payload) => {
      for (const span of readSpans(payload)) listener(span);
    });
  }

  /** Calls back with all metrics now and every few seconds, as an export request of OTLP/JSON. Resolves with a function that unsubscribes. */
  metrics(listener: (payload: Record<string, unknown>) => void): Promise<() => void> {
    return this.#follow('otlp/exportMetrics', this.#channel('metrics'), listener);
  }

  /**
   * The spans of a turn, so far if it runs; none if the host does not know the turn. Rejects with `ConnectionLost` if there is no answer in 30 s. Only
   * agenthost has this channel.
   */
  async spansOfTurn(chat: URI, turnId: string): Promise<HostSpan[]> {
    // A client holds a channel once, and the host answers a subscription once, so each reading needs a channel of its own.
    readCount += 1;
    const query = new URLSearchParams({ chat, turn: turnId, read: String(readCount) });
    const uri = `${this.#channel('traces')}?${query.toString()}`;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let following: Promise<() => void> | undefined;
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(
          () => reject(new ConnectionLost('the host sent no spans of the turn')),
          TURN_LIMIT_MS,
        );
        following = this.#follow('otlp/exportTraces', uri, (payload) => resolve(readSpans(payload)));
        following.catch(reject);
      });
    } finally {
      clearTimeout(timer);
      // The answer may come before the result of the subscription.
      following?.then(
        (stop) => stop(),
        () => undefined,
      );
    }
  }

  /** The spans of a turn as a waterfall; `undefined`: there are none. Rejects like `spansOfTurn`. */
  async waterfallOfTurn(chat: URI, turnId: string): Promise<Waterfall | undefined> {
    return waterfallOf(await this.spansOfTurn(chat, turnId));
  }

  #channel(signal: keyof TelemetryCapabilities): URI {
    const uri = this.#client.host?.telemetry?.[signal];
    if (uri === undefined || kindOfScheme(uri) !== 'telemetry')
      throw new UnexpectedState(
        signal === 'logs'
          ? 'the host offers no logs to this token; agenthost offers them to tokens with the scope admin'
          : `the host offers no ${signal}`,
      );
    return uri;
  }

  async #follow(
    method: Method,
    uri: URI,
    listener: (payload: Record<string, unknown>) => void,
  ): Promise<() => void> {
    const stop = this.#client.onNotification(method, ({ channel, payload }) => {
      if (channel === uri) listener(payload);
    });
    try {
      const unsubscribe = await this.#client.subscribeStateless(uri);
      return () => {
        stop();
        unsubscribe();
      };
    } catch (error) {
      stop();
      throw error;
    }
  }
}

/** The items of an export request, in which lists are nested twice. */
function itemsOf(payload: Record<string, unknown>, names: readonly [string, string, string]): unknown[] {
  const [outer, middle, inner] = names;
  return asList(payload[outer])
    .flatMap((entry) => asList(asObject(entry)[middle]))
    .flatMap((entry) => asList(asObject(entry)[inner]));
}

function readSpans(payload: Record<string, unknown>): HostSpan[] {
  return itemsOf(payload, ['resourceSpans', 'scopeSpans', 'spans']).map((item) => {
    const span = asObject(item);
    const parentId = textIn(span, 'parentSpanId');
    const startMs = msOf(span['startTimeUnixNano']);
    return {
      id: textIn(span, 'spanId') ?? '',
      ...(parentId === undefined || parentId === '' ? {} : { parentId }),
      name: textIn(span, 'name') ?? '',
      startMs,
      endMs: Math.max(startMs, msOf(span['endTimeUnixNano'])),
      attributes: attributesIn(span),
      hasFailed: asObject(span['status'])['code'] === 2,
    };
  });
}

function readRecords(payload: Record<string, unknown>): HostLogRecord[] {
  return itemsOf(payload, ['resourceLogs', 'scopeLogs', 'logRecords']).map((item) => {
    const record = asObject(item);
    return {
      ms: msOf(record['timeUnixNano']),
      severity: textIn(record, 'severityText') ?? '',
      body: textIn(asObject(record['body']), 'stringValue') ?? '',
      attributes: attributesIn(record),
    };
  });
}
