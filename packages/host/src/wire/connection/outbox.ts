import type { SubscriptionDeliveryOptions } from '@agenthost/protocol';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { EncodedEnvelope, Sink } from '../../sync/subscription.ts';
import { batchOf, type HeldBytes, isAppend, SharedMerges } from './shared-envelopes.ts';
import { envelopeItem, type Item, isExempt, textItem, WaitingItems } from './waiting-items.ts';

/** An envelope of at least this length is sent alone, so that all its subscribers share one encoding, whenever they get it. */
const LARGE_LENGTH = 64 * 1024;

/** Limits of the output that waits for one connection, in bytes. Responses count only for `responseBytes`. */
export interface OutboxLimits {
  /** Above it, neighbouring appends are merged while they wait. Default 1 MiB. */
  readonly softBytes: number;
  /** Above it, `SlowReaders` measures how fast the client reads. A single large envelope closes no connection. Default 8 MiB. */
  readonly hardBytes: number;
  /**
   * Limit for the memory of all connections together. Above it the connections whose clients do not read are closed; above four times the limit
   * the slowest ones. Default 16 MiB.
   */
  readonly totalBytes: number;
  /**
   * Limit for waiting responses. Above it the connection is closed. Above a sixteenth of it no further concurrent request starts, so that the
   * running ones have room for their answers. Default 128 MiB: more than one frame of 64 MiB.
   */
  readonly responseBytes: number;
}

/** The defaults. */
export const DEFAULT_OUTBOX_LIMITS: OutboxLimits = {
  softBytes: 1024 * 1024,
  hardBytes: 8 * 1024 * 1024,
  totalBytes: 16 * 1024 * 1024,
  responseBytes: 128 * 1024 * 1024,
};

/**
 * The ordered output of one connection [ACT-8]. Above the soft limit neighbouring appends are merged. Above the hard limit `SlowReaders` watches
 * the connection and closes it if its client reads too slowly.
 */
export class Outbox implements Omit<Sink, 'notification'> {
  readonly #transport: ServerTransport;
  readonly #timers: Timers;
  readonly #limits: OutboxLimits;
  readonly #memory: HeldBytes;
  readonly #waiting: WaitingItems;
  readonly #onOverflow: () => void;
  readonly #onBehind: () => void;
  readonly #onFirst: (outbox: Outbox) => void;
  readonly #onDrained: () => void;
  /** Envelopes that are written together: when another kind of output follows, or when the tick ends. */
  #run: EncodedEnvelope[] = [];
  #runBytes = 0;
  /** Upper bound of the bytes of responses that the transport holds. */
  #exemptBytes = 0;
  #isCorked = false;
  #corkedLength = 0;
  /** Whether the corked output is more than confirmations of typed input. */
  #isUrgent = false;
  #isClosed = false;
  #cancelDelay: Cancel | undefined;

