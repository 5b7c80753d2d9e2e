import { errorText } from '@agenthost/protocol/values';
import { cleanLine } from '../../lib/clean-line.ts';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ShortAnswer } from '../../lib/short-request.ts';
import { exportRequest, type Resource, type Scope, type Signal } from '../otlp.ts';
import { BoundedQueue } from './bounded-queue.ts';
import type { Endpoint, TelemetrySettings } from './environment.ts';
import { postJson } from './post.ts';

/** Most bytes that wait for one endpoint. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;
/** About the most bytes of one request. */
const MAX_REQUEST_BYTES = 1024 * 1024;
/** Waiting times before the second and later attempts. */
const BACKOFF_MS = [1_000, 2_000, 5_000, 15_000, 30_000] as const;
const MAX_RETRY_AFTER_MS = 300_000;
/** Answers that ask to send again, by the specification of OTLP/HTTP. */
const RETRIABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_REASON = 200;
/** The end of a request behind its items. */
const REQUEST_END = ']}]}]}';

interface Parts {
  readonly signal: Signal;
  readonly endpoint: Endpoint;
  readonly settings: Pick<TelemetrySettings, 'delayMs' | 'maxBatch' | 'maxQueued'>;
  readonly resource: Resource;
  readonly scope: Scope;
  readonly timers: Timers;
  readonly log: Log;
  onDropped(count: number, signal: Signal): void;
}

/**
 * Sends the items of one signal to its endpoint, one request at a time. Items wait in a bounded queue; what finds no room, and what the endpoint
 * refuses or does not take after six attempts, is dropped and counted. The host never waits for it.
 */
export class Exporter {
  readonly #parts: Parts;
  readonly #queue: BoundedQueue;
  readonly #abort = new AbortController();
  #cancelTimer: Cancel | undefined;
  /** The running export. Absent: none. */
  #sending: Promise<void> | undefined;
  #isFailing = false;
  #isStopped = false;
  #endWait: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#queue = new BoundedQueue({ maxCount: parts.settings.maxQueued, maxBytes: MAX_QUEUED_BYTES });
  }

  /** Adds an encoded item. */
  add(item: object): void {
    if (this.#isStopped) return;
    if (!this.#queue.push(JSON.stringify(item))) this.#parts.onDropped(1, this.#parts.signal);
    if (this.#queue.count >= this.#parts.settings.maxBatch) this.#send();
    else this.#schedule();
  }

  /** Sends what waits, in at most `limitMs` and without further attempts. Nothing is sent afterwards. */
  async stop(limitMs: number): Promise<void> {
    if (this.#isStopped) return;
    this.#cancelTimer?.();
    this.#send();
    this.#isStopped = true;
    this.#endWait?.();
    const cancel = this.#parts.timers.after(limitMs, () => this.#abort.abort());
    await this.#sending;
    cancel();
  }

  #schedule(): void {
    if (this.#sending !== undefined || this.#queue.count === 0) return;
    this.#cancelTimer ??= this.#parts.timers.after(this.#parts.settings.delayMs, () => this.#send());
  }

  #send(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#sending !== undefined || this.#queue.count === 0) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (!this.#isStopped) this.#schedule();
    });
  }

  async #sendAll(): Promise<void> {
    const { maxBatch } = this.#parts.settings;
    while (this.#queue.count > 0) {
      const items = this.#queue.take(maxBatch, MAX_REQUEST_BYTES);
      const reason = await this.#deliver(this.#requestOf(items));
      if (reason === undefined) this.#recovered();
      else this.#failed(reason, items.length);
      // While the host runs, less than a batch waits for more.
      if (!this.#isStopped && this.#queue.count < maxBatch) return;
    }
  }

  /** Puts items that are encoded already into a request. */
  #requestOf(items: readonly string[]): string {
    const empty = JSON.stringify(exportRequest(this.#parts.signal, [], this.#parts));
    return `${empty.slice(0, -REQUEST_END.length)}${items.join(',')}${REQUEST_END}`;
  }

  /** Returns the reason for which the items are dropped; `undefined`: the endpoint has them. */
  async #deliver(json: string): Promise<string | undefined> {
    const { endpoint, timers } = this.#parts;
    const { signal } = this.#abort;
    for (let attempt = 0; ; attempt += 1) {
      let answer: ShortAnswer | undefined;
      let reason: string;
      try {
        answer = await postJson(endpoint, json, { timers, signal });
        if (answer.status >= 200 && answer.status <= 299) return undefined;
        reason = `status ${answer.status} ${cleanLine(answer.text, MAX_REASON)}`.trim();
      } catch (error) {
        reason = cleanLine(errorText(error), MAX_REASON);
      }
      const backoffMs = BACKOFF_MS[attempt];
      const isFinal = answer !== undefined && !RETRIABLE.has(answer.status);
      if (isFinal || backoffMs === undefined || this.#isStopped) return reason;
      await this.#pause(Math.max(backoffMs, Math.min(answer?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.timers.after(ms, resolve);
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
  }

  /** One line in the log for a series of failures. */
  #failed(reason: string, count: number): void {
    const { signal, endpoint, log } = this.#parts;
    this.#parts.onDropped(count, signal);
    if (this.#isFailing) return;
    this.#isFailing = true;
    const { origin, pathname } = new URL(endpoint.url);
    log.warn({ signal, endpoint: `${origin}${pathname}`, reason }, 'telemetry cannot be sent and is dropped');
  }

  #recovered(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#parts.log.info({ signal: this.#parts.signal }, 'telemetry is sent again');
  }
}
