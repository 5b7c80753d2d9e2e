import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { EncodedEnvelope } from '../../sync/subscription.ts';
import { type SlowReader, SlowReaders } from './slow-readers.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS = { hardBytes: 8 * MEGABYTE, totalBytes: 64 * MEGABYTE };

/** A client that takes a fixed number of bytes per second. */
class Reader implements SlowReader {
  readonly identity: TokenIdentity;
  readonly perSecond: number;
  isClosed = false;
  waitingBytes = 0;
  /** Bytes in the transport. */
  sentBytes = 0;
  takenBytes = 0;
  readonly #place: Place;
  #shared: { readonly envelope: EncodedEnvelope; readonly bytes: number } | undefined;

  constructor(place: Place, perSecond: number, token = 'one') {
    this.#place = place;
    this.perSecond = perSecond;
    this.identity = { tokenHash: token, scope: 'interact' };
  }

  get queuedBytes(): number {
    return Math.max(0, this.waitingBytes - this.sentBytes);
  }

  /** Adds output that waits for this client only. */
  wait(bytes: number): void {
    this.waitingBytes += bytes;
    this.#place.readers.memory.add(bytes);
    if (this.waitingBytes > LIMITS.hardBytes) this.#place.readers.watch();
  }

  /** Adds an envelope that waits for other clients too. */
  waitForShared(envelope: EncodedEnvelope, bytes: number): void {
    this.waitingBytes += bytes;
    this.#shared = { envelope, bytes };
    this.#place.readers.memory.hold(envelope, bytes);
  }

  read(ms: number): void {
    if (this.isClosed) return;
    const bytes = Math.min(this.waitingBytes, Math.floor((this.perSecond * ms) / 1_000));
    this.#forget(bytes);
    this.takenBytes += bytes;
  }

  fallBehind(): void {
    this.isClosed = true;
    if (this.#shared !== undefined) {
      const { envelope, bytes } = this.#shared;
      this.waitingBytes -= bytes;
      this.#place.readers.memory.release(envelope, bytes);
    }
    this.#forget(this.waitingBytes);
    this.#place.connections.delete(this);
    this.#place.readers.closed(this);
  }

  #forget(bytes: number): void {
    this.waitingBytes -= bytes;
    this.#place.readers.memory.add(-bytes);
  }
}

class Place {
  readonly clock = new SimulatedClock();
  readonly connections = new Set<Reader>();
  readonly readers = new SlowReaders<Reader>({
    timers: this.clock,
    connections: this.connections,
    limits: LIMITS,
  });

  reader(perSecond: number, token?: string): Reader {
    const reader = new Reader(this, perSecond, token);
    this.connections.add(reader);
    return reader;
  }

  async advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      for (const reader of this.connections) reader.read(50);
      await this.clock.advance(50);
    }
  }

  end(): void {
    for (const reader of [...this.connections]) reader.fallBehind();
    expect(this.clock.timerCount).toBe(0);
    expect(this.readers.memory.total).toBe(0);
  }
}

test('a client that keeps reading stays connected, however much output waits for it', async () => {
  const place = new Place();
  const [slow, fast] = [place.reader(20_000), place.reader(10 * MEGABYTE)];
  for (const reader of [slow, fast]) {
    reader.sentBytes = 9 * MEGABYTE;
    reader.wait(10 * MEGABYTE);
  }
  await place.advance(120_000);
  expect([slow.isClosed, fast.isClosed]).toEqual([false, false]);
  expect(fast.waitingBytes).toBe(0);
  place.end();
});

test('a client that does not read is closed after 30 s if more than the hard limit waits, and never if less waits', async () => {
  const place = new Place();
  const [deaf, little] = [place.reader(0), place.reader(0)];
  deaf.wait(8 * MEGABYTE + 1);
  little.wait(8 * MEGABYTE);
  await place.advance(30_000);
  expect(deaf.isClosed).toBe(false);
  await place.advance(1_000);
  expect(deaf.isClosed).toBe(true);
  await place.advance(600_000);
  expect(little.isClosed).toBe(false);
  // No measurement runs any more.
  expect(place.clock.timerCount).toBe(0);
  place.end();
});

test('a client that reads but falls further behind is closed if it would need minutes to catch up', async () => {
  const place = new Place();
  const [losing, keeping] = [place.reader(100_000), place.reader(2 * MEGABYTE)];
  losing.wait(16 * MEGABYTE);
  for (let count = 0; count < 30; count += 1) {
    keeping.wait(2.5 * MEGABYTE);
    await place.advance(1_000);
    expect(losing.isClosed).toBe(false);
  }
  await place.advance(1_000);
  expect([losing.isClosed, keeping.isClosed]).toEqual([true, false]);
  keeping.wait(30 * MEGABYTE);
  await place.advance(60_000);
  expect(keeping.isClosed).toBe(false);
  place.end();
});

test('when memory is short, clients that do not read are closed, of the token with the most output first, and no more than needed', async () => {
  const place = new Place();
  const crowd = Array.from({ length: 12 }, () => place.reader(0, 'crowd'));
  const [reading, alone] = [place.reader(MEGABYTE, 'crowd'), place.reader(0, 'other')];
  for (const reader of crowd) reader.wait(6 * MEGABYTE);
  reading.wait(7 * MEGABYTE);
  alone.wait(7 * MEGABYTE);
  await place.advance(3_000);
  expect([reading.isClosed, alone.isClosed]).toEqual([false, false]);
  expect(crowd.filter(({ isClosed }) => isClosed)).toHaveLength(4);
  await place.advance(60_000);
  expect(crowd.filter(({ isClosed }) => isClosed)).toHaveLength(4);
  place.end();
});

test('hundreds of clients that wait for the same output and read nothing are closed within two seconds: the last one frees the memory', async () => {
  const place = new Place();
  const shared = new EncodedEnvelope({
    channel: 'ahp-chat:/a',
    serverSeq: 1,
    action: { type: 'chat/draftChanged' },
  });
  const crowd = Array.from({ length: 300 }, () => place.reader(0, 'crowd'));
  const reading = place.reader(MEGABYTE, 'crowd');
  for (const reader of crowd) reader.waitForShared(shared, 65 * MEGABYTE);
  reading.wait(10 * MEGABYTE);
  await place.advance(2_000);
  expect(crowd.filter(({ isClosed }) => !isClosed)).toHaveLength(0);
  expect(reading.isClosed).toBe(false);
  place.end();
});

test('when all clients read, none is closed below four times the memory limit; above it the slowest are closed at once, and no more than needed', async () => {
  const place = new Place();
  const readers = [550, 450, 350, 250, 150].map((kilobytes) => place.reader(kilobytes * 1_000));
  for (const reader of readers) reader.wait(45 * MEGABYTE);
  await place.advance(9_000);
  expect(readers.some(({ isClosed }) => isClosed)).toBe(false);
  for (const reader of readers) reader.wait(12 * MEGABYTE);
  await place.clock.settle();
  expect(readers.map(({ isClosed }) => isClosed)).toEqual([false, false, false, false, true]);
  place.end();
});

test('a burst that ends before the second measurement closes no connection', async () => {
  const place = new Place();
  const readers = Array.from({ length: 10 }, () => place.reader(100 * MEGABYTE));
  for (const reader of readers) reader.wait(12 * MEGABYTE);
  await place.advance(1_000);
  expect(readers.some(({ isClosed }) => isClosed)).toBe(false);
  expect(place.clock.timerCount).toBe(0);
  place.end();
});
