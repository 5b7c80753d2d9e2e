import { FrameBatch } from '@agenthost/rpc/websocket-server';
import { ENVELOPE_ENDS, type EncodedEnvelope } from '../../sync/subscription.ts';

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
