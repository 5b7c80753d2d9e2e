import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { Arrivals, MAX_ARRIVALS, MAX_UNREAD_BYTES } from './arrivals.ts';

const MEGABYTE = 1024 * 1024;

/** A client whose answer has so many bytes, and which reads it when the test says so. */
class Arrival {
  isClosed = false;
  unreadBytes = 0;
  isBegun = false;
  isCut = false;
  readonly #place: Place;
  readonly #size: number;
  readonly #made = Promise.withResolvers<void>();

  constructor(place: Place, size: number) {
    this.#place = place;
    this.#size = size;
    void place.arrivals.run(this, async () => {
      this.isBegun = true;
      await this.#made.promise;
      this.unreadBytes = this.#size;
    });
  }

  async answer(): Promise<void> {
    this.#made.resolve();
    await this.#place.clock.settle();
  }

  async read(): Promise<void> {
    this.unreadBytes = 0;
    this.#place.arrivals.drained(this);
    await this.#place.clock.settle();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.#place.arrivals.closed(this);
    await this.#place.clock.settle();
  }

  cutOff(): void {
    this.isCut = true;
    void this.close();
  }
}

class Place {
  readonly clock = new SimulatedClock();
  readonly arrivals = new Arrivals<Arrival>(this.clock);

  /** So many at once. */
  async arrive(count: number, size = 0): Promise<Arrival[]> {
    const arrived = Array.from({ length: count }, () => new Arrival(this, size));
    await this.clock.settle();
    return arrived;
  }
}

const begun = (all: readonly Arrival[]): number => all.filter(({ isBegun }) => isBegun).length;

test('of many that come at once a few are under way, the others follow in their order, and none is left out', async () => {
  const place = new Place();
  const all = await place.arrive(50);
  expect(begun(all)).toBe(MAX_ARRIVALS);
  for (const [index, arrival] of all.entries()) {
    expect(all.map(({ isBegun }) => isBegun).lastIndexOf(true)).toBe(
      Math.min(all.length, index + MAX_ARRIVALS) - 1,
    );
    await arrival.answer();
  }
  expect(begun(all)).toBe(50);
  expect(all.some((arrival) => place.arrivals.has(arrival))).toBe(false);
  expect(place.clock.timerCount).toBe(0);
});

test('one begins in each turn of the event loop, so that what others ask is answered in between', async () => {
  const place = new Place();
  const all = [0, 1, 2].map(() => new Arrival(place, 0));
  // In the very call when nobody is before it.
  expect(begun(all)).toBe(1);
  place.clock.runImmediates();
  expect(place.clock.hasImmediates).toBe(true);
  await place.clock.settle();
  expect(begun(all)).toBe(3);
});

test('answers that are not read hold up the next once they come to the limit, and go on when one is read', async () => {
  const place = new Place();
  const large = await place.arrive(MAX_ARRIVALS, MAX_UNREAD_BYTES / 2);
  const [first, second] = large;
  await first?.answer();
  await second?.answer();
  const [next] = await place.arrive(1);
  expect(next?.isBegun).toBe(false);
  await second?.read();
  expect(next?.isBegun).toBe(true);
});

test('small answers that are not read hold up nobody', async () => {
  const place = new Place();
  for (let round = 0; round < 2_000; round += 1) {
    const [one] = await place.arrive(1, 64 * 1024);
    expect(one?.isBegun).toBe(true);
    await one?.answer();
  }
});

test('who does not read for ten seconds while others wait for its room is cut off; while nobody waits it has all time', async () => {
  const place = new Place();
  const deaf = await place.arrive(2, MAX_UNREAD_BYTES);
  for (const one of deaf) await one.answer();
  await place.clock.advance(600_000);
  const good = await place.arrive(10, MEGABYTE);
  await place.clock.advance(9_999);
  expect(deaf.map(({ isCut }) => isCut)).toEqual([false, false]);
  expect(begun(good)).toBe(0);
  await place.clock.advance(1);
  await place.clock.settle();
  expect(deaf.map(({ isCut }) => isCut)).toEqual([true, true]);
  for (const one of good) await one.answer();
  expect(begun(good)).toBe(10);
  expect(place.clock.timerCount).toBe(0);
});

test('of who is gone before its turn nothing is begun, and those behind it move up', async () => {
  const place = new Place();
  const [reader] = await place.arrive(1, MAX_UNREAD_BYTES);
  await reader?.answer();
  const [gone, next] = await place.arrive(2);
  await gone?.close();
  await reader?.close();
  expect([gone?.isBegun, next?.isBegun]).toEqual([false, true]);
  expect(place.clock.timerCount).toBe(0);
});
