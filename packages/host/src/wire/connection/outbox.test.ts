import type { ActionEnvelope, StateAction } from '@agenthost/protocol';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import { SimulatedClock } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { EncodedEnvelope } from '../../sync/subscription.ts';
import { Outbox } from './outbox.ts';
import { HeldBytes, SharedMerges } from './shared-envelopes.ts';

/** A socket whose buffer the test drains. */
class StubTransport implements ServerTransport {
  readonly sent: string[] = [];
  bufferedBytes = 0;
  takenBytes = 0;
  corkDepth = 0;
  /** Number of calls of `uncork`. */
  writes = 0;
  #onDrain: () => void = () => undefined;

  send(frame: string): void {
    this.sent.push(frame);
    this.bufferedBytes += Buffer.byteLength(frame);
  }

  sendBytes(utf8: Uint8Array): void {
    this.send(Buffer.from(utf8).toString('utf8'));
  }

  cork(): void {
    this.corkDepth += 1;
  }

  uncork(): void {
    this.corkDepth -= 1;
    this.writes += 1;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  drain(): void {
    this.takenBytes += this.bufferedBytes;
    this.bufferedBytes = 0;
    this.#onDrain();
  }

  close(): void {}
  start(): void {}
  terminate(): void {}
}

const delta = (serverSeq: number, content: string, partId = 'p'): ActionEnvelope => ({
  channel: 'ahp-chat:/a',
  serverSeq,
  action: { type: 'chat/delta', turnId: 't', partId, content },
});

const envelope = (
  serverSeq: number,
  action: StateAction = { type: 'chat/draftChanged' },
): ActionEnvelope => ({
  channel: 'ahp-chat:/a',
  serverSeq,
  action,
});

function setUp(
  limits = { softBytes: 1_000, hardBytes: 5_000, totalBytes: 1e9, responseBytes: 20_000 },
  memory = new HeldBytes(),
  merges = new SharedMerges(),
) {
  const transport = new StubTransport();
  const clock = new SimulatedClock();
  const seen = { overflows: 0, behind: 0 };
  const outbox = new Outbox({
    transport,
    timers: clock,
    limits,
    memory,
    merges,
    onOverflow: () => {
      seen.overflows += 1;
      outbox.close();
    },
    onBehind: () => {
      seen.behind += 1;
    },
    onFirst: () => undefined,
  });
  const push = (value: ActionEnvelope, maxLatencyMs?: number): void =>
    outbox.envelope(new EncodedEnvelope(value), maxLatencyMs === undefined ? undefined : { maxLatencyMs });
  /** The numbers of envelopes and the texts of other frames, in the order sent. */
  const order = (): (number | string)[] =>
    transport.sent.map((text) => {
      if (!text.startsWith('{')) return text;
      const { params }: { params: ActionEnvelope } = JSON.parse(text);
      return params.serverSeq;
    });
  return { transport, clock, seen, outbox, memory, push, order };
}

describe('the order of output', () => {
  it('[ACT-8] envelopes, messages and responses are sent in the order given', () => {
    const { outbox, push, order } = setUp();
    push(envelope(1));
    outbox.frame('response', 'response');
    push(envelope(2));
    outbox.frame('message', 'message');
    expect(order()).toStrictEqual([1, 'response', 2, 'message']);
  });

  it('[CONN-2] output that comes while a response is made is sent after it', () => {
    const { outbox, push, order } = setUp();
    push(envelope(1));
    outbox.hold();
    push(envelope(2));
    outbox.frame('other', 'response');
    expect(order()).toStrictEqual([1]);
    outbox.release('snapshot');
    expect(order()).toStrictEqual([1, 'snapshot', 2, 'other']);
  });

  it('[CONN-2] a snapshot does not overtake envelopes that wait for a slow socket', () => {
    const { transport, outbox, push, order } = setUp();
    push(envelope(1));
    transport.bufferedBytes = 2_000;
    push(envelope(2));
    outbox.hold();
    push(envelope(3));
    outbox.release('snapshot');
    transport.drain();
    expect(order()).toStrictEqual([1, 2, 'snapshot', 3]);
  });

  it('[SUB-4] a snapshot does not overtake envelopes that are held back for merging', async () => {
    const { clock, outbox, push, order } = setUp();
    push(delta(1, 'a'), 100);
    outbox.hold();
    push(delta(2, 'b'), 100);
    await clock.advance(500);
    outbox.release('snapshot');
    await clock.advance(500);
    expect(order()).toStrictEqual([1, 'snapshot', 2]);
  });

  it('output that was queued before a hold is sent during the hold', () => {
    const { transport, outbox, push, order } = setUp();
    transport.bufferedBytes = 2_000;
    push(envelope(1));
    outbox.hold();
    push(envelope(2));
    transport.drain();
    expect(order()).toStrictEqual([1]);
  });

  it('a hold that ends without a response sends the held output', () => {
    const { outbox, push, order } = setUp();
    outbox.hold();
    push(envelope(1));
    outbox.release();
    push(envelope(2));
    expect(order()).toStrictEqual([1, 2]);
  });

  it('a second hold keeps the output of the first one', () => {
    const { outbox, push, order } = setUp();
    outbox.hold();
    push(envelope(1));
    outbox.hold();
    push(envelope(2));
    outbox.release('snapshot');
    expect(order()).toStrictEqual(['snapshot', 1, 2]);
  });

  it('frames between two flushes are one write', () => {
    const { transport, outbox, push } = setUp();
    push(envelope(1));
    push(envelope(2));
    expect(transport.corkDepth).toBe(1);
    outbox.flush();
    expect(transport.corkDepth).toBe(0);
  });

  it('nothing is sent after close', async () => {
    const { transport, clock, outbox, push, order } = setUp();
    push(delta(1, 'a'), 50);
    outbox.close();
    push(envelope(2));
    outbox.release('late');
    transport.drain();
    await clock.advance(100);
    expect(order()).toStrictEqual([]);
    expect(clock.timerCount).toBe(0);
  });
});

describe('the size of waiting output', () => {
  it('is the size of the merged envelope: a slow client is not closed for JSON that is not sent', () => {
    const { transport, seen, outbox, push } = setUp();
    transport.bufferedBytes = 1_001;
    for (let count = 0; count < 500; count += 1) push(delta(count, 'abc'));
    expect(seen.behind).toBe(0);
    const waiting = outbox.waitingBytes - transport.bufferedBytes;
    transport.drain();
    const sent = transport.sent.reduce((sum, frame) => sum + frame.length, 0);
    expect(sent).toBeLessThan(2_000);
    expect(waiting).toBeGreaterThan(1_500);
    expect(waiting).toBeLessThan(5_000);
  });

  it('counts escaped control characters', () => {
    const { transport, seen, push } = setUp();
    transport.bufferedBytes = 1_001;
    for (let count = 0; count < 700; count += 1) push(delta(count, '\u001b'));
    expect(seen.behind).toBeGreaterThan(0);
  });
});

describe('the end of a subscription', () => {
  it('[SUB-2] drops the waiting envelopes of its channel, except echoes of own dispatches', async () => {
    const { transport, clock, seen, outbox, memory, push, order } = setUp();
    const action = { type: 'chat/draftChanged' } as const;
    transport.bufferedBytes = 2_000;
    push(envelope(1));
    push({ ...envelope(2), origin: { clientId: 'own', clientSeq: 1 } });
    push({ ...envelope(3), origin: { clientId: 'other', clientSeq: 1 } });
    push({ channel: 'ahp-chat:/b', serverSeq: 4, action });
    outbox.frame('response', 'response');
    outbox.dropEnvelopes('ahp-chat:/a', 'own');
    transport.drain();
    expect(order()).toStrictEqual([2, 4, 'response']);
    push(delta(5, 'a'), 100);
    outbox.dropEnvelopes('ahp-chat:/a', 'own');
    await clock.advance(100);
    expect(order()).toHaveLength(3);
    // Sent output no longer counts.
    expect(memory.total).toBe(0);
    transport.bufferedBytes = 2_000;
    for (let seq = 6; seq < 100; seq += 1) {
      push(envelope(seq));
      outbox.dropEnvelopes('ahp-chat:/a', 'own');
    }
    expect(seen.behind).toBe(0);
  });
});

describe('merging', () => {
  it('[SUB-4] neighbouring appends to one target become one within the delay, with the last number', async () => {
    const { transport, clock, push, order } = setUp();
    push(delta(1, 'a'), 50);
    push(delta(2, 'b'), 50);
    await clock.advance(49);
    expect(order()).toStrictEqual([]);
    await clock.advance(1);
    expect(order()).toStrictEqual([2]);
    expect(transport.sent[0]).toContain('"content":"ab"');
  });

  it('[SUB-4] any other output flushes the delayed envelopes and keeps the order', () => {
    const { outbox, push, order } = setUp();
    push(delta(1, 'a'), 50);
    outbox.frame('response', 'response');
    push(delta(2, 'b'), 50);
    push(envelope(3), 50);
    expect(order()).toStrictEqual([1, 'response', 2, 3]);
  });

  it('[SUB-4] the delayed envelopes and the envelope that flushes them are one write', () => {
    const { transport, outbox, push, order } = setUp();
    push(delta(1, 'a'), 20);
    outbox.flush();
    push(envelope(2));
    expect(order()).toStrictEqual([1, 2]);
    expect(transport).toMatchObject({ corkDepth: 1, writes: 0 });
    outbox.flush();
    expect(transport).toMatchObject({ corkDepth: 0, writes: 1 });
  });

  it('[SUB-4] an append to another target flushes the first, so that no envelope waits longer than its delay', async () => {
    const { clock, push, order } = setUp();
    push(delta(1, 'a', 'slow'), 10_000);
    push(delta(2, 'b', 'fast'), 20);
    await clock.advance(20);
    expect(order()).toStrictEqual([1, 2]);
  });

  it('[SUB-4] the echo of a key is never delayed', () => {
    const { push, order } = setUp();
    push(envelope(1, { type: 'terminal/input', data: 'a' }), 20);
    expect(order()).toStrictEqual([1]);
  });

  it('[SUB-4] without a delay nothing waits', () => {
    const { push, order } = setUp();
    push(delta(1, 'a'));
    push(delta(2, 'b'), 0);
    expect(order()).toStrictEqual([1, 2]);
  });

  it('above the soft limit neighbouring appends merge while they wait for the socket', () => {
    const { transport, push, order } = setUp();
    transport.bufferedBytes = 2_000;
    for (let seq = 1; seq <= 20; seq += 1) push(delta(seq, 'x'));
    transport.drain();
    expect(order()).toStrictEqual([20]);
    expect(transport.sent[0]).toContain(`"content":"${'x'.repeat(20)}"`);
  });

  it('[SUB-4] an append after a snapshot is not merged into one before it', () => {
    const { transport, outbox, push, order } = setUp();
    transport.bufferedBytes = 2_000;
    push(delta(1, 'a'));
    outbox.hold();
    push(delta(2, 'b'));
    outbox.release('snapshot');
    push(delta(3, 'c'));
    transport.drain();
    expect(order()).toStrictEqual([1, 'snapshot', 3]);
  });
});

describe('limits', () => {
  it('above the hard limit the connection is measured and stays open', () => {
    const { transport, seen, push, order } = setUp();
    transport.bufferedBytes = 4_900;
    push(envelope(1));
    expect(seen.behind).toBe(0);
    push(envelope(2));
    expect(seen).toEqual({ behind: 1, overflows: 0 });
    transport.drain();
    expect(order()).toStrictEqual([1, 2]);
  });

  it('one envelope above the hard limit is sent at once, and later output waits until it is read', () => {
    const { transport, seen, push, order } = setUp();
    push(delta(1, 'x'.repeat(20_000)));
    push(envelope(2));
    expect(order()).toStrictEqual([1]);
    transport.drain();
    expect(order()).toStrictEqual([1, 2]);
    expect(seen.overflows).toBe(0);
  });

  it('an envelope that waits for several connections counts once in memory, until the last one has taken it', () => {
    const memory = new HeldBytes();
    const all = [setUp(undefined, memory), setUp(undefined, memory)];
    const shared = new EncodedEnvelope(delta(1, 'x'.repeat(3_000)));
    for (const { transport, outbox } of all) {
      transport.bufferedBytes = 1_000;
      outbox.envelope(shared, undefined);
    }
    expect(memory.total).toBe(shared.json.length);
    all[0]?.transport.drain();
    expect(memory.total).toBe(shared.json.length);
    all[1]?.outbox.close();
    expect(memory.total).toBe(0);
  });

  it('envelopes that several connections merge are merged once, and count once until the last connection has taken the result', () => {
    const memory = new HeldBytes();
    const merges = new SharedMerges();
    const all = [setUp(undefined, memory, merges), setUp(undefined, memory, merges)];
    for (const { transport } of all) transport.bufferedBytes = 2_000;
    for (let count = 1; count <= 20; count += 1) {
      const shared = new EncodedEnvelope(delta(count, 'abc'));
      for (const { outbox } of all) outbox.envelope(shared, undefined);
    }
    const [one, other] = all.map(({ outbox, transport }) => outbox.waitingBytes - transport.bufferedBytes);
    expect(one).toBe(other);
    expect(memory.total).toBe(one);
    for (const { transport, order } of all) {
      transport.drain();
      expect(order()).toStrictEqual([20]);
    }
    expect(all[0]?.transport.sent).toStrictEqual(all[1]?.transport.sent);
    expect(all[0]?.transport.sent[0]).toContain('abc'.repeat(20));
    expect(memory.total).toBe(0);
  });

  it('a merged envelope counts with its own size, and only while it waits', () => {
    const { transport, outbox, memory, push } = setUp();
    transport.bufferedBytes = 2_000;
    for (let count = 0; count < 20; count += 1) push(delta(count, 'abc'));
    outbox.hold();
    push(envelope(21));
    expect(memory.total).toBe(outbox.waitingBytes - transport.bufferedBytes);
    outbox.dropHeldEnvelopes();
    outbox.release('snapshot');
    transport.drain();
    expect(memory.total).toBe(0);
  });

  it('[SUB-4] appends do not merge into a frame that clients find too large', () => {
    const { transport, push, order } = setUp();
    transport.bufferedBytes = 2_000;
    for (let count = 1; count <= 5; count += 1) push(delta(count, 'x'.repeat(400_000)));
    // There is room for one item at a time.
    for (let count = 0; count < 5; count += 1) transport.drain();
    expect(order()).toStrictEqual([2, 4, 5]);
  });

  it('held output counts', () => {
    const { seen, outbox, push } = setUp();
    outbox.hold();
    for (let seq = 1; seq < 100; seq += 1) push(envelope(seq));
    expect(seen.behind).toBeGreaterThan(0);
  });

  it('responses do not count, also with characters of several bytes', () => {
    const { seen, outbox, push } = setUp();
    outbox.frame('語'.repeat(4_000), 'response');
    push(envelope(1));
    expect(seen).toEqual({ behind: 0, overflows: 0 });
  });

  it('waiting responses do not count either', () => {
    const { transport, seen, outbox, push, order } = setUp();
    transport.bufferedBytes = 2_000;
    outbox.frame('r'.repeat(10_000), 'response');
    push(envelope(1));
    expect(seen).toEqual({ behind: 0, overflows: 0 });
    transport.drain();
    expect(order()).toHaveLength(2);
  });

  it('unread responses have a limit of their own, in the queue and in the transport', () => {
    const { transport, seen, outbox } = setUp();
    for (let count = 0; count < 2; count += 1) outbox.frame('r'.repeat(5_000), 'response');
    transport.bufferedBytes += 2_000;
    for (let count = 0; count < 2; count += 1) outbox.frame('r'.repeat(5_000), 'response');
    expect(transport.sent).toHaveLength(2);
    expect(seen.overflows).toBe(0);
    outbox.frame('r', 'response');
    expect(seen.overflows).toBe(1);
  });

  it('a response that ends a hold counts like any other', () => {
    const { seen, outbox } = setUp();
    outbox.hold();
    outbox.release('r'.repeat(20_001));
    expect(seen.overflows).toBe(1);
  });

  it('responses that were read no longer count', () => {
    const { transport, seen, outbox } = setUp();
    for (let count = 0; count < 20; count += 1) {
      outbox.frame('r'.repeat(15_000), 'response');
      expect(outbox.hasRoomForResponses).toBe(false);
      transport.drain();
      expect(outbox.hasRoomForResponses).toBe(true);
    }
    expect(seen.overflows).toBe(0);
  });
});
