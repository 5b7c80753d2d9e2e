import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { CHANNEL_KINDS, type ChannelKind, type TokenScope, WireError } from '@agenthost/protocol';
import type { Clock, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sync } from '../sync/sync.ts';
import { type Environment, readEnvironment, type TelemetrySettings } from './export/environment.ts';
import { Exporter } from './export/exporter.ts';
import { encodeRecord, type LogRecord } from './logs/log-record.ts';
import type { LogTap } from './logs/log-tap.ts';
import { endedRecord, turnStartedRecord } from './logs/turn-records.ts';
import { encodeMetrics } from './metrics/encode-metrics.ts';
import { HostMetrics } from './metrics/host-metrics.ts';
import { prometheusText } from './metrics/prometheus.ts';
import { encodeAttributes, type Resource, type Scope, SIGNALS, type Signal } from './otlp.ts';
import { Contents } from './spans/contents.ts';
import { PastTraces } from './spans/past-traces.ts';
import { encodeSpan, type Span } from './spans/span.ts';
import { Tracer } from './spans/tracer.ts';
import { TelemetryChannels } from './telemetry-channels.ts';

/** Time that the stop of the host gives endpoints to take what waits. */
const STOP_LIMIT_MS = 1_000;

/** Options of telemetry. */
export interface TelemetryOptions {
  /** Variables such as `OTEL_EXPORTER_OTLP_ENDPOINT`. Default: none, so nothing is sent. */
  readonly environment?: Environment;
}

/** Facts of connections, for metrics. */
export interface ConnectionReadings {
  /** Open connections by the scope of their tokens. */
  connections(): Readonly<Record<TokenScope, number>>;
  /** Bytes that wait for all clients, responses not counted. */
  outboxBytes(): number;
}

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly tap: LogTap;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly options: TelemetryOptions;
}

/**
 * The telemetry of a host [OTLP-1]: spans, log records and metrics for subscribers of its channels, for OTLP endpoints and for Prometheus. It
 * works only while somebody reads it; counting goes on after the first read of `/metrics`.
 */