  constructor(parts: {
    transport: ServerTransport;
    timers: Timers;
    limits: OutboxLimits;
    /** Shared by all connections of the host. */
    memory: HeldBytes;
    /** Shared by all connections of the host. Default: not shared. */
    merges?: SharedMerges;
    /** Called when more than `responseBytes` wait: close the connection. */
    onOverflow(): void;
    /** Called when more than `hardBytes` wait, responses not counted. */
    onBehind?(): void;
    /** Called with the first output after a flush. */
    onFirst(outbox: Outbox): void;
    /** Called when the transport has written its buffer. */
    onDrained?(): void;
  }) {
    this.#transport = parts.transport;
    this.#timers = parts.timers;
    this.#limits = parts.limits;
    this.#memory = parts.memory;
    this.#waiting = new WaitingItems(parts.memory, parts.merges ?? new SharedMerges());
    this.#onOverflow = parts.onOverflow;
    this.#onBehind = () => parts.onBehind?.();
    this.#onFirst = parts.onFirst;
    this.#onDrained = () => parts.onDrained?.();
    this.#transport.onDrain(() => {
      this.#drain();
      this.#onDrained();
    });
  }

  /** False while too many responses wait: no further concurrent request should start. */
  get hasRoomForResponses(): boolean {
    return this.responseBytes < this.#limits.responseBytes / 16;
  }

  /** Upper bound of the bytes of responses that wait here or in the transport. */
  get responseBytes(): number {
    return this.#waiting.exemptBytes + Math.min(this.#exemptBytes, this.#transport.bufferedBytes);
  }

  /** Bytes that wait here or in the transport, responses not counted. */
  get waitingBytes(): number {
    return this.#waiting.bytes + this.#heldByTransport();
  }

  /** Bytes that wait here, responses not counted. */
  get queuedBytes(): number {
    return this.#waiting.bytes;
  }

  envelope(encoded: EncodedEnvelope, delivery: SubscriptionDeliveryOptions | undefined): void {
    const delayMs = delivery?.maxLatencyMs ?? 0;
    if (delayMs > 0 && isAppend(encoded.value.action)) return this.#delay(encoded, delayMs);
    // The fast path of most envelopes: nothing waits, so the envelope is written without a queue item.
    const isNext = this.#waiting.isEmpty && this.#cancelDelay === undefined;
    if (isNext && !this.#isClosed && this.#hasRoom()) this.#writeEnvelope(encoded);
    else this.#push(envelopeItem(encoded));
  }

  frame(text: string, kind: 'message' | 'response'): void {
    this.#push(textItem(text, kind === 'response'));
  }

  /** Holds back later output until `release`. Output from before the hold is still sent. */
  hold(): void {
    this.#endDelay();
    this.#waiting.hold();
  }

  /**
   * Holds back later output for a response with a higher number than the output that is held already. Held envelopes of `reflected` channels are
   * dropped [CONN-2], because the response reflects them. Held envelopes of other channels are sent before it.
   */
  holdAnew(reflected: ReadonlySet<string>): void {
    this.hold();
    this.#waiting.holdAnew(reflected);
    this.#drain();
  }

  /** Ends the hold: sends the response, then the held output. Without a response only the held output is sent. */
  release(response?: string): void {
    this.#waiting.release(response === undefined ? undefined : textItem(response, true));
    if (this.#isClosed) return this.#waiting.clear();
    this.#drain();
    this.#checkOverflow();
  }

  /** Drops the held envelopes: snapshots that reflect them are sent instead [CONN-2]. */
  dropHeldEnvelopes(): void {
    this.#waiting.dropHeldEnvelopes();
  }

  /** Drops the waiting envelopes of a channel, except echoes of actions that this client dispatched [SUB-2]. */
  dropEnvelopes(channel: string, clientId: string): void {
    this.#waiting.keepOnly((item) => {
      if (item.kind !== 'envelope') return true;
      const { value } = item.encoded;
      return value.channel !== channel || value.origin?.clientId === clientId;
    });
  }

  /** Length of the output that was written since the last flush. */
  get corkedLength(): number {
    return this.#corkedLength;
  }

  /** Whether the output since the last flush only confirms typed input. */
  get isConfirmation(): boolean {
    return !this.#isUrgent;
  }

  /** Hands the output that was written since the last flush to the operating system. */
  flush(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#isUrgent = false;
    this.#corkedLength = 0;
    this.#sendRun();
    this.#transport.uncork();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelDelay?.();
    this.#waiting.clear();
    this.flush();
  }

  #delay(encoded: EncodedEnvelope, delayMs: number): void {
    if (this.#isClosed) return;
    const item = envelopeItem(encoded);
    if (this.#merge(item)) return;
    if (this.#waiting.isHolding) return this.#enqueue(item, false);
    // Only neighbours are merged, so the delayed envelopes before this one gain nothing by waiting longer [SUB-4].
    this.#endDelay();
    this.#enqueue(item, false);
    this.#cancelDelay = this.#timers.after(delayMs, () => this.#endDelay());
  }

  /** Sends the delayed envelopes. */
  #endDelay(): void {
    if (this.#stopDelay()) this.#drain();
  }

  #stopDelay(): boolean {
    if (this.#cancelDelay === undefined) return false;
    this.#cancelDelay();
    this.#cancelDelay = undefined;
    return true;
  }

  #push(item: Item): void {
    if (this.#isClosed) return;
    // The delayed envelopes and this item are written together.
    if (this.#stopDelay()) this.#writeQueue();
    if (this.#waiting.isEmpty && this.#hasRoom()) {
      this.#write(item);
      if (isExempt(item)) this.#checkOverflow();
    } else this.#enqueue(item, this.waitingBytes > this.#limits.softBytes);
  }

  #enqueue(item: Item, mayMerge: boolean): void {
    if (mayMerge && this.#merge(item)) return;
    this.#waiting.push(item);
    this.#checkOverflow();
  }

  #merge(item: Item): boolean {
    if (!this.#waiting.merge(item)) return false;
    this.#checkOverflow();
    return true;
  }

  #checkOverflow(): void {
    if (this.#isClosed) return;
    if (this.responseBytes > this.#limits.responseBytes) this.#onOverflow();
    else if (this.waitingBytes > this.#limits.hardBytes) this.#onBehind();
  }

  #drain(): void {
    if (this.#cancelDelay !== undefined || this.#isClosed) return;
    this.#writeQueue();
    this.flush();
  }

  #writeQueue(): void {
    this.#waiting.take(
      () => this.#hasRoom(),
      (item) => this.#write(item),
    );
  }

  #write(item: Item): void {
    if (item.kind === 'envelope') return this.#writeEnvelope(item.encoded);
    this.#cork();
    this.#isUrgent = true;
    this.#sendRun();
    this.#transport.send(item.text);
    this.#corkedLength += item.size;
    if (item.isResponse) this.#exemptBytes += item.size;
  }

  #writeEnvelope(encoded: EncodedEnvelope): void {
    this.#cork();
    if (encoded.value.action.type !== 'terminal/input') this.#isUrgent = true;
    this.#corkedLength += encoded.json.length;
    if (this.#transport.sendBatch === undefined) {
      this.#transport.sendBytes(encoded.bytes);
      return;
    }
    const isLarge = encoded.json.length >= LARGE_LENGTH;
    if (isLarge) this.#sendRun();
    this.#run.push(encoded);
    this.#runBytes += encoded.json.length;
    if (isLarge) this.#sendRun();
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#transport.cork();
    this.#onFirst(this);
  }

  #sendRun(): void {
    if (this.#run.length === 0) return;
    const run = this.#run;
    this.#run = [];
    this.#runBytes = 0;
    this.#transport.sendBatch?.(batchOf(run, this.#memory.add));
  }

  #hasRoom(): boolean {
    return this.#heldByTransport() < this.#limits.softBytes;
  }

  #heldByTransport(): number {
    const { bufferedBytes } = this.#transport;
    this.#exemptBytes = Math.min(this.#exemptBytes, bufferedBytes);
    return bufferedBytes - this.#exemptBytes + this.#runBytes;
  }
}
