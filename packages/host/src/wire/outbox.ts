import type { SubscriptionDeliveryOptions } from '@agenthost/protocol';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { Cancel, Timers } from '../lib/clock.ts';
import { EncodedEnvelope, type Sink } from '../sync/subscription.ts';
import { addedLength, isAppend, mergeEnvelopes } from './merge.ts';
import { envelopeItem, type Item, isExempt, textItem } from './outbox-item.ts';
import { batchOf } from './run-batch.ts';

/** Bounds of what waits for one connection, in bytes. Responses count for `responseBytes` alone. */
export interface OutboxLimits {
  /** Above it, neighbouring appends merge while they wait. Default 1 MiB. */
  readonly softBytes: number;
  /** Above it, the connection is closed with a code that means "reconnect". Default 8 MiB. */
  readonly hardBytes: number;
  /**
   * So many bytes of responses may wait; more close the connection in the same way. From a sixteenth of it on, no further
   * concurrent request is begun, so that those that run have room for their answers. Default 128 MiB: above one frame of 64 MiB.
   */
  readonly responseBytes: number;
}

/** What holds where options name no limits. */
export const DEFAULT_OUTBOX_LIMITS: OutboxLimits = {
  softBytes: 1024 * 1024,
  hardBytes: 8 * 1024 * 1024,
  responseBytes: 128 * 1024 * 1024,
};

/**
 * Everything that one connection is sent, in one order [ACT-8]. Bounded: past the soft limit neighbouring appends merge,
 * past the hard limit the connection ends, and nobody else notices.
 */
export class Outbox implements Sink {
  readonly #transport: ServerTransport;
  readonly #timers: Timers;
  readonly #limits: OutboxLimits;
  readonly #onOverflow: () => void;
  readonly #onFirst: (outbox: Outbox) => void;
  readonly #onDrained: () => void;
  #queue: Item[] = [];
  #queuedBytes = 0;
  /** Bytes of responses that wait here. */
  #queuedExemptBytes = 0;
  /** Envelopes on their way to the transport, in one write when something else follows or the tick ends. */
  #run: EncodedEnvelope[] = [];
  #runBytes = 0;
  /** Bytes of responses that the transport still holds: an upper bound. */
  #exemptBytes = 0;
  /** What came since `hold`; `undefined` when nothing is held back. */
  #held: Item[] | undefined;
  #isCorked = false;
  #isClosed = false;
  #cancelDelay: Cancel | undefined;

