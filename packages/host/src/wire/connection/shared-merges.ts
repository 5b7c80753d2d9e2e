import { EncodedEnvelope } from '../../sync/subscription.ts';
import { addedLength, mergeEnvelopes } from './merge.ts';
import type { Item } from './outbox-item.ts';

/** An envelope that waits. */
export type WaitingEnvelope = Extract<Item, { kind: 'envelope' }>;

/** Appends merge up to this size, so that no frame becomes too large for a client. */
const MAX_MERGED_BYTES = 1024 * 1024;

/**
 * Merges appends that wait, once for all outboxes with the same envelope last: hundreds of clients that read nothing then cost the time and
 * the memory of one.
 */
export class SharedMerges {
  /** The newest envelope that was merged into others, and what became of those. Kept until there is a newer one. */
  #newest: EncodedEnvelope | undefined;
  readonly #merged = new Map<EncodedEnvelope, WaitingEnvelope | undefined>();

  /** Both as one that reduces to the same state; `undefined`: they do not append to the same target, or are too long together. */
  merge(last: WaitingEnvelope, next: WaitingEnvelope): WaitingEnvelope | undefined {
    if (last.size + next.size > MAX_MERGED_BYTES) return undefined;
    if (this.#newest !== next.encoded) {
      this.#newest = next.encoded;
      this.#merged.clear();
    }
    if (!this.#merged.has(last.encoded)) this.#merged.set(last.encoded, join(last, next));
    return this.#merged.get(last.encoded);
  }
}

function join(last: WaitingEnvelope, next: WaitingEnvelope): WaitingEnvelope | undefined {
  const merged = mergeEnvelopes(last.encoded.value, next.encoded.value);
  if (merged === undefined) return undefined;
  // Encoded when it goes out; until then its size is the sum of its parts, with the words around the text counted once.
  const size = last.size + addedLength(next.encoded.value, next.size);
  return { kind: 'envelope', encoded: new EncodedEnvelope(merged), size };
}
