import type { ChannelKind, TokenScope } from '@agenthost/protocol';
import type { Span } from '../spans/span.ts';
import {
  Counter,
  Histogram,
  type InstrumentFacts,
  type Labels,
  type Metric,
  type NumberPoint,
} from './meter.ts';

/** Bounds that the GenAI conventions recommend, in seconds, and two for long turns. */
const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 300, 1_800,
];
/** Bounds that the GenAI conventions recommend, in tokens. */
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** Facts of the host that are read when metrics are. */
export interface HostReadings {
  /** Open connections by the scope of their tokens. */
  connections(): Readonly<Record<TokenScope, number>>;
  /** Bytes that wait for all clients, responses not counted. */
  outboxBytes(): number;
  /** Channels in memory. */
  channels(): Readonly<Partial<Record<ChannelKind, number>>>;
  /** Chats with a running turn. */
  activeTurnCount(): number;
  /** Commits since the host started. */
  commitCount(): number;
  /** Whether the journal can be written. */
  isHealthy(): boolean;
}

/** The metrics of a host. Those of turns count from the moment in which somebody first reads telemetry. */
export class HostMetrics {
  readonly #readings: HostReadings;
  readonly #duration = new Histogram(
    {
      name: 'gen_ai.client.operation.duration',
      unit: 's',
      description: 'Durations of turns, model calls and tool calls',
    },
    SECONDS,
  );
  readonly #tokens = new Histogram(
    { name: 'gen_ai.client.token.usage', unit: '{token}', description: 'Tokens of turns' },
    TOKENS,
  );
  readonly #waits = new Histogram(
    { name: 'agenthost.wait.duration', unit: 's', description: 'Times in which turns waited for a person' },
    SECONDS,
  );
  readonly #turns = new Counter({ name: 'agenthost.turns', unit: '{turn}', description: 'Ended turns' });
  readonly #runs = new Counter({
    name: 'agenthost.automation.runs',
    unit: '{run}',
    description: 'Ended runs of automations',
  });
  readonly #cost = new Counter({
    name: 'agenthost.cost',
    unit: '{currency}',
    description: 'Cost as reported by agents',
  });
  readonly #dropped = new Counter({
    name: 'agenthost.telemetry.dropped',
    unit: '{item}',
    description: 'Spans, log records and metrics that a reader did not get',
  });
  /** The last reported cost of each chat: agents report a growing sum. */
  readonly #lastCosts = new Map<string, number>();

  constructor(readings: HostReadings) {
    this.#readings = readings;
  }

  /** Notes the cost that an agent had reported for a chat before anybody read metrics. */
  noteCost(chat: string, amount: number): void {
    if (!this.#lastCosts.has(chat)) this.#setCost(chat, amount);
  }

  /** Counts an ended span. */
  record(span: Span): void {
    const seconds = Math.max(0, span.endMs - span.startMs) / 1_000;
    const { attributes } = span;
    const provider = String(attributes['gen_ai.provider.name'] ?? 'unknown');
    if (span.role === 'wait')
      return this.#waits.record(seconds, { reason: String(attributes['ahp.wait.reason']) });
    if (span.role === 'session') return;
    if (span.role === 'run')
      return this.#runs.add(1, { outcome: String(attributes['ahp.automation_run.outcome']) });
    const operation = String(attributes['gen_ai.operation.name']);
    const tool = attributes['gen_ai.tool.name'];
    const model = attributes['gen_ai.response.model'] ?? attributes['gen_ai.request.model'];
    const labels: Labels = {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider,
      ...(tool === undefined ? {} : { 'gen_ai.tool.name': tool }),
      ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
      ...(span.failure === undefined ? {} : { 'error.type': span.failure.type }),
    };
    this.#duration.record(seconds, labels);
    if (span.role === 'turn') this.#recordTurn(span, provider, labels);
  }

  /** Counts items that a reader did not get. */
  dropped(count: number, signal: string, reader: 'channel' | 'endpoint'): void {
    this.#dropped.add(count, { signal, reader });
  }

  /** Reads all metrics. */
  read(): Metric[] {
    return [
      this.#turns.read(),
      this.#duration.read(),
      this.#tokens.read(),
      this.#waits.read(),
      this.#runs.read(),
      this.#cost.read(),
      this.#dropped.read(),
      ...this.#hostMetrics(),
      ...processMetrics(),
    ];
  }

  #recordTurn({ attributes }: Span, provider: string, labels: Labels): void {
    this.#turns.add(1, {
      'gen_ai.provider.name': provider,
      outcome: String(attributes['ahp.turn.outcome']),
    });
    for (const type of ['input', 'output'] as const) {
      const count = attributes[`gen_ai.usage.${type}_tokens`];
      if (typeof count === 'number') this.#tokens.record(count, { ...labels, 'gen_ai.token.type': type });
    }
    const chat = String(attributes['ahp.chat.id']);
    const amount = attributes['ahp.usage.cost'];
    if (typeof amount !== 'number') return;
    const before = this.#lastCosts.get(chat) ?? 0;
    this.#setCost(chat, amount);
    this.#cost.add(amount >= before ? amount - before : amount, {
      'gen_ai.provider.name': provider,
      currency: String(attributes['ahp.usage.currency']),
    });
  }

  #setCost(chat: string, amount: number): void {
    this.#lastCosts.delete(chat);
    this.#lastCosts.set(chat, amount);
    const [oldest] = this.#lastCosts.keys();
    if (this.#lastCosts.size > MAX_CHATS && oldest !== undefined) this.#lastCosts.delete(oldest);
  }

  #hostMetrics(): Metric[] {
    const { connections, outboxBytes, channels, activeTurnCount, commitCount, isHealthy } = this.#readings;
    const byScope = Object.entries(connections()).map(([scope, value]) => ({ labels: { scope }, value }));
    const byKind = Object.entries(channels()).map(([kind, value]) => ({ labels: { kind }, value }));
    return [
      gauge(
        { name: 'agenthost.connections', unit: '{connection}', description: 'Open connections' },
        byScope,
      ),
      gauge(
        { name: 'agenthost.outbox.waiting', unit: 'By', description: 'Bytes that wait for clients to read' },
        single(outboxBytes()),
      ),
      gauge({ name: 'agenthost.channels', unit: '{channel}', description: 'Channels in memory' }, byKind),
      gauge(
        { name: 'agenthost.turns.active', unit: '{turn}', description: 'Running turns' },
        single(activeTurnCount()),
      ),
      counter(
        { name: 'agenthost.commits', unit: '{commit}', description: 'Commits of the journal' },
        commitCount(),
      ),
      gauge(
        {
          name: 'agenthost.journal.healthy',
          unit: '1',
          description: '1 while the journal can be written, else 0',
        },
        single(isHealthy() ? 1 : 0),
      ),
    ];
  }
}

/** Most chats whose last cost is remembered. */
const MAX_CHATS = 10_000;

const single = (value: number): NumberPoint[] => [{ labels: {}, value }];

const gauge = (facts: InstrumentFacts, points: readonly NumberPoint[]): Metric => ({
  ...facts,
  kind: 'gauge',
  points,
});

const counter = (facts: InstrumentFacts, value: number): Metric => ({
  ...facts,
  kind: 'counter',
  points: single(value),
});

function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    counter(
      { name: 'process.cpu.time', unit: 's', description: 'CPU time of the host process' },
      (user + system) / 1_000_000,
    ),
    gauge(
      { name: 'process.memory.usage', unit: 'By', description: 'Resident memory of the host process' },
      single(process.memoryUsage.rss()),
    ),
    gauge(
      { name: 'process.uptime', unit: 's', description: 'Time since the host process started' },
      single(process.uptime()),
    ),
  ];
}
