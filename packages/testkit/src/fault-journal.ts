import {
  type Journal,
  JournalError,
  type JournalStart,
  type JournalWrite,
  MemoryDisk,
  MemoryJournal,
} from '@agenthost/host';

/** Hooks into a journal. Each may delay a call; an error fails the call. */
export interface JournalGates {
  /** Called when a commit was requested, before any of it is durable. */
  beforeCommit?: ((writes: readonly JournalWrite[]) => Promise<void> | void) | undefined;
  /** Called when a commit is durable (survives a crash), before the commit resolves. Must not fail. */
  afterCommit?: ((writes: readonly JournalWrite[]) => Promise<void> | void) | undefined;
  beforeReserve?: ((seq: number) => Promise<void> | void) | undefined;
  /** Called when a read has its result, before the read resolves. */
  afterRead?: (() => Promise<void> | void) | undefined;
}

/**
 * A journal in memory that fails, waits and crashes on request. `crash()` is a kill: durable data stays on
 * `disk`, pending calls never settle, and a new journal can be opened on the same disk.
 */
export class FaultJournal implements Journal {
  readonly disk: MemoryDisk;
  /** May be changed at any time. */
  readonly gates: JournalGates;
  readonly #inner: MemoryJournal;
  /** Durable commits that reads do not see yet. */
  #unseen: (readonly JournalWrite[])[] = [];
  #failures: JournalError[] = [];
  #hasCrashed = false;
  #commitCount = 0;

  constructor(disk: MemoryDisk = new MemoryDisk(), gates: JournalGates = {}) {
    this.disk = disk;
    this.gates = gates;
    this.#inner = new MemoryJournal(disk);
  }

  /** Number of durable commits. */
  get commitCount(): number {
    return this.#commitCount;
  }

  /**
   * Makes the next `count` commits (default one) reject without effect, by default because the disk is full.
   */
  failNextCommits(count = 1, code: JournalError['code'] = 'full'): void {
    const failures = Array.from(
      { length: count },
      () => new JournalError(code, `a test made this commit fail: ${code}`),
    );
    this.#failures.push(...failures);
  }

