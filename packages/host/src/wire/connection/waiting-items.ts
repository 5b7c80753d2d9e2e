import type { EncodedEnvelope } from '../../sync/subscription.ts';
import type { HeldBytes, SharedMerges, WaitingEnvelope } from './shared-envelopes.ts';

/** What waits in an outbox; `size` in bytes, of envelopes and messages about. */
export type Item =
  | WaitingEnvelope
  | { readonly kind: 'text'; readonly text: string; readonly isResponse: boolean; readonly size: number };

/** An envelope that has to wait. */
export const envelopeItem = (encoded: EncodedEnvelope): Item => ({
  kind: 'envelope',
  encoded,
  size: encoded.json.length,
});

/** Any other frame. */
export const textItem = (text: string, isResponse: boolean): Item => ({
  kind: 'text',
  text,
  isResponse,
  size: isResponse ? Buffer.byteLength(text) : text.length,
});

/** Whether it counts as a response, which has limits of its own. */
export const isExempt = (item: Item): boolean => item.kind === 'text' && item.isResponse;

/** What waits in one outbox: a queue, and behind it what is held back until a response has gone first. Counts its bytes. */
export class WaitingItems {
  readonly #memory: HeldBytes;
  readonly #merges: SharedMerges;
  #queue: Item[] = [];
  /** What came since `hold`; `undefined` when nothing is held back. */
  #held: Item[] | undefined;
  #bytes = 0;
  #exemptBytes = 0;

  constructor(memory: HeldBytes, merges: SharedMerges) {
    this.#memory = memory;
    this.#merges = merges;
  }

  /** Bytes of envelopes and messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of responses. */
  get exemptBytes(): number {
    return this.#exemptBytes;
  }

  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** Whether what comes now waits behind nothing. */
  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.#held === undefined;
  }

  hold(): void {
    this.#held ??= [];
  }

  /** Forgets the held envelopes of `reflected` channels; with an envelope left, all that is held joins the queue. */
  holdAnew(reflected: ReadonlySet<string>): void {
    const isKept = (item: Item): boolean =>
      item.kind !== 'envelope' || !reflected.has(item.encoded.value.channel);
    const held = this.#held?.filter((item) => this.#keeps(item, isKept)) ?? [];
    // Its number is below that of the response which is held for. Other messages have none.
    const isNumbered = held.some(({ kind }) => kind === 'envelope');
    if (isNumbered) for (const item of held) this.#queue.push(item);
    this.#held = isNumbered ? [] : held;
  }

  /** Ends the hold: `response` comes first, then what was held. */
  release(response?: Item): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (response !== undefined) {
      this.#queue.push(response);
      this.#count(response, 1);
    }
    for (const item of held) this.#queue.push(item);
  }

  push(item: Item): void {
    (this.#held ?? this.#queue).push(item);
    this.#count(item, 1);
  }

  /** Makes one of this and the last that waits, if it is an append to the same target. */
  merge(item: Item): boolean {
    const waiting = this.#held ?? this.#queue;
    const last = waiting.at(-1);
    if (item.kind !== 'envelope' || last?.kind !== 'envelope') return false;
    const both = this.#merges.merge(last, item);
    if (both === undefined) return false;
    waiting[waiting.length - 1] = both;
    this.#count(last, -1);
    this.#count(both, 1);
    return true;
  }

  /** Hands on the first ones while `hasRoom`. */
  take(hasRoom: () => boolean, write: (item: Item) => void): void {
    let index = 0;
    for (; index < this.#queue.length && hasRoom(); index += 1) {
      const item = this.#queue[index];
      if (item === undefined) continue;
      write(item);
      this.#count(item, -1);
    }
    if (index > 0) this.#queue.splice(0, index);
  }

  /** Forgets the envelopes that are held back. */
  dropHeldEnvelopes(): void {
    this.#held = this.#held?.filter((item) => this.#keeps(item, ({ kind }) => kind !== 'envelope'));
  }

  /** Forgets what does not fit. */
  keepOnly(isWanted: (item: Item) => boolean): void {
    this.#queue = this.#queue.filter((item) => this.#keeps(item, isWanted));
    this.#held = this.#held?.filter((item) => this.#keeps(item, isWanted));
  }

  clear(): void {
    this.keepOnly(() => false);
    this.#held = undefined;
  }

  #keeps(item: Item, isWanted: (item: Item) => boolean): boolean {
    if (isWanted(item)) return true;
    this.#count(item, -1);
    return false;
  }

  #count(item: Item, by: 1 | -1): void {
    if (isExempt(item)) this.#exemptBytes += by * item.size;
    else this.#bytes += by * item.size;
    if (item.kind !== 'envelope') return;
    if (by === 1) this.#memory.hold(item.encoded, item.size);
    else this.#memory.release(item.encoded, item.size);
  }
}
