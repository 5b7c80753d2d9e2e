import type { EncodedEnvelope } from '../../sync/subscription.ts';
import type { HeldBytes, SharedMerges, WaitingEnvelope } from './shared-envelopes.ts';

/** One piece of output in an outbox. `size`: bytes, for envelopes and messages approximate. */
export type Item =
  | WaitingEnvelope
  | { readonly kind: 'text'; readonly text: string; readonly isResponse: boolean; readonly size: number };

/** Makes an item of an envelope. */
export const envelopeItem = (encoded: EncodedEnvelope): Item => ({
  kind: 'envelope',
  encoded,
  size: encoded.json.length,
});

/** Makes an item of any other frame. */
export const textItem = (text: string, isResponse: boolean): Item => ({
  kind: 'text',
  text,
  isResponse,
  size: isResponse ? Buffer.byteLength(text) : text.length,
});

/** Whether an item is a response. Responses have a limit of their own. */
export const isExempt = (item: Item): boolean => item.kind === 'text' && item.isResponse;

/** The waiting items of one outbox: a queue, and behind it the items that are held back until a response was sent. Counts their bytes. */
export class WaitingItems {
  readonly #memory: HeldBytes;
  readonly #merges: SharedMerges;
  #queue: Item[] = [];
  /** The items since `hold`; `undefined`: there is no hold. */
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

  /** Whether nothing waits and there is no hold. */
  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.#held === undefined;
  }

  hold(): void {
    this.#held ??= [];
  }

  /** Drops the held envelopes of `reflected` channels. If an envelope remains, all held items join the queue. */
  holdAnew(reflected: ReadonlySet<string>): void {
    const isKept = (item: Item): boolean =>
      item.kind !== 'envelope' || !reflected.has(item.encoded.value.channel);
    const held = this.#held?.filter((item) => this.#keeps(item, isKept)) ?? [];
    // Its number is below the number of the awaited response. Other items have no number.
    const isNumbered = held.some(({ kind }) => kind === 'envelope');
    if (isNumbered) for (const item of held) this.#queue.push(item);
    this.#held = isNumbered ? [] : held;
  }

  /** Ends the hold: queues `response`, then the held items. */
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

  /** Merges an item into the last waiting one. Returns false if they do not append to the same target. */
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

  /** Writes the first items while `hasRoom`. */
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

  /** Drops the held envelopes. */
  dropHeldEnvelopes(): void {
    this.#held = this.#held?.filter((item) => this.#keeps(item, ({ kind }) => kind !== 'envelope'));
  }

  /** Drops the items for which `isWanted` returns false. */
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
