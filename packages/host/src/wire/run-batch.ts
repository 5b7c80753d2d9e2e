import { FrameBatch } from '@agenthost/rpc/websocket-server';
import { ENVELOPE_ENDS, type EncodedEnvelope } from '../sync/subscription.ts';

/** The batch last made of a run, by the run's first envelope: it goes when that does. */
const made = new WeakMap<EncodedEnvelope, { run: readonly EncodedEnvelope[]; batch: FrameBatch }>();

/** A run of envelopes as one batch. Subscribers that get the same run in a tick share it, encoding and all. */
export function batchOf(run: readonly EncodedEnvelope[]): FrameBatch {
  const [first] = run;
  const known = first && made.get(first);
  if (known !== undefined && isSame(known.run, run)) return known.batch;
  const batch = new FrameBatch(
    run.map(({ json }) => json),
    ENVELOPE_ENDS,
  );
  if (first !== undefined) made.set(first, { run, batch });
  return batch;
}

function isSame(left: readonly EncodedEnvelope[], right: readonly EncodedEnvelope[]): boolean {
  return left.length === right.length && left.every((envelope, index) => envelope === right[index]);
}
