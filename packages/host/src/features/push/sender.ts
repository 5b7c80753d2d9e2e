import type { PushFailure } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import { cleanLine } from '../../lib/clean-line.ts';
import type { Cancel, Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ShortAnswer } from '../../lib/short-request.ts';
import type { Delivery, PushMessage } from './delivery.ts';

/** Most pushes that wait or are being sent. */
const MAX_PENDING = 256;
/** Most pushes that are being sent at the same time. */
const MAX_SENDING = 4;
/** Waiting times before the second, third and fourth attempt. */
const BACKOFF_MS = [5_000, 30_000, 120_000] as const;
const MAX_RETRY_AFTER_MS = 600_000;
const MAX_REASON = 200;

/** A push for one device. */
export interface Push {
  /** Id of the device. */
  readonly device: string;
  /** A later push of the same device and topic replaces one that waits. */
  readonly topic: string;
  /** Makes the message just before it is sent; `undefined`: it is no longer wanted. */
  make(): PushMessage | undefined;
}

/** Records the outcomes of pushes. */
export interface Outcomes {
  sent(device: string): void;
  failed(device: string, failure: PushFailure): void;
  /** The push service no longer knows the device. */
  gone(device: string): void;
}

interface Pending {
  readonly push: Push;
  readonly abort: AbortController;
  attempts: number;
  isSending: boolean;
  cancelRetry: Cancel | undefined;
}

/** Sends pushes, several at a time, and retries those that a push service could not take now. */
export class PushSender {
  readonly #parts: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly log: Log;
    readonly delivery: Delivery;
    readonly outcomes: Outcomes;
  };
  /** By device and topic, in the order of sending. */
  readonly #pending = new Map<string, Pending>();
  readonly #tests = new Set<AbortController>();
  #isStopped = false;

  constructor(parts: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly log: Log;
    readonly delivery: Delivery;
    readonly outcomes: Outcomes;
  }) {
    this.#parts = parts;
  }

  /** Sends a push as soon as possible. Its outcome goes to `outcomes`. */
  send(push: Push): void {
    if (this.#isStopped) return;
    const key = keyOf(push);
    this.#drop(key);
    if (this.#pending.size >= MAX_PENDING) {
      this.#fail(push.device, { reason: `${MAX_PENDING} pushes of this host are waiting` });
      return;
    }
    const abort = new AbortController();
    this.#pending.set(key, { push, abort, attempts: 0, isSending: false, cancelRetry: undefined });
    this.#next();
  }

  /** Sends a message once, before all others; resolves with the answer of the push service. Rejects if there is none. */
  async test(device: string, message: PushMessage): Promise<ShortAnswer> {
    if (this.#isStopped) throw new Error('the host is stopping');
    const abort = new AbortController();
    this.#tests.add(abort);
    try {
      const answer = await this.#parts.delivery.send(message, abort.signal);
      this.#settle(device, answer);
      return answer;
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(device, { reason: errorText(error) });
      throw error;
    } finally {
      this.#tests.delete(abort);
    }
  }

  /** Ends all pushes; those that wait are not sent. */
  stop(): void {
    this.#isStopped = true;
    for (const key of [...this.#pending.keys()]) this.#drop(key);
    for (const abort of this.#tests) abort.abort();
  }

  #drop(key: string): void {
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    pending?.cancelRetry?.();
    pending?.abort.abort();
  }

  #next(): void {
    const all = [...this.#pending.values()];
    const free = MAX_SENDING - all.filter(({ isSending }) => isSending).length;
    const ready = all.filter(({ isSending, cancelRetry }) => !isSending && cancelRetry === undefined);
    for (const pending of ready.slice(0, Math.max(0, free))) void this.#attempt(pending);
  }

  async #attempt(pending: Pending): Promise<void> {
    const { push, abort } = pending;
    pending.isSending = true;
    pending.attempts += 1;
    let answer: ShortAnswer | { readonly error: unknown } | undefined;
    try {
      const message = push.make();
      answer = message && (await this.#parts.delivery.send(message, abort.signal));
    } catch (error) {
      answer = { error };
    }
    // A newer push has replaced it, or the host stops.
    if (abort.signal.aborted) return this.#isStopped ? undefined : this.#next();
    pending.isSending = false;
    const retryMs = answer === undefined ? undefined : retryAfter(answer, pending.attempts);
    if (answer !== undefined && 'error' in answer)
      this.#fail(push.device, { reason: errorText(answer.error) });
    else if (answer !== undefined) this.#settle(push.device, answer);
    if (retryMs === undefined) this.#pending.delete(keyOf(push));
    else
      pending.cancelRetry = this.#parts.timers.after(retryMs, () => {
        pending.cancelRetry = undefined;
        this.#next();
      });
    this.#next();
  }

  #settle(device: string, answer: ShortAnswer): void {
    const { status } = answer;
    const { outcomes, log } = this.#parts;
    if (isAccepted(answer)) return outcomes.sent(device);
    if (!isGone(status)) return this.#fail(device, { status, reason: reasonOf(answer) });
    log.info({ device, status }, 'the push service no longer knows a device: the device is removed');
    outcomes.gone(device);
  }

  #fail(device: string, { status, reason }: Pick<PushFailure, 'status' | 'reason'>): void {
    const { log, clock, outcomes } = this.#parts;
    log.warn({ device, status, reason }, 'a push was not delivered');
    outcomes.failed(device, {
      at: new Date(clock.now()).toISOString(),
      reason: cleanLine(reason, MAX_REASON),
      ...defined({ status }),
    });
  }
}

/** Whether the push service took the message. */
export const isAccepted = ({ status }: ShortAnswer): boolean => status >= 200 && status <= 299;

/** The reason of an answer that is not 2xx, as a sentence. */
export function reasonOf({ status, text }: ShortAnswer): string {
  const detail = cleanLine(text, MAX_REASON);
  return `the push service answered with status ${status}${detail === '' ? '' : `: ${detail}`}`;
}

const isGone = (status: number): boolean => status === 404 || status === 410;

const keyOf = ({ device, topic }: Push): string => `${device} ${topic}`;

/** Ms until the next attempt; `undefined`: there is none. */
function retryAfter(answer: ShortAnswer | { readonly error: unknown }, attempts: number): number | undefined {
  const backoffMs = BACKOFF_MS[attempts - 1];
  if ('error' in answer || backoffMs === undefined) return backoffMs;
  const isBusy = answer.status === 429 || answer.status >= 500;
  return isBusy ? Math.max(backoffMs, Math.min(answer.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)) : undefined;
}