  /** Stops the journal like SIGKILL. */
  crash(): void {
    if (this.#hasCrashed) return;
    this.#hasCrashed = true;
    for (const writes of this.#unseen) this.disk.apply(writes);
    this.#unseen = [];
    this.disk.isLocked = false;
  }

  async open(): Promise<JournalStart> {
    return this.#alive(await this.#inner.open());
  }

  async commit(writes: readonly JournalWrite[]): Promise<void> {
    await Promise.resolve();
    await this.#alive(this.gates.beforeCommit?.(writes));
    const failure = this.#failures.shift();
    if (failure !== undefined) throw failure;
    this.#unseen.push(writes);
    this.#commitCount++;
    await this.#alive(this.gates.afterCommit?.(writes));
    this.#unseen.shift();
    this.disk.apply(writes);
  }

  async reserveSeq(seq: number): Promise<void> {
    await this.#alive(this.gates.beforeReserve?.(seq));
    await this.#inner.reserveSeq(seq);
  }

  readChannel(...args: Parameters<Journal['readChannel']>): ReturnType<Journal['readChannel']> {
    return this.#read(this.#inner.readChannel(...args));
  }

  readChannelHead(...args: Parameters<Journal['readChannelHead']>): ReturnType<Journal['readChannelHead']> {
    return this.#read(this.#inner.readChannelHead(...args));
  }

  readEnvelopesAfter(
    ...args: Parameters<Journal['readEnvelopesAfter']>
  ): ReturnType<Journal['readEnvelopesAfter']> {
    return this.#read(this.#inner.readEnvelopesAfter(...args));
  }

  listChannels(...args: Parameters<Journal['listChannels']>): ReturnType<Journal['listChannels']> {
    return this.#read(this.#inner.listChannels(...args));
  }

  listOpen(): ReturnType<Journal['listOpen']> {
    return this.#read(this.#inner.listOpen());
  }

  listStale(...args: Parameters<Journal['listStale']>): ReturnType<Journal['listStale']> {
    return this.#read(this.#inner.listStale(...args));
  }

  readTurns(...args: Parameters<Journal['readTurns']>): ReturnType<Journal['readTurns']> {
    return this.#read(this.#inner.readTurns(...args));
  }

  hasTurnBefore(...args: Parameters<Journal['hasTurnBefore']>): ReturnType<Journal['hasTurnBefore']> {
    return this.#read(this.#inner.hasTurnBefore(...args));
  }

  findTurn(...args: Parameters<Journal['findTurn']>): ReturnType<Journal['findTurn']> {
    return this.#read(this.#inner.findTurn(...args));
  }

  readEnvelopes(...args: Parameters<Journal['readEnvelopes']>): ReturnType<Journal['readEnvelopes']> {
    return this.#read(this.#inner.readEnvelopes(...args));
  }

  findOutcome(...args: Parameters<Journal['findOutcome']>): ReturnType<Journal['findOutcome']> {
    return this.#read(this.#inner.findOutcome(...args));
  }

  windowStats(): ReturnType<Journal['windowStats']> {
    return this.#read(this.#inner.windowStats());
  }

  findTrimPoint(...args: Parameters<Journal['findTrimPoint']>): ReturnType<Journal['findTrimPoint']> {
    return this.#read(this.#inner.findTrimPoint(...args));
  }

  trim(...args: Parameters<Journal['trim']>): ReturnType<Journal['trim']> {
    return this.#read(this.#inner.trim(...args));
  }

  listSessions(...args: Parameters<Journal['listSessions']>): ReturnType<Journal['listSessions']> {
    return this.#read(this.#inner.listSessions(...args));
  }

  readClient(...args: Parameters<Journal['readClient']>): ReturnType<Journal['readClient']> {
    return this.#read(this.#inner.readClient(...args));
  }

  listClients(...args: Parameters<Journal['listClients']>): ReturnType<Journal['listClients']> {
    return this.#read(this.#inner.listClients(...args));
  }

  readContent(...args: Parameters<Journal['readContent']>): ReturnType<Journal['readContent']> {
    return this.#read(this.#inner.readContent(...args));
  }

  readMeta(...args: Parameters<Journal['readMeta']>): ReturnType<Journal['readMeta']> {
    return this.#read(this.#inner.readMeta(...args));
  }

  listTokens(): ReturnType<Journal['listTokens']> {
    return this.#read(this.#inner.listTokens());
  }

  listProcesses(): ReturnType<Journal['listProcesses']> {
    return this.#read(this.#inner.listProcesses());
  }

  diskUse(...args: Parameters<Journal['diskUse']>): ReturnType<Journal['diskUse']> {
    return this.#read(this.#inner.diskUse(...args));
  }

  wholeDiskUse(): ReturnType<Journal['wholeDiskUse']> {
    return this.#read(this.#inner.wholeDiskUse());
  }

  search(...args: Parameters<Journal['search']>): ReturnType<Journal['search']> {
    return this.#read(this.#inner.search(...args));
  }

  fillIndex(): ReturnType<Journal['fillIndex']> {
    return this.#read(this.#inner.fillIndex());
  }

  compact(): ReturnType<Journal['compact']> {
    return this.#read(this.#inner.compact());
  }

  async close(): Promise<void> {
    if (!this.#hasCrashed) await this.#inner.close();
  }

  async #read<T>(result: Promise<T>): Promise<T> {
    // The read has already happened: the gate delays only its result. The handler keeps an error handled meanwhile.
    void Promise.allSettled([result]);
    await this.#alive(this.gates.afterRead?.());
    return this.#alive(await result);
  }

  /** Resolves with `value`. Never settles after a crash. */
  async #alive<T>(value: Promise<T> | T): Promise<T> {
    const settled = await value;
    return this.#hasCrashed ? new Promise<T>(() => {}) : settled;
  }
}
