import type { EncodedEnvelope } from '../../sync/subscription.ts';

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
