/** Where the numbers lie, as 32-bit integers, before the bytes. */
const at = { holder: 0, fd: 1, written: 2, taken: 3, isTold: 4 } as const;
const headerBytes = 5 * Int32Array.BYTES_PER_ELEMENT;
/** Who may read the pty: the host, or the thread, which is in the middle of a read or between two. */
const holders = { host: 0, thread: 1, reading: 2 } as const;
/** How long one read that does not wait may take, ms: a thread that is not back by then is none any more. */
const readLimitMs = 1_000;
/** A power of two, since offsets wrap around at 2^32. */
const ringBytes = 128 * 1024;

/**
 * Memory that the host shares with the thread that reads floods: who holds the lent pty, and a ring of bytes that the thread
 * writes and the host takes. The two never read one pty at the same time, and each knows at once when it may not any more.
 */
export class SharedRing {
  /** Of what lies where: a thread of another version must not read it. */
  static readonly layout = 1;

  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #bytes: Uint8Array<SharedArrayBuffer>;

  /** Without `memory`, a ring of its own: 128 KiB, and nothing is lent. */
  constructor(memory = new SharedArrayBuffer(headerBytes + ringBytes)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, headerBytes / Int32Array.BYTES_PER_ELEMENT);
    this.#bytes = new Uint8Array(memory, headerBytes, ringBytes);
  }

  get isLent(): boolean {
    return Atomics.load(this.#words, at.holder) !== holders.host;
  }

  /** Host: the thread may read `fd` from now on. Nothing may be lent. */
  lend(fd: number): void {
    Atomics.store(this.#words, at.fd, fd);
    Atomics.store(this.#words, at.holder, holders.thread);
    Atomics.notify(this.#words, at.holder);
  }

  /**
   * Host: the thread reads no more once this returns true, which takes as long as one read that does not wait. False: it did not
   * come back from one, so it is dead or as good as dead.
   */
  takeBack(): boolean {
    const until = performance.now() + readLimitMs;
    while (this.#pass(holders.thread, holders.host) === holders.reading) {
      if (performance.now() > until) return false;
      Atomics.wait(this.#words, at.holder, holders.reading, 1);
    }
    return true;
  }

  /** Host: the thread has ended, whatever it was doing, or will never see that this ring is lent again. */
  takeBackFromNobody(): void {
    Atomics.store(this.#words, at.holder, holders.host);
  }

  /** Host: the oldest bytes that lie together, `limit` at most; a view that is the thread's again once they are taken. */
  filled(limit: number): Uint8Array {
    const taken = Atomics.load(this.#words, at.taken);
    return this.#view(taken, Math.min(limit, this.#fill(taken)));
  }

  /** Host: makes room of the oldest `count` bytes. */
  take(count: number): void {
    Atomics.add(this.#words, at.taken, count);
    Atomics.notify(this.#words, at.taken);
  }

  /** Host: wants to be told of the next bytes. False when there are some already. */
  awaitBytes(): boolean {
    Atomics.store(this.#words, at.isTold, 0);
    return this.filled(1).length === 0;
  }

  /** Thread: waits until a pty is lent. */
  awaitLoan(): void {
    Atomics.wait(this.#words, at.holder, holders.host);
  }

  /** Thread: begins a read, which must not wait for anything; the number of the file, undefined when nothing is lent. */
  beginRead(): number | undefined {
    if (this.#pass(holders.thread, holders.reading) !== holders.thread) return undefined;
    return Atomics.load(this.#words, at.fd);
  }

  /** Thread: where the next bytes go; empty while the ring is full. Also before a read begins: nobody else writes. */
  room(): Uint8Array {
    const written = Atomics.load(this.#words, at.written);
    return this.#view(written, ringBytes - this.#fill(Atomics.load(this.#words, at.taken)));
  }

  /** Thread: ends a read, which has put `count` bytes into the room. True when the host is to be told. */
  endRead(count: number): boolean {
    if (count > 0) Atomics.add(this.#words, at.written, count);
    // While it is still the holder: a host that takes the pty back then takes these bytes too, and wants to be told of the next.
    const mustTell = count > 0 && Atomics.exchange(this.#words, at.isTold, 1) === 0;
    // Not when the host has given up on it meanwhile: it must not read again.
    this.#pass(holders.reading, holders.thread);
    Atomics.notify(this.#words, at.holder);
    return mustTell;
  }

  /** Thread: waits for `ms` at most, less when the pty is taken back. */
  pause(ms: number): void {
    Atomics.wait(this.#words, at.holder, holders.thread, ms);
  }

  /** Thread: waits while the ring is full. */
  awaitRoom(): void {
    const taken = Atomics.load(this.#words, at.taken);
    if (this.#fill(taken) === ringBytes) Atomics.wait(this.#words, at.taken, taken);
  }

  /**
   * Thread: is done with what it was lent. That may be another pty by now, which is back then as well: the host has to be told
   * each time.
   */
  giveBack(): void {
    this.#pass(holders.thread, holders.host);
  }

  #fill(taken: number): number {
    return (Atomics.load(this.#words, at.written) - taken) >>> 0;
  }

  #view(from: number, length: number): Uint8Array {
    const start = (from >>> 0) % ringBytes;
    return this.#bytes.subarray(start, Math.min(start + length, ringBytes));
  }

  /** From one holder to another; returns who it was. */
  #pass(from: number, to: number): number {
    return Atomics.compareExchange(this.#words, at.holder, from, to);
  }
}
