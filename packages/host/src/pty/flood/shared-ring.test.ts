import { afterEach, expect, it, vi } from 'vitest';
import { SharedRing } from './shared-ring.ts';

const capacity = 128 * 1024;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The two ends of one ring. */
function ends(): { host: SharedRing; thread: SharedRing } {
  const host = new SharedRing();
  return { host, thread: new SharedRing(host.memory) };
}

/** What the thread does with each read, of as much of `bytes` as there is room for. */
function read(thread: SharedRing, bytes: Uint8Array): { count: number; mustTell: boolean } {
  thread.beginRead();
  const part = bytes.subarray(0, thread.room().length);
  thread.room().set(part);
  return { count: part.length, mustTell: thread.endRead(part.length) };
}

it('lends a file to one holder at a time', () => {
  const { host, thread } = ends();
  expect(host.isLent).toBe(false);
  expect(thread.beginRead()).toBe(undefined);
  host.lend(7);
  expect(thread.beginRead()).toBe(7);
  thread.endRead(0);
  host.takeBack();
  expect(thread.beginRead()).toBe(undefined);
  // Too late: it is not the thread's any more.
  thread.giveBack();
  host.lend(8);
  expect(thread.beginRead()).toBe(8);
  thread.endRead(0);
  thread.giveBack();
  expect(host.isLent).toBe(false);
});

it('hands bytes over in order, again and again around its end', () => {
  const { host, thread } = ends();
  host.lend(7);
  const source = Uint8Array.from({ length: 50_000 }, (_, index) => index % 251);
  for (let round = 0; round < 20; round += 1) {
    for (let sent = 0; sent < source.length; )
      sent += read(thread, source.subarray(sent, sent + 4_000)).count;
    const taken: number[] = [];
    for (let bytes = host.filled(30_000); bytes.length > 0; bytes = host.filled(30_000)) {
      expect(bytes.length).toBeLessThanOrEqual(30_000);
      taken.push(...bytes);
      host.take(bytes.length);
    }
    expect(Buffer.from(taken).equals(Buffer.from(source))).toBe(true);
  }
});

it('takes no more than it has room for, and goes on beyond four gigabytes', () => {
  const { host, thread } = ends();
  host.lend(7);
  thread.beginRead();
  for (let sent = 0; sent < 2 ** 32 + 5 * capacity; sent += capacity) {
    expect(thread.room().length).toBe(capacity);
    thread.endRead(capacity);
    expect(thread.room().length).toBe(0);
    expect(host.filled(Number.POSITIVE_INFINITY).length).toBe(capacity);
    host.take(capacity);
    thread.beginRead();
  }
});

it('tells of bytes once until the host has looked', () => {
  const { host, thread } = ends();
  host.lend(7);
  expect(read(thread, new Uint8Array(0)).mustTell).toBe(false);
  expect(read(thread, Uint8Array.of(1)).mustTell).toBe(true);
  expect(read(thread, Uint8Array.of(2)).mustTell).toBe(false);
  host.take(2);
  expect(host.awaitBytes()).toBe(true);
  expect(read(thread, Uint8Array.of(3)).mustTell).toBe(true);
  // Some came before it could say that it waits.
  expect(host.awaitBytes()).toBe(false);
});

it('tells of the first bytes of a loan, though the one before was taken back in the middle of a read', () => {
  const { host, thread } = ends();
  host.lend(7);
  thread.beginRead();
  thread.room().set([1]);
  // As soon as the thread has said that the read is over, the host is quicker than it.
  vi.spyOn(Atomics, 'notify').mockImplementationOnce(() => {
    expect(host.takeBack()).toBe(true);
    expect([...host.filled(10)]).toEqual([1]);
    host.take(1);
    expect(host.awaitBytes()).toBe(true);
    host.lend(8);
    return 0;
  });
  thread.endRead(1);
  expect(read(thread, Uint8Array.of(2)).mustTell).toBe(true);
});

it('gives up on a thread that is in a read for ever', () => {
  const { host, thread } = ends();
  host.lend(7);
  thread.beginRead();
  expect(host.takeBack()).toBe(false);
  host.takeBackFromNobody();
  expect(host.isLent).toBe(false);
  // It was slow, not dead.
  thread.endRead(0);
  expect(thread.beginRead()).toBe(undefined);
});