  constructor(parts: {
    transport: ServerTransport;
    timers: Timers;
    limits: OutboxLimits;
    /** A limit is passed: close the connection. */
    onOverflow(): void;
    /** First output since the last flush. */
    onFirst(outbox: Outbox): void;
    /** The transport has taken what waited. */
    onDrained?(): void;
  }) {
    this.#transport = parts.transport;
    this.#timers = parts.timers;
    this.#limits = parts.limits;
    this.#onOverflow = parts.onOverflow;
    this.#onFirst = parts.onFirst;
    this.#onDrained = () => parts.onDrained?.();
    this.#transport.onDrain(() => {
      this.#drain();
      this.#onDrained();
    });
  }

  /** False while so many responses wait for the client to read that none should be made ahead. */
  get hasRoomForResponses(): boolean {
    return this.responseBytes < this.#limits.responseBytes / 16;
  }

  /** Bytes of responses that wait here or in the transport: an upper bound. */
  get responseBytes(): number {
    return this.#queuedExemptBytes + Math.min(this.#exemptBytes, this.#transport.bufferedBytes);
  }

  get waitingBytes(): number {
    return this.#queuedBytes + this.#heldByTransport();
  }

  envelope(encoded: EncodedEnvelope, delivery: SubscriptionDeliveryOptions | undefined): void {
    const delayMs = delivery?.maxLatencyMs ?? 0;
    if (delayMs > 0 && isAppend(encoded.value.action)) return this.#delay(encoded, delayMs);
    // Most go this way: nothing waits, and so there is nothing to keep them in.
    const isNext = this.#held === undefined && this.#queue.length === 0 && this.#cancelDelay === undefined;
    if (isNext && !this.#isClosed && this.#hasRoom()) this.#writeEnvelope(encoded);
    else this.#push(envelopeItem(encoded));
  }

  frame(text: string, kind: 'message' | 'response'): void {
    this.#push(textItem(text, kind === 'response'));
  }

  /** Keeps everything that comes back until `release`, whose response then goes first. What was there before goes on. */
  hold(): void {
    this.#endDelay();
    this.#held ??= [];
  }

  /** Sends the response that others were held for, then those. Without a text just ends the hold. */
  release(response?: string): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (this.#isClosed) return;
    if (response !== undefined) {
      const item = textItem(response, true);
      this.#queue.push(item);
      this.#queuedExemptBytes += item.size;
    }
    for (const item of held) this.#queue.push(item);
    this.#drain();
    this.#checkOverflow();
  }

  /** Forgets the envelopes that are held back: snapshots that reflect them go out in their place [CONN-2]. */
  dropHeldEnvelopes(): void {
    if (this.#held === undefined) return;
    for (const item of this.#held) if (item.kind === 'envelope') this.#queuedBytes -= item.size;
    this.#held = this.#held.filter(({ kind }) => kind !== 'envelope');
  }

  /** Forgets the envelopes of a channel that still wait here, but for echoes of what this client dispatched [SUB-2]. */
  dropEnvelopes(channel: string, clientId: string): void {
    const isWanted = (item: Item): boolean => {
      if (item.kind !== 'envelope') return true;
      const { value } = item.encoded;
      if (value.channel !== channel || value.origin?.clientId === clientId) return true;
      this.#queuedBytes -= item.size;
      return false;
    };
    this.#queue = this.#queue.filter(isWanted);
    this.#held = this.#held?.filter(isWanted);
  }

  /** Hands what was written since the last flush to the operating system. */
  flush(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#sendRun();
    this.#transport.uncork();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelDelay?.();
    this.#queue = [];
    this.#held = undefined;
    this.#queuedBytes = 0;
    this.#queuedExemptBytes = 0;
    this.flush();
  }

  #delay(encoded: EncodedEnvelope, delayMs: number): void {
    if (this.#isClosed) return;
    const item = envelopeItem(encoded);
    if (this.#merge(item)) return;
    if (this.#held !== undefined) return this.#enqueue(item, false);
    // Only neighbours merge, so nothing is won by waiting with what came before [SUB-4].
    this.#endDelay();
    this.#enqueue(item, false);
    this.#cancelDelay = this.#timers.after(delayMs, () => this.#endDelay());
  }

  /** What waits for more of its kind goes out. */
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
    // In one write with what comes now.
    if (this.#stopDelay()) this.#writeQueue();
    if (this.#held === undefined && this.#queue.length === 0 && this.#hasRoom()) {
      this.#write(item);
      if (isExempt(item)) this.#checkOverflow();
    } else this.#enqueue(item, this.#queuedBytes + this.#heldByTransport() > this.#limits.softBytes);
  }

  #enqueue(item: Item, mayMerge: boolean): void {
    if (mayMerge && this.#merge(item)) return;
    (this.#held ?? this.#queue).push(item);
    if (isExempt(item)) this.#queuedExemptBytes += item.size;
    else this.#queuedBytes += item.size;
    this.#checkOverflow();
  }

  /** Makes one of this and the last that waits, if it is an append to the same target. */
  #merge(item: Item): boolean {
    const waiting = this.#held ?? this.#queue;
    const last = waiting.at(-1);
    if (item.kind !== 'envelope' || last?.kind !== 'envelope') return false;
    const merged = mergeEnvelopes(last.encoded.value, item.encoded.value);
    if (merged === undefined) return false;
    // Encoded when it goes out; until then its size is what its parts come to, each frame's own words counted once.
    const added = addedLength(item.encoded.value, item.size);
    waiting[waiting.length - 1] = {
      kind: 'envelope',
      encoded: new EncodedEnvelope(merged),
      size: last.size + added,
    };
    this.#queuedBytes += added;
    this.#checkOverflow();
    return true;
  }

  #checkOverflow(): void {
    if (this.#isClosed) return;
    const { hardBytes, responseBytes } = this.#limits;
    if (this.#queuedBytes + this.#heldByTransport() > hardBytes || this.responseBytes > responseBytes) {
      this.#onOverflow();
    }
  }

  #drain(): void {
    if (this.#cancelDelay !== undefined || this.#isClosed) return;
    this.#writeQueue();
    this.flush();
  }

  #writeQueue(): void {
    let index = 0;
    for (; index < this.#queue.length && this.#hasRoom(); index += 1) {
      const item = this.#queue[index];
      if (item === undefined) continue;
      if (isExempt(item)) this.#queuedExemptBytes -= item.size;
      else this.#queuedBytes -= item.size;
      this.#write(item);
    }
    if (index > 0) this.#queue.splice(0, index);
  }

  #write(item: Item): void {
    if (item.kind === 'envelope') return this.#writeEnvelope(item.encoded);
    this.#cork();
    this.#sendRun();
    this.#transport.send(item.text);
    if (item.isResponse) this.#exemptBytes += item.size;
  }

  #writeEnvelope(encoded: EncodedEnvelope): void {
    this.#cork();
    if (this.#transport.sendBatch === undefined) {
      this.#transport.sendBytes(encoded.bytes);
      return;
    }
    this.#run.push(encoded);
    this.#runBytes += encoded.json.length;
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
    this.#transport.sendBatch?.(batchOf(run));
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
