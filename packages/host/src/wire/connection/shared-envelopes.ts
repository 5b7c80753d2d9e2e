import type { ActionEnvelope, StateAction } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { FrameBatch } from '@agenthost/rpc/websocket-server';
import { ENVELOPE_ENDS, EncodedEnvelope } from '../../sync/subscription.ts';
import { isTextAppend, joinAppends } from '../../sync/text-append.ts';

/** Whether an action only appends to one target. Neighbouring appends may be merged [SUB-4]. */
export const isAppend = (action: StateAction): boolean =>
  isTextAppend(action) || action.type === 'chat/toolCallDelta' || action.type === 'terminal/data';

/**
 * Merges two neighbouring envelopes into one that reduces to the same state and has the later number. Returns `undefined` if they do not append
 * to the same target, answer a dispatch, or carry metadata [SUB-4].
 */
export function mergeEnvelopes(first: ActionEnvelope, second: ActionEnvelope): ActionEnvelope | undefined {
  if (first.channel !== second.channel || first.origin !== undefined || second.origin !== undefined)
    return undefined;
  const action = mergeActions(first.action, second.action);
  return action === undefined ? undefined : { ...second, action };
}

/** The length that an envelope adds to the JSON of an envelope that it is merged into. `size`: the length of its own JSON. */
function addedLength({ action }: ActionEnvelope, size: number): number {
  switch (action.type) {
    case 'terminal/data':
      return JSON.stringify(action.data).length;
    case 'chat/delta':
    case 'chat/reasoning':
      return JSON.stringify(action.content).length;
    default:
      // It may replace the message of the other envelope.
      return size;
  }
}

function mergeActions(first: StateAction, second: StateAction): StateAction | undefined {
  if (first.type === 'terminal/data') {
    return second.type === 'terminal/data' ? { ...second, data: first.data + second.data } : undefined;
  }
  if (!('_meta' in first) && !('_meta' in second)) {
    if (first.type === 'chat/toolCallDelta' && second.type === 'chat/toolCallDelta') {
      if (first.turnId !== second.turnId || first.toolCallId !== second.toolCallId) return undefined;
      const { invocationMessage = first.invocationMessage } = second;
      const pieces = [first.content, second.content].filter((piece) => piece !== undefined);
      const content = pieces.length === 0 ? undefined : pieces.join('');
      return { ...second, ...defined({ content, invocationMessage }) };
    }
    if (isTextAppend(first) && isTextAppend(second)) return joinAppends(first, second);
  }
  return undefined;
}

/** An envelope that waits in an outbox. `size`: approximate bytes. */
export interface WaitingEnvelope {
  readonly kind: 'envelope';
  readonly encoded: EncodedEnvelope;
  readonly size: number;
}

/** Largest merged envelope, so that no frame becomes too large for a client. */
const MAX_MERGED_BYTES = 1024 * 1024;

/**
 * Merges waiting appends once for all outboxes that end with the same envelope. Hundreds of clients that do not read then cost the time and
 * memory of one.
 */
export class SharedMerges {
  /** The newest envelope that was merged, and the results by the envelope before it. Kept until a newer one comes. */
  #newest: EncodedEnvelope | undefined;
  readonly #merged = new Map<EncodedEnvelope, WaitingEnvelope | undefined>();

  /** Returns one envelope that reduces to the same state as both; `undefined`: they have different targets, or are too long together. */
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
  // It is encoded when it is sent. Until then its size is an estimate: the JSON around the text counts once.
  const size = last.size + addedLength(next.encoded.value, next.size);
  return { kind: 'envelope', encoded: new EncodedEnvelope(merged), size };
}

/**
 * Returns the batch of frames for a run of envelopes. Connections that get the same run in a tick share the batch and its encoding. `onHeld`: as
 * in `FrameBatch`.
 */
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

/** Counts the memory of all envelopes that wait for slow clients. An envelope that waits for many clients counts once. */
export class HeldBytes {
  readonly #onGrowth: () => void;
  #total = 0;

  /** `onGrowth`: called after each increase. */
  constructor(onGrowth: () => void = () => undefined) {
    this.#onGrowth = onGrowth;
  }

  get total(): number {
    return this.#total;
  }

  /** An outbox keeps this envelope. Each call needs a call of `release` with the same size. */
  hold(encoded: EncodedEnvelope, size: number): void {
    encoded.holderCount += 1;
    if (encoded.holderCount === 1) this.add(size);
  }

  release(encoded: EncodedEnvelope, size: number): void {
    encoded.holderCount -= 1;
    if (encoded.holderCount === 0) this.add(-size);
  }

  /** Adds bytes that are held in another way; negative: releases them. */
  readonly add = (bytes: number): void => {
    this.#total += bytes;
    if (bytes > 0) this.#onGrowth();
  };
}
