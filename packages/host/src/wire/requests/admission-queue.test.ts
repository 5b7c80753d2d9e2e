import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { AdmissionQueue, MAX_RUNNING_ANSWERS } from './admission-queue.ts';
import { MAX_UNREAD_BYTES as MAX, MAX_UNREAD_BYTES_IN_ALL } from './unread-answers.ts';

const MEGABYTE = 1024 * 1024;
const MAX_UNREAD_BYTES = MAX.admin;

const OWNER: TokenIdentity = { tokenHash: 'owner', scope: 'admin' };
const observer = (tokenHash: string): TokenIdentity => ({ tokenHash, scope: 'observe' });

/** A client with an answer of a given size, which it reads when the test says so. */
class QueuedClient {
  readonly identity: TokenIdentity;
  isClosed = false;
  takenBytes = 0;
  unreadBytes = 0;
  isBegun = false;
  isCut = false;
  readonly #place: Place;
  readonly #size: number;
  readonly #made = Promise.withResolvers<void>();

  constructor(place: Place, size: number, identity = OWNER, mostBytes?: number) {
    this.identity = identity;
    this.#place = place;
    this.#size = size;
    const work = async (): Promise<void> => {
      this.isBegun = true;
      await this.#made.promise;
      this.unreadBytes = this.#size;
    };
    void place.queue.run(this, work, mostBytes);
  }

  async answer(): Promise<void> {
    this.#made.resolve();
    await this.#place.clock.settle();
  }

  async read(): Promise<void> {
    this.unreadBytes = 0;
    this.#place.queue.drained(this);
    await this.#place.clock.settle();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.#place.queue.closed(this);
    await this.#place.clock.settle();
  }

  cutOff(): void {
    this.isCut = true;
    void this.close();
  }
}

class Place {
  readonly clock = new SimulatedClock();
  readonly queue = new AdmissionQueue<QueuedClient>(this.clock);

  /** Adds several clients at once. */
  async arrive(count: number, size = 0, identity = OWNER, mostBytes?: number): Promise<QueuedClient[]> {
    const arrived = Array.from({ length: count }, () => new QueuedClient(this, size, identity, mostBytes));
    await this.clock.settle();
    return arrived;
  }
}

const begun = (all: readonly QueuedClient[]): number => all.filter(({ isBegun }) => isBegun).length;

test('of many requests at once a few run, the others follow in order, and none is lost', async () => {
  const place = new Place();
  const all = await place.arrive(50);
  expect(begun(all)).toBe(MAX_RUNNING_ANSWERS);
  for (const [index, client] of all.entries()) {
    expect(all.map(({ isBegun }) => isBegun).lastIndexOf(true)).toBe(
      Math.min(all.length, index + MAX_RUNNING_ANSWERS) - 1,
    );
    await client.answer();
  }
  expect(begun(all)).toBe(50);
  expect(all.some((client) => place.queue.has(client))).toBe(false);
  expect(place.clock.timerCount).toBe(0);
});

test('one request starts in each event-loop iteration, so that other work runs in between', async () => {
  const place = new Place();
  const all = [0, 1, 2].map(() => new QueuedClient(place, 0));
  // The first request starts synchronously.
  expect(begun(all)).toBe(1);
  place.clock.runImmediates();
  expect(place.clock.hasImmediates).toBe(true);
  await place.clock.settle();
  expect(begun(all)).toBe(3);
});

test('unread answers at the limit delay the next request until one is read', async () => {
  const place = new Place();
  const large = await place.arrive(MAX_RUNNING_ANSWERS, MAX_UNREAD_BYTES / 2);
  const [first, second] = large;
  await first?.answer();
  await second?.answer();
  const [next] = await place.arrive(1);
  expect(next?.isBegun).toBe(false);
  await second?.read();
  expect(next?.isBegun).toBe(true);
});

test('small unread answers delay no request', async () => {
  const place = new Place();
  for (let round = 0; round < 2_000; round += 1) {
    const [one] = await place.arrive(1, 64 * 1024);
    expect(one?.isBegun).toBe(true);
    await one?.answer();
  }
});

