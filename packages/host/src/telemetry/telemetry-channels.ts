import {
  invalidParams,
  isWithinScope,
  limitReached,
  permissionDenied,
  type TelemetryCapabilities,
  type TokenScope,
  type URI,
} from '@agenthost/protocol';
import type { Cancel, Timers } from '../lib/clock.ts';
import { EncodedNotification, type Sink } from '../sync/subscription.ts';
import { CHANNELS, readChannel, type TelemetryChannel } from './channel-uris.ts';
import { encodeRecord, type LogRecord } from './logs/log-record.ts';
import { SEVERITIES } from './logs/severity.ts';
import { exportRequest, type Resource, type Scope, type Signal } from './otlp.ts';
import { encodeSpan, type Span } from './spans/span.ts';

/** Time in which spans and records are gathered into one notification. */
const GATHER_MS = 100;
/** Interval of the metrics. */
const METRICS_MS = 10_000;
/** Most items that are gathered, for each signal. Further ones are dropped. */
const MAX_GATHERED = 4_096;
/** Most items of one notification. */
const MAX_BATCH = 512;
/** A subscriber with more waiting output than this gets no telemetry, until it has read. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Most telemetry subscriptions of one connection. */
const MAX_SUBSCRIPTIONS = 16;
/** Most requests for the spans of a turn that wait. */
const MAX_WAITING_TURNS = 32;

const METHODS = {
  logs: 'otlp/exportLogs',
  traces: 'otlp/exportTraces',
  metrics: 'otlp/exportMetrics',
} as const satisfies Record<Signal, string>;

interface Parts {
  readonly timers: Timers;
  readonly resource: Resource;
  readonly scope: Scope;
  /** Reads all metrics, encoded. */
  readMetrics(): object[];
  /** The newest kept records. */
  lastRecords(count: number, leastNumber: number): readonly LogRecord[];
  /** The spans of a turn, from the journal. Rejects with a wire error. */
  spansOfTurn(chat: URI, turnId: string): Promise<readonly Span[]>;
  /** Called when the first subscriber of a signal came, or the last one left. */
  onReaders(): void;
  onDropped(count: number, signal: Signal): void;
  onFailure(error: unknown): void;
}

interface Held {
  readonly channel: Exclude<TelemetryChannel, { signal: 'turn' }>;
  readonly sinks: Set<Sink>;
}

/** The telemetry channels of the host and their subscribers [OTLP-1]. They have no state and are never replayed. */
export class TelemetryChannels {
  readonly #parts: Parts;
  readonly #held = new Map<URI, Held>();
  #spans: Span[] = [];
  #records: LogRecord[] = [];
  #cancelGather: Cancel | undefined;
  #cancelMetrics: Cancel | undefined;
  /** Turns whose spans are read, one after the other. */
  #reading: Promise<void> = Promise.resolve();
  #readingCount = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The channels that a token may subscribe to. Log lines may contain paths and names of all clients, so they are for admins. */
  capabilities(scope: TokenScope): TelemetryCapabilities {
    const { logs, ...others } = CHANNELS;
    return isWithinScope(scope, 'admin') ? { logs, ...others } : others;
  }

  has(uri: URI): boolean {
    return readChannel(uri) !== undefined;
  }

