import { errorText } from '@agenthost/protocol/values';
import { type Attributes, SIGNALS, type Signal } from '../otlp.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where and how one signal is sent. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Time limit of one request. */
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
}

/** What the standard variables `OTEL_*` ask for. */
export interface TelemetrySettings {
  /** Absent: the signal is not sent. */
  readonly endpoints: Readonly<Partial<Record<Signal, Endpoint>>>;
  readonly resource: Attributes;
  /** Whether messages, inputs and results are recorded. */
  readonly recordsContents: boolean;
  /** Time between two exports of metrics. */
  readonly metricIntervalMs: number;
  /** Longest time that a span or a record waits for others. */
  readonly delayMs: number;
  /** Most items of one request. */
  readonly maxBatch: number;
  /** Most waiting items of one signal. */
  readonly maxQueued: number;
  /** What is wrong with the variables, as sentences. A wrong variable counts as absent. */
  readonly problems: readonly string[];
}

const GENERAL = 'OTEL_EXPORTER_OTLP';

/**
 * Reads the standard variables of OpenTelemetry. Nothing is sent without an endpoint: unlike the SDKs, the host does not assume a collector on
 * this machine.
 */
export function readEnvironment(env: Environment): TelemetrySettings {
  const problems: string[] = [];
  const reader = new Reader(env, problems);
  const isDisabled = reader.flag('OTEL_SDK_DISABLED');
  const endpoints: Partial<Record<Signal, Endpoint>> = {};
  for (const signal of isDisabled ? [] : SIGNALS) {
    const endpoint = reader.endpoint(signal);
    if (endpoint !== undefined) endpoints[signal] = endpoint;
  }
  const resource = reader.pairs('OTEL_RESOURCE_ATTRIBUTES');
  const name = reader.text('OTEL_SERVICE_NAME');
  return {
    endpoints,
    resource: name === undefined ? resource : { ...resource, 'service.name': name },
    recordsContents: reader.flag('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'),
    metricIntervalMs: reader.number('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 1_000),
    delayMs: reader.number('OTEL_BSP_SCHEDULE_DELAY', 5_000, 100),
    maxBatch: reader.number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1),
    maxQueued: reader.number('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 1),
    problems,
  };
}

const LARGEST = 86_400_000;

class Reader {
  readonly #env: Environment;
  readonly #problems: string[];

  constructor(env: Environment, problems: string[]) {
    this.#env = env;
    this.#problems = problems;
  }

  /** An empty variable counts as absent. */
  text(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === '' ? undefined : value;
  }

  flag(name: string): boolean {
    const value = this.text(name)?.toLowerCase();
    if (value !== undefined && value !== 'true' && value !== 'false')
      this.#problems.push(`${name}: expected true or false, got "${value}"`);
    return value === 'true';
  }

  number(name: string, fallback: number, least: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    if (/^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= LARGEST) return Number(value);
    this.#problems.push(
      `${name}: expected a whole number from ${least} to ${LARGEST}, got "${value}"; ${fallback} is used`,
    );
    return fallback;
  }

  /** `name=value,name=value`, percent-encoded. */
  pairs(name: string): Record<string, string> {
    const pairs: Record<string, string> = {};
    for (const pair of (this.text(name) ?? '').split(',')) {
      if (pair.trim() === '') continue;
      const [key = '', ...rest] = pair.split('=');
      try {
        if (key.trim() === '' || rest.length === 0) throw new Error('expected name=value');
        pairs[decodeURIComponent(key.trim())] = decodeURIComponent(rest.join('=').trim());
      } catch (error) {
        // The value may be a secret.
        this.#problems.push(`${name}: an entry was ignored: ${errorText(error)}`);
      }
    }
    return pairs;
  }

  endpoint(signal: Signal): Endpoint | undefined {
    const own = `${GENERAL}_${signal.toUpperCase()}`;
    const exporter = this.text(`OTEL_${signal.toUpperCase()}_EXPORTER`) ?? 'otlp';
    if (!exporter.split(',').includes('otlp')) return undefined;
    const specific = this.text(`${own}_ENDPOINT`);
    const general = this.text(`${GENERAL}_ENDPOINT`);
    const name = specific === undefined ? `${GENERAL}_ENDPOINT` : `${own}_ENDPOINT`;
    const given =
      specific ?? (general === undefined ? undefined : `${general.replace(/\/+$/, '')}/v1/${signal}`);
    if (given === undefined) return undefined;
    const protocol = this.text(`${own}_PROTOCOL`) ?? this.text(`${GENERAL}_PROTOCOL`) ?? 'http/json';
    if (protocol !== 'http/json' && protocol !== 'http/protobuf') {
      this.#problems.push(`the host sends no ${signal}: it speaks OTLP over HTTP as JSON, not "${protocol}"`);
      return undefined;
    }
    const url = URL.parse(given);
    if (url === null || !['http:', 'https:'].includes(url.protocol)) {
      this.#problems.push(
        `${name}: expected an http or https URL, got "${specific ?? general}"; the host sends no ${signal}`,
      );
      return undefined;
    }
    return {
      url: url.href,
      headers: { ...this.pairs(`${GENERAL}_HEADERS`), ...this.pairs(`${own}_HEADERS`) },
      timeoutMs: this.number(this.#nameOf(own, 'TIMEOUT'), 10_000, 1),
      isCompressed: this.text(this.#nameOf(own, 'COMPRESSION')) === 'gzip',
    };
  }

  #nameOf(own: string, what: string): string {
    return this.text(`${own}_${what}`) === undefined ? `${GENERAL}_${what}` : `${own}_${what}`;
  }
}