test('a client that does not read for ten seconds is closed if others wait for its room, and stays if none waits', async () => {
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

test('requests of a connection that closes before its turn do not run, and later ones move up', async () => {
  const place = new Place();
  const [reader] = await place.arrive(1, MAX_UNREAD_BYTES);
  await reader?.answer();
  const [gone, next] = await place.arrive(2);
  await gone?.close();
  await reader?.close();
  expect([gone?.isBegun, next?.isBegun]).toEqual([false, true]);
  expect(place.clock.timerCount).toBe(0);
});

test('unread answers delay only their own token, however many of its requests wait before the others', async () => {
  const place = new Place();
  const deaf = await place.arrive(300, 8 * MEGABYTE, observer('deaf'));
  for (const one of deaf.slice(0, 50)) await one.answer();
  expect(begun(deaf)).toBeLessThanOrEqual(MAX.other / MEGABYTE / 8 + 2);
  for (const identity of [observer('other'), OWNER]) {
    const [one] = await place.arrive(1, MEGABYTE, identity);
    expect(one?.isBegun).toBe(true);
    await one?.answer();
  }
  for (const one of deaf) await one.close();
  expect(place.clock.timerCount).toBe(0);
});

test('an answer counts with its upper bound while it is made, and with its real size afterwards', async () => {
  const place = new Place();
  const reads = await place.arrive(300, 12 * MEGABYTE, observer('deaf'), MAX.other);
  expect(begun(reads)).toBe(1);
  const [other] = await place.arrive(1, MEGABYTE, observer('other'), MAX.other);
  expect(other?.isBegun).toBe(true);
  for (const one of reads) if (one.isBegun) await one.answer();
  expect(reads.filter(({ unreadBytes }) => unreadBytes > 0).length).toBe(2);
  await other?.answer();
  for (const one of [...reads, other]) await one?.close();
  expect(place.clock.timerCount).toBe(0);
});

test('tokens take turns: a request of the second does not wait for all requests of the first', async () => {
  const place = new Place();
  const many = await place.arrive(100, 0, observer('first'));
  const [one] = await place.arrive(1, 0, observer('second'));
  const [other] = await place.arrive(1, 0, observer('third'));
  expect([begun(many), one?.isBegun, other?.isBegun]).toEqual([2, true, true]);
  const [owner] = await place.arrive(1);
  expect(owner?.isBegun).toBe(true);
});

test('tokens at their common limit make room for a token without unread answers, the slowest client first; an admin does not wait', async () => {
  const place = new Place();
  const tokens = Array.from({ length: 20 }, (_, index) => observer(`token ${index}`));
  const deaf: QueuedClient[] = [];
  for (const token of tokens) deaf.push(...(await place.arrive(2, 8 * MEGABYTE, token)));
  for (let round = 0; round < deaf.length; round += 1)
    for (const one of deaf) if (one.isBegun) await one.answer();
  // Each new token takes the place of a client that did not read for 500 ms.
  const isKept = (one: QueuedClient): boolean => one.unreadBytes > 0 && !one.isClosed;
  const most = (MAX_UNREAD_BYTES_IN_ALL / MEGABYTE + 16) / 8 + MAX_RUNNING_ANSWERS;
  expect(deaf.filter(isKept).length).toBeLessThanOrEqual(most);
  const [owner] = await place.arrive(1);
  expect(owner?.isBegun).toBe(true);
  const [newcomer] = await place.arrive(1, MEGABYTE, observer('newcomer'));
  expect(newcomer?.isBegun).toBe(false);
  // A client that reads is not closed.
  const reading = deaf.find(isKept);
  // Other waiting tokens go first.
  for (let count = 0; count < 40; count += 1) {
    if (newcomer?.isBegun === true) break;
    if (reading !== undefined) reading.takenBytes += MEGABYTE;
    await place.clock.advance(250);
    for (const one of deaf) if (one.isBegun && !one.isClosed && one.unreadBytes === 0) await one.answer();
  }
  expect([newcomer?.isBegun, reading?.isCut]).toEqual([true, false]);
  for (const one of deaf) await one.close();
  await newcomer?.close();
  expect(place.clock.timerCount).toBe(0);
});

test('if all clients of one token read, the slowest is closed after ten seconds to make room', async () => {
  const place = new Place();
  const [slow, fast] = await place.arrive(2, MAX.other, observer('one'));
  await slow?.answer();
  await fast?.answer();
  const [next] = await place.arrive(1, 0, observer('one'));
  for (let count = 0; count < 39; count += 1) {
    if (slow !== undefined) slow.takenBytes += 10_000;
    if (fast !== undefined) fast.takenBytes += 100_000;
    await place.clock.advance(250);
  }
  expect([slow?.isCut, fast?.isCut]).toEqual([false, false]);
  await place.clock.advance(250);
  expect([slow?.isCut, fast?.isCut, next?.isBegun]).toEqual([true, false, false]);
  await fast?.read();
  expect(next?.isBegun).toBe(true);
});

test('a token with a closed client has no priority for ten seconds: other waiting tokens go first', async () => {
  const place = new Place();
  // Four tokens use all the room. For a fifth one, a client of the first is closed.
  const deaf: QueuedClient[] = [];
  for (const index of [0, 1, 2, 3, 4, 5])
    deaf.push(...(await place.arrive(2, 8 * MEGABYTE, observer(`deaf ${index}`))));
  for (let round = 0; round < 3; round += 1)
    for (const one of deaf) if (one.isBegun && one.unreadBytes === 0) await one.answer();
  await place.arrive(1, 0, observer('newcomer'));
  await place.clock.advance(2_000);
  const [blamed] = deaf.filter(({ isCut }) => isCut);
  expect(blamed).toBeDefined();
  const begunBefore = begun(deaf);
  const [again] = await place.arrive(1, MEGABYTE, blamed?.identity ?? OWNER);
  await place.clock.advance(2_000);
  expect([again?.isBegun, begun(deaf)]).toEqual([false, begunBefore]);
  for (const one of [...deaf, again]) await one?.close();
});