  /**
   * Subscribes. `isResumed`: after a reconnect, so nothing of the past is sent. Throws `-32009` for a channel that the scope does not allow, `-32602`
   * above 16 subscriptions of a connection, and `-32011` while too many turns are read.
   */
  subscribe(uri: URI, sink: Sink, { scope, isResumed }: { scope: TokenScope; isResumed: boolean }): void {
    const channel = readChannel(uri);
    if (channel === undefined) return;
    if (channel.signal === 'turn') {
      if (!isResumed) this.#sendTurn(uri, channel, sink);
      return;
    }
    if (channel.signal === 'logs' && !isWithinScope(scope, 'admin'))
      throw permissionDenied('Logs of the host need a token with the scope admin');
    const held = this.#held.get(uri) ?? { channel, sinks: new Set() };
    if (!held.sinks.has(sink) && this.#countOf(sink) >= MAX_SUBSCRIPTIONS)
      throw invalidParams(
        `A connection may have ${MAX_SUBSCRIPTIONS} telemetry subscriptions; unsubscribe from one first`,
      );
    this.#held.set(uri, held);
    held.sinks.add(sink);
    this.#parts.onReaders();
    if (isResumed) return;
    if (channel.signal === 'metrics') this.#sendMetricsNow(uri, sink);
    if (channel.signal === 'logs' && channel.tail > 0) {
      const records = this.#parts.lastRecords(channel.tail, SEVERITIES[channel.severity]);
      this.#later(() => this.#send('logs', uri, records.map(encodeRecord), [sink]));
    }
  }

  unsubscribe(uri: URI, sink: Sink): void {
    const held = this.#held.get(uri);
    if (held === undefined || !held.sinks.delete(sink)) return;
    if (held.sinks.size === 0) this.#held.delete(uri);
    this.#changed();
  }

  /** Removes all subscriptions of a connection that has closed. */
  leave(sink: Sink): void {
    let hasLeft = false;
    for (const [uri, { sinks }] of this.#held) {
      if (!sinks.delete(sink)) continue;
      hasLeft = true;
      if (sinks.size === 0) this.#held.delete(uri);
    }
    if (hasLeft) this.#changed();
  }

  /** Whether a signal has a subscriber. */
  hasReaders(signal: Signal): boolean {
    for (const { channel } of this.#held.values()) if (channel.signal === signal) return true;
    return false;
  }

  spans(spans: readonly Span[]): void {
    if (!this.hasReaders('traces')) return;
    if (this.#spans.length >= MAX_GATHERED) return this.#parts.onDropped(spans.length, 'traces');
    this.#spans.push(...spans);
    this.#gather();
  }

  record(record: LogRecord): void {
    if (!this.hasReaders('logs')) return;
    if (this.#records.length >= MAX_GATHERED) return this.#parts.onDropped(1, 'logs');
    this.#records.push(record);
    this.#gather();
  }

  /** Sends metrics at once and then every 10 s, while there are subscribers. */
  followMetrics(): void {
    if (this.#cancelMetrics !== undefined || !this.hasReaders('metrics')) return;
    this.#cancelMetrics = this.#parts.timers.after(METRICS_MS, () => {
      this.#cancelMetrics = undefined;
      const held = this.#held.get(CHANNELS.metrics);
      if (held === undefined) return;
      this.#send('metrics', CHANNELS.metrics, this.#parts.readMetrics(), held.sinks);
      this.followMetrics();
    });
  }

  /** Sends nothing more. */
  stop(): void {
    this.#cancelGather?.();
    this.#cancelMetrics?.();
    this.#held.clear();
  }

  #changed(): void {
    if (!this.hasReaders('metrics')) {
      this.#cancelMetrics?.();
      this.#cancelMetrics = undefined;
    }
    this.#parts.onReaders();
  }

  #countOf(sink: Sink): number {
    let count = 0;
    for (const { sinks } of this.#held.values()) if (sinks.has(sink)) count += 1;
    return count;
  }

  /** After the answer to the request that runs now. */
  #later(send: () => void): void {
    this.#parts.timers.immediate(send);
  }

  #sendMetricsNow(uri: URI, sink: Sink): void {
    this.#later(() => this.#send('metrics', uri, this.#parts.readMetrics(), [sink]));
    this.followMetrics();
  }

  #sendTurn(uri: URI, { chat, turnId }: { chat: URI; turnId: string }, sink: Sink): void {
    if (this.#readingCount >= MAX_WAITING_TURNS)
      throw limitReached(
        `${MAX_WAITING_TURNS} traces are being read; try again`,
        'traces',
        MAX_WAITING_TURNS,
      );
    this.#readingCount += 1;
    this.#reading = this.#reading
      .then(async () => {
        const spans = await this.#parts.spansOfTurn(chat, turnId);
        this.#send('traces', uri, spans.map(encodeSpan), [sink]);
      })
      .catch((error: unknown) => {
        this.#parts.onFailure(error);
        this.#send('traces', uri, [], [sink]);
      })
      .finally(() => {
        this.#readingCount -= 1;
      });
  }

  #gather(): void {
    this.#cancelGather ??= this.#parts.timers.after(GATHER_MS, () => {
      this.#cancelGather = undefined;
      const [spans, records] = [this.#spans, this.#records];
      [this.#spans, this.#records] = [[], []];
      for (const [uri, { channel, sinks }] of this.#held) {
        if (channel.signal === 'traces') this.#send('traces', uri, spans.map(encodeSpan), sinks);
        if (channel.signal === 'logs') {
          const least = SEVERITIES[channel.severity];
          const wanted = records.filter(({ level }) => SEVERITIES[level] >= least);
          if (wanted.length > 0) this.#send('logs', uri, wanted.map(encodeRecord), sinks);
        }
      }
    });
  }

  /** Sends to the subscribers that read. An empty batch is an answer too: there is nothing. */
  #send(signal: Signal, uri: URI, items: readonly object[], sinks: Iterable<Sink>): void {
    for (let start = 0; start === 0 || start < items.length; start += MAX_BATCH) {
      const batch = items.slice(start, start + MAX_BATCH);
      const payload = exportRequest(signal, batch, this.#parts);
      const notification = new EncodedNotification(METHODS[signal], { channel: uri, payload });
      for (const sink of sinks) {
        if ((sink.waitingBytes ?? 0) > MAX_WAITING_BYTES) this.#parts.onDropped(batch.length, signal);
        else sink.notification(notification);
      }
    }
  }
}
