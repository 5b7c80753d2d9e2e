import type { SubscriptionDeliveryOptions } from '@agenthost/protocol';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { EncodedEnvelope, Sink } from '../../sync/subscription.ts';
import { isAppend } from './merge.ts';
import type { HeldBytes } from './shared-envelopes.ts';
import { batchOf, SharedMerges } from './shared-envelopes.ts';
import { envelopeItem, type Item, isExempt, textItem, WaitingItems } from './waiting-items.ts';

/** From this length on an envelope goes out alone, so that all its readers share one encoding of it, whenever they come to it. */
const LARGE_LENGTH = 64 * 1024;

/** Bounds of what waits for one connection, in bytes. Responses count for `responseBytes` alone. */
export interface OutboxLimits {
  /** Above it, neighbouring appends merge while they wait. Default 1 MiB. */
  readonly softBytes: number;
  /** Above it, the client has to go on reading, see `SlowReaders`: the size of one envelope ends no connection. Default 8 MiB. */
  readonly hardBytes: number;
  /** Above it, in memory for all connections together, those that do not read are closed; above four times as much the slowest. Default 16 MiB. */
  readonly totalBytes: number;
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
  totalBytes: 16 * 1024 * 1024,
  responseBytes: 128 * 1024 * 1024,
};

/**
 * Everything that one connection is sent, in one order [ACT-8]. Past the soft limit neighbouring appends merge. Past the hard limit
 * the connection is one that is looked at: whoever reads too slowly is closed, and nobody else notices.
 */
export class Outbox implements Sink {
  readonly #transport: ServerTransport;
  readonly #timers: Timers;
  readonly #limits: OutboxLimits;
  readonly #memory: HeldBytes;
  readonly #waiting: WaitingItems;
  readonly #onOverflow: () => void;
  readonly #onBehind: () => void;
  readonly #onFirst: (outbox: Outbox) => void;
  readonly #onDrained: () => void;
  /** Envelopes on their way to the transport, in one write when something else follows or the tick ends. */
  #run: EncodedEnvelope[] = [];
  #runBytes = 0;
  /** Bytes of responses that the transport still holds: an upper bound. */
  #exemptBytes = 0;
  #isCorked = false;
  #corkedLength = 0;
  #isClosed = false;
  #cancelDelay: Cancel | undefined;

  constructor(parts: {
    transport: ServerTransport;
    timers: Timers;
    limits: OutboxLimits;
    /** Of the host's connections together. */
    memory: HeldBytes;
    /** Of the host's connections together. Absent: its own. */
    merges?: SharedMerges;
    /** More responses wait than may: close the connection. */
    onOverflow(): void;
    /** More waits than `hardBytes`, responses aside. */
    onBehind?(): void;
    /** First output since the last flush. */
    onFirst(outbox: Outbox): void;
    /** The transport has taken what waited. */
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

  /** False while so many responses wait for the client to read that none should be made ahead. */
  get hasRoomForResponses(): boolean {
    return this.responseBytes < this.#limits.responseBytes / 16;
  }

  /** Bytes of responses that wait here or in the transport: an upper bound. */
  get responseBytes(): number {
    return this.#waiting.exemptBytes + Math.min(this.#exemptBytes, this.#transport.bufferedBytes);
  }

  get waitingBytes(): number {
    return this.#waiting.bytes + this.#heldByTransport();
  }

  /** Of those, what the transport does not have yet. */
  get queuedBytes(): number {
    return this.#waiting.bytes;
  }

  envelope(encoded: EncodedEnvelope, delivery: SubscriptionDeliveryOptions | undefined): void {
    const delayMs = delivery?.maxLatencyMs ?? 0;
    if (delayMs > 0 && isAppend(encoded.value.action)) return this.#delay(encoded, delayMs);
    // Most go this way: nothing waits, and so there is nothing to keep them in.
    const isNext = this.#waiting.isEmpty && this.#cancelDelay === undefined;
    if (isNext && !this.#isClosed && this.#hasRoom()) this.#writeEnvelope(encoded);
    else this.#push(envelopeItem(encoded));
  }

  frame(text: string, kind: 'message' | 'response'): void {
    this.#push(textItem(text, kind === 'response'));
  }

  /** Keeps everything that comes back until `release`, whose response then goes first. What was there before goes on. */
  hold(): void {
    this.#endDelay();
    this.#waiting.hold();
  }

  /**
   * The same for a response with a higher number than what is held back already: envelopes of the channels that it reflects are dropped
   * [CONN-2], and others go out before it.
   */
  holdAnew(reflected: ReadonlySet<string>): void {
    this.hold();
    this.#waiting.holdAnew(reflected);
    this.#drain();
  }

  /** Sends the response that others were held for, then those. Without a text just ends the hold. */
  release(response?: string): void {
    this.#waiting.release(response === undefined ? undefined : textItem(response, true));
    if (this.#isClosed) return this.#waiting.clear();
    this.#drain();
    this.#checkOverflow();
  }

  /** Forgets the envelopes that are held back: snapshots that reflect them go out in their place [CONN-2]. */
  dropHeldEnvelopes(): void {
    this.#waiting.dropHeldEnvelopes();
  }

  /** Forgets the envelopes of a channel that still wait here, but for echoes of what this client dispatched [SUB-2]. */
  dropEnvelopes(channel: string, clientId: string): void {
    this.#waiting.keepOnly((item) => {
      if (item.kind !== 'envelope') return true;
      const { value } = item.encoded;
      return value.channel !== channel || value.origin?.clientId === clientId;
    });
  }

  /** How long what was written since the last flush is. */
  get corkedLength(): number {
    return this.#corkedLength;
  }

  /** Hands what was written since the last flush to the operating system. */
  flush(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
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
    this.#sendRun();
    this.#transport.send(item.text);
    this.#corkedLength += item.size;
    if (item.isResponse) this.#exemptBytes += item.size;
  }

  #writeEnvelope(encoded: EncodedEnvelope): void {
    this.#cork();
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