export class Telemetry {
  readonly channels: TelemetryChannels;
  readonly #parts: Parts;
  readonly #settings: TelemetrySettings;
  readonly #metrics: HostMetrics;
  readonly #tracer: Tracer;
  readonly #exporters: Partial<Record<Signal, Exporter>> = {};
  readonly #about: { readonly resource: Resource; readonly scope: Scope };
  #connections: ConnectionReadings = {
    connections: () => ({ none: 0, observe: 0, interact: 0, admin: 0 }),
    outboxBytes: () => 0,
  };
  #commitCount = 0;
  #isScraped = false;
  #isWanted = false;
  #countsFromMs: number;
  #cancelMetrics: () => void = () => undefined;

  constructor(parts: Parts) {
    const { sync, clock, timers, log, tap, options, serverInfo } = parts;
    this.#parts = parts;
    this.#settings = readEnvironment(options.environment ?? {});
    this.#countsFromMs = clock.now();
    const contents = new Contents(this.#settings.recordsContents);
    this.#about = {
      resource: {
        attributes: encodeAttributes({
          'service.name': serverInfo.name,
          'service.version': serverInfo.version,
          'service.instance.id': randomUUID(),
          'host.name': hostname(),
          'process.pid': process.pid,
          ...this.#settings.resource,
        }),
      },
      scope: { name: 'agenthost', version: serverInfo.version },
    };
    this.#metrics = new HostMetrics({
      connections: () => this.#connections.connections(),
      outboxBytes: () => this.#connections.outboxBytes(),
      channels: () => channelCounts(sync),
      activeTurnCount: () => activeTurnCount(sync),
      commitCount: () => this.#commitCount,
      isHealthy: () => sync.path.isHealthy,
    });
    const past = new PastTraces({ sync, clock, contents });
    this.channels = new TelemetryChannels({
      timers,
      ...this.#about,
      readMetrics: () => this.#readMetrics(),
      lastRecords: (count, least) => tap.last(count, least),
      spansOfTurn: (chat, turnId) => past.read(chat, turnId),
      onReaders: () => this.#update(),
      onDropped: (count, signal) => this.#metrics.dropped(count, signal, 'channel'),
      // Somebody asked for a turn that does not exist.
      onFailure: (error) =>
        error instanceof WireError
          ? log.debug({ error }, 'there are no spans of a turn')
          : log.error({ error }, 'the spans of a turn cannot be read'),
    });
    this.#tracer = new Tracer({
      sync,
      clock,
      contents,
      isWanted: () => this.#isWanted,
      onSpans: (spans) => this.#onSpans(spans),
      onTurnStarted: (turn, costBefore) => {
        if (costBefore !== undefined) this.#metrics.noteCost(turn.chat, costBefore);
        this.#onRecord(turnStartedRecord(turn));
      },
    });
  }

  /** Registers the observers. */
  observe(): void {
    this.#tracer.observe();
    this.#parts.sync.path.onPublished(() => {
      this.#commitCount += 1;
    });
  }

  /** Sets the source of the facts of connections. */
  readConnections(readings: ConnectionReadings): void {
    this.#connections = readings;
  }

  /** Starts sending to the endpoints of the environment, and logs what is wrong with its variables. */
  start(): void {
    const { endpoints, problems } = this.#settings;
    const { timers, log } = this.#parts;
    for (const problem of problems) log.warn({}, `telemetry: ${problem}`);
    for (const signal of SIGNALS) {
      const endpoint = endpoints[signal];
      if (endpoint === undefined) continue;
      this.#exporters[signal] = new Exporter({
        signal,
        endpoint,
        settings: this.#settings,
        ...this.#about,
        timers,
        log,
        onDropped: (count, of) => this.#metrics.dropped(count, of, 'endpoint'),
      });
    }
    this.#update();
    this.#exportMetricsLater();
  }

  /** The metrics in the text format of Prometheus. The first call starts the counting of turns. */
  prometheus(): string {
    this.#isScraped = true;
    this.#update();
    return prometheusText(this.#metrics.read());
  }

  /** Drops what belongs to chats that are gone. */
  sweep(): void {
    this.#tracer.sweep();
  }

  /** Sends what waits to the endpoints, for at most a second. */
  async stop(): Promise<void> {
    this.#cancelMetrics();
    this.#isWanted = false;
    this.#parts.tap.read(undefined);
    this.channels.stop();
    await Promise.all(Object.values(this.#exporters).map((exporter) => exporter.stop(STOP_LIMIT_MS)));
  }

  #update(): void {
    const { channels } = this;
    const wasWanted = this.#isWanted;
    this.#isWanted =
      this.#isScraped || SIGNALS.some((signal) => channels.hasReaders(signal) || signal in this.#exporters);
    if (this.#isWanted && !wasWanted) this.#countsFromMs = this.#parts.clock.now();
    const readsLogs = channels.hasReaders('logs') || this.#exporters.logs !== undefined;
    this.#parts.tap.read(readsLogs ? (record) => this.#onRecord(record) : undefined);
  }

  #onSpans(spans: readonly Span[]): void {
    this.channels.spans(spans);
    for (const span of spans) {
      this.#exporters.traces?.add(encodeSpan(span));
      this.#metrics.record(span);
      const record = endedRecord(span);
      if (record !== undefined) this.#onRecord(record);
    }
  }

  #onRecord(record: LogRecord): void {
    this.channels.record(record);
    if (record.level !== 'debug') this.#exporters.logs?.add(encodeRecord(record));
  }

  #readMetrics(): object[] {
    return encodeMetrics(this.#metrics.read(), {
      startMs: this.#countsFromMs,
      nowMs: this.#parts.clock.now(),
    });
  }

  #exportMetricsLater(): void {
    const exporter = this.#exporters.metrics;
    if (exporter === undefined) return;
    this.#cancelMetrics = this.#parts.timers.after(this.#settings.metricIntervalMs, () => {
      for (const metric of this.#readMetrics()) exporter.add(metric);
      this.#exportMetricsLater();
    });
  }
}

function channelCounts({ registry }: Sync): Partial<Record<ChannelKind, number>> {
  const counts: Partial<Record<ChannelKind, number>> = {};
  for (const { kind } of registry.all()) counts[kind] = (counts[kind] ?? 0) + 1;
  return Object.fromEntries(
    CHANNEL_KINDS.flatMap((kind) => (kind in counts ? [[kind, counts[kind] ?? 0]] : [])),
  );
}

function activeTurnCount({ registry }: Sync): number {
  let count = 0;
  for (const chat of registry.ofKind('chat')) if (chat.state.activeTurn !== undefined) count += 1;
  return count;
}
