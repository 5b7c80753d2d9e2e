import type { FrameBatch, HeldFrames, ServerTransport } from '@agenthost/rpc/websocket-server';
import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { garbageCollector } from '../../../test/garbage.ts';
import { EncodedEnvelope } from '../../sync/subscription.ts';
import { Outbox } from './outbox.ts';
import { batchOf, HeldBytes } from './shared-envelopes.ts';

const delta = (serverSeq: number, content = 'x'): EncodedEnvelope =>
  new EncodedEnvelope({
    channel: 'ahp-chat:/a',
    serverSeq,
    action: { type: 'chat/delta', turnId: 't', partId: 'p', content },
  });

/** A socket that accepts batches and never drains its buffer. `held`: the changes of their memory. */
function setUp(
  limits = { softBytes: 1_000_000, hardBytes: 5_000_000, totalBytes: 1e9, responseBytes: 1e9 },
  held: number[] = [],
) {
  const sent: (string | FrameBatch)[] = [];
  const unwritten: HeldFrames[] = [];
  const seen = { overflows: 0, behind: 0 };
  const memory = new HeldBytes();
  const { add } = memory;
  Object.assign(memory, {
    add: (bytes: number) => {
      held.push(bytes);
      add(bytes);
    },
  });
  let bufferedBytes = 0;
  const transport: ServerTransport = {
    takenBytes: 0,
    get bufferedBytes() {
      return bufferedBytes;
    },
    send: (frame) => {
      bufferedBytes += frame.length;
      sent.push(frame);
    },
    sendBytes: () => expect.unreachable('frames that could share a write'),
    sendBatch: (batch) => {
      const frames = batch.webSocketFrames();
      bufferedBytes += frames.bytes.length;
      unwritten.push(frames);
      sent.push(batch);
    },
    cork: () => undefined,
    uncork: () => undefined,
    onDrain: () => undefined,
    close: () => undefined,
    start: () => undefined,
    terminate: () => undefined,
  };
  const outbox = new Outbox({
    transport,
    timers: new SimulatedClock(),
    limits,
    memory,
    onOverflow: () => {
      seen.overflows += 1;
      outbox.close();
    },
    onBehind: () => {
      seen.behind += 1;
    },
    onFirst: () => undefined,
  });
  /** The sent frames, a batch as the numbers of its envelopes. */
  const order = (): unknown[] =>
    sent.map((item) =>
      typeof item === 'string' ? item : item.frames.map((frame) => JSON.parse(frame).params.serverSeq),
    );
  return { outbox, sent, unwritten, seen, order };
}

test('[ACT-8] the envelopes of a tick are sent as one batch, in order with other output', () => {
  const { outbox, order } = setUp();
  outbox.envelope(delta(1), undefined);
  outbox.envelope(delta(2), undefined);
  outbox.frame('notification', 'message');
  outbox.envelope(delta(3), undefined);
  expect(order()).toEqual([[1, 2], 'notification']);
  outbox.frame('response', 'response');
  outbox.envelope(delta(4), undefined);
  outbox.flush();
  expect(order()).toEqual([[1, 2], 'notification', [3], 'response', [4]]);
  outbox.flush();
  expect(order()).toHaveLength(5);
});

test('connections that get the same envelopes share one batch; others have their own', () => {
  const envelopes = [delta(1), delta(2), delta(3)];
  const [same, again, shorter] = [setUp(), setUp(), setUp()];
  for (const { outbox } of [same, again]) for (const each of envelopes) outbox.envelope(each, undefined);
  for (const each of envelopes.slice(0, 2)) shorter.outbox.envelope(each, undefined);
  for (const { outbox } of [same, again, shorter]) outbox.flush();
  expect(again.sent[0]).toBe(same.sent[0]);
  expect(shorter.order()).toEqual([[1, 2]]);
  expect(same.order()).toEqual([[1, 2, 3]]);
});

test('a batch has the frames of its envelopes', () => {
  const run = [delta(1), delta(2, '漢')];
  expect(batchOf(run).frames).toEqual(run.map(({ frame }) => frame));
});

test('envelopes that wait for the end of the tick count for the limits', () => {
  const { outbox, order, seen } = setUp({
    softBytes: 400,
    hardBytes: 2_000,
    totalBytes: 1e9,
    responseBytes: 1e9,
  });
  for (let seq = 1; seq <= 6; seq += 1) outbox.envelope(delta(seq), undefined);
  outbox.flush();
  const [batch] = order();
  expect(batch).not.toHaveLength(6);
  expect(seen.behind).toBe(0);
  for (let seq = 7; seq <= 40; seq += 1) outbox.envelope(delta(seq, 'x'.repeat(100)), undefined);
  expect(seen.behind).toBeGreaterThan(0);
  outbox.flush();
  expect(order()).toEqual([batch]);
});

test('all connections share the batch of a large envelope, and it counts in memory until all have taken it', () => {
  const held: number[] = [];
  const large = delta(2, 'x'.repeat(100_000));
  const [one, other] = [setUp(undefined, held), setUp(undefined, held)];
  for (const each of [delta(1), large, delta(3)]) one.outbox.envelope(each, undefined);
  other.outbox.envelope(large, undefined);
  for (const { outbox } of [one, other]) outbox.flush();
  expect(one.order()).toEqual([[1], [2], [3]]);
  expect(other.sent[0]).toBe(one.sent[1]);
  expect(held.filter((bytes) => bytes > 100_000)).toHaveLength(1);
  for (const { unwritten } of [one, other]) for (const frames of unwritten) frames.release();
  expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBe(0);
});

test('sent batches are freed with the young generation: a stream leaves nothing for a full collection', () => {
  const collect = garbageCollector();
  // Two collections: an object that survives the first one is in the old generation.
  const collectYoung = (): void => {
    for (let times = 0; times < 2; times += 1) collect({ type: 'minor' });
  };
  const stream = (batches: number): number => {
    collectYoung();
    const before = process.memoryUsage().heapUsed;
    for (let number = 0; number < batches; number += 1) {
      batchOf(Array.from({ length: 50 }, (_, index) => delta(index, `${number} and on it goes`)));
      if (number % 20 === 0) collectYoung();
    }
    collectYoung();
    return process.memoryUsage().heapUsed - before;
  };
  stream(50);
  expect(stream(400)).toBeLessThan(1_000_000);
});
