import { FrameBatch } from '@agenthost/rpc/websocket-server';
import { ENVELOPE_ENDS, EncodedEnvelope } from '../../sync/subscription.ts';
import { addedLength, mergeEnvelopes } from './merge.ts';

/** An envelope that waits in an outbox; `size`: its bytes, about. */
export interface WaitingEnvelope {
  readonly kind: 'envelope';
  readonly encoded: EncodedEnvelope;
  readonly size: number;
}

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

/** A run of envelopes as one batch, of which `onHeld` is told as by `FrameBatch`. Subscribers that get the same run in a tick share it, encoding and all. */
export function batchOf(run: readonly EncodedEnvelope[], onHeld?: (bytes: number) => void): FrameBatch {
  const [first] = run;
  const known = first?.batch;
  if (known !== undefined && isSame(known.run, run)) return known.frames;
  const frames = new FrameBatch(
    run.map(({ json }) => json),
    ENVELOPE_ENDS,
    onHeld,
  );
  if (first !== undefined) first.batch = { run, frames };
  return frames;
}

function isSame(left: readonly EncodedEnvelope[], right: readonly EncodedEnvelope[]): boolean {
  return left.length === right.length && left.every((envelope, index) => envelope === right[index]);
}

/**
 * Counts what envelopes that wait for slow clients take in memory, of all connections together. What many wait for is there once, and is counted once.
 */
export class HeldBytes {
  readonly #onGrowth: () => void;
  #total = 0;

  /** `onGrowth`: called when it has become more, behind whatever made it more. */
  constructor(onGrowth: () => void = () => undefined) {
    this.#onGrowth = onGrowth;
  }

  get total(): number {
    return this.#total;
  }

  /** An outbox keeps this envelope. Call `release` as often, with the same size. */
  hold(encoded: EncodedEnvelope, size: number): void {
    encoded.holderCount += 1;
    if (encoded.holderCount === 1) this.add(size);
  }

  release(encoded: EncodedEnvelope, size: number): void {
    encoded.holderCount -= 1;
    if (encoded.holderCount === 0) this.add(-size);
  }

  /** Bytes that are held in another way, or, negative, are no longer. */
  readonly add = (bytes: number): void => {
    this.#total += bytes;
    if (bytes > 0) this.#onGrowth();
  };
}
