import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FrameBatch, ServerTransport } from '@agenthost/rpc/websocket-server';
import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { EncodedEnvelope } from '../sync/subscription.ts';
import { Outbox } from './outbox.ts';
import { batchOf } from './run-batch.ts';

const delta = (serverSeq: number, content = 'x'): EncodedEnvelope =>
  new EncodedEnvelope({
    channel: 'ahp-chat:/a',
    serverSeq,
    action: { type: 'chat/delta', turnId: 't', partId: 'p', content },
  });

/** A socket that takes batches, and never empties its buffer. */
function setUp(limits = { softBytes: 1_000_000, hardBytes: 5_000_000, responseBytes: 1e9 }) {
  const sent: (string | FrameBatch)[] = [];
  const seen = { overflows: 0 };
  let bufferedBytes = 0;
  const transport: ServerTransport = {
    get bufferedBytes() {
      return bufferedBytes;
    },
    send: (frame) => {
      bufferedBytes += frame.length;
      sent.push(frame);
    },
    sendBytes: () => expect.unreachable('frames that could share a write'),
    sendBatch: (batch) => {
      bufferedBytes += batch.webSocketBytes().length;
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
    onOverflow: () => {
      seen.overflows += 1;
      outbox.close();
    },
    onFirst: () => undefined,
  });
  /** What was sent, a batch as its numbers. */
  const order = (): unknown[] =>
    sent.map((item) =>
      typeof item === 'string' ? item : item.frames.map((frame) => JSON.parse(frame).params.serverSeq),
    );
  return { outbox, sent, seen, order };
}

test('[ACT-8] envelopes of a tick go out as one batch, in their place among everything else', () => {
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

test('subscribers that get the same envelopes share one batch, others have their own', () => {
  const envelopes = [delta(1), delta(2), delta(3)];
  const [same, again, shorter] = [setUp(), setUp(), setUp()];
  for (const { outbox } of [same, again]) for (const each of envelopes) outbox.envelope(each, undefined);
  for (const each of envelopes.slice(0, 2)) shorter.outbox.envelope(each, undefined);
  for (const { outbox } of [same, again, shorter]) outbox.flush();
  expect(again.sent[0]).toBe(same.sent[0]);
  expect(shorter.order()).toEqual([[1, 2]]);
  expect(same.order()).toEqual([[1, 2, 3]]);
});

test('a batch is the frames of its envelopes', () => {
  const run = [delta(1), delta(2, '漢')];
  expect(batchOf(run).frames).toEqual(run.map(({ frame }) => frame));
});

test('what waits for the end of the tick counts against the limits', () => {
  const { outbox, order, seen } = setUp({ softBytes: 400, hardBytes: 2_000, responseBytes: 1e9 });
  for (let seq = 1; seq <= 6; seq += 1) outbox.envelope(delta(seq), undefined);
  outbox.flush();
  const [batch] = order();
  expect(batch).not.toHaveLength(6);
  expect(seen.overflows).toBe(0);
  for (let seq = 7; seq <= 40; seq += 1) outbox.envelope(delta(seq, 'x'.repeat(100)), undefined);
  expect(seen.overflows).toBe(1);
  outbox.flush();
  expect(order()).toEqual([batch]);
});

test('batches that were sent are freed with the young objects: a stream leaves nothing for the slow collection', () => {
  setFlagsFromString('--expose-gc');
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  // Twice: what outlives one is old at the next.
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
