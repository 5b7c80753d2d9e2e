import type { Cancel, Timers } from '../../lib/clock.ts';
import { ANSWER_BYTES, type Lagging, type Reader, UnreadAnswers } from './unread-answers.ts';

/** Large answers that are made at the same time: each may read and write megabytes. Answers to `admin` tokens are not counted. */
export const MAX_RUNNING_ANSWERS = 4;

/** Limit for one token. It is lower for tokens that are not `admin`, so that another token finds a slot. */
const MAX_RUNNING_ANSWERS_OF_TOKEN = { admin: MAX_RUNNING_ANSWERS, other: MAX_RUNNING_ANSWERS / 2 } as const;

/** Interval at which unread answers are measured while requests wait for them to be read. */
const LOOK_MS = 250;

/** Measurements (10 s) after which a client that does not read is closed to make room for others of its token. */
const PATIENCE_LOOKS = 40;

/** Measurements (500 ms) after which it is closed if a token without unread answers waits. */
const NEWCOMER_LOOKS = 2;

/** A client that takes fewer bytes than this while others wait counts as not reading. */
const LEAST_TAKEN_BYTES = 64 * 1024;

/** The part of a connection that the queue needs. */
export interface QueuedConnection extends Reader {
  /** Closes the connection because its client does not read its answers. */
  cutOff(): void;
}

/** The requests of one token. */
interface Line<C> {
  readonly waiting: { readonly connection: C; readonly mostBytes: number; readonly begin: () => void }[];
  runningCount: number;
}

/**
 * Admits requests with large answers a few at a time: each answer costs time and memory, and after a restart all clients reconnect in the same
 * second. One request starts in each iteration of the event loop, so that other work runs in between. Tokens take turns, `admin` tokens first. The
 * unread answers of a token delay only that token. The requests of one token run in order.
 */
export class AdmissionQueue<C extends QueuedConnection> {
  readonly #timers: Timers;
  /** By token hash, the next token first. */
  readonly #lines = new Map<string, Line<C>>();
  readonly #unread = new UnreadAnswers<C>();
  /** Waiting and running requests, by connection. */
  readonly #counts = new Map<C, number>();
  /** Running requests, those of `admin` tokens not counted. */
  #runningCount = 0;
  #isTurnTaken = false;
  #cancelLook: Cancel | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * Runs `work` in its turn, synchronously if that is now. If the connection closes before, `work` does not run and the promise never settles.
   * A running request counts as `mostBytes` of unread answers.
   */
  async run<T>(connection: C, work: () => Promise<T>, mostBytes = ANSWER_BYTES): Promise<T> {
    const line = this.#lineOf(connection);
    this.#count(connection, 1);
    if (line.waiting.length === 0 && this.#isOpen(connection)) this.#begin(connection, mostBytes);
    else {
      await new Promise<void>((begin) => {
        line.waiting.push({ connection, mostBytes, begin });
        this.#watch();
      });
    }
    try {
      return await work();
    } finally {
      // By then the answer is in the outbox.
      this.#timers.immediate(() => this.#answered(connection, mostBytes));
    }
  }

  /** Whether a request of the connection waits or runs. */
  has(connection: C): boolean {
    return this.#counts.has(connection);
  }

  /** Call it when the transport of a connection has written its buffer. */
  drained(connection: C): void {
    if (this.#unread.read(connection)) this.#next();
  }

  /** Call it when a connection has closed. */
  closed(connection: C): void {
    const line = this.#lines.get(connection.identity.tokenHash);
    if (line !== undefined) {
      const others = line.waiting.filter((each) => each.connection !== connection);
      this.#count(connection, others.length - line.waiting.length);
      line.waiting.splice(0, line.waiting.length, ...others);
      this.#tidy(connection);
    }
    this.#unread.read(connection);
    this.#next();
  }

  #isOpen(connection: C): boolean {
    if (this.#isTurnTaken) return false;
    const { scope } = connection.identity;
    const { runningCount } = this.#lineOf(connection);
    if (scope === 'admin') {
      if (runningCount >= MAX_RUNNING_ANSWERS_OF_TOKEN.admin) return false;
    } else if (
      runningCount >= MAX_RUNNING_ANSWERS_OF_TOKEN.other ||
      this.#runningCount >= MAX_RUNNING_ANSWERS
    )
      return false;
    return this.#unread.hasRoom(connection);
  }

  #begin(connection: C, mostBytes: number): void {
    const { tokenHash } = connection.identity;
    const line = this.#lineOf(connection);
    // The token goes behind the others.
    this.#lines.delete(tokenHash);
    this.#lines.set(tokenHash, line);
    this.#running(connection, 1);
    this.#unread.begin(connection, mostBytes);
    this.#isTurnTaken = true;
    this.#timers.immediate(() => {
      this.#isTurnTaken = false;
      this.#next();
    });
  }

  #next(): void {
    const line = this.#nextLine();
    const first = line?.waiting.shift();
    if (first !== undefined) {
      this.#begin(first.connection, first.mostBytes);
      first.begin();
    }
    this.#watch();
  }

  /** Picks the next token among those that may begin: an admin's first, then the one with the fewest running requests, then the one that has waited longest. */
  #nextLine(): Line<C> | undefined {
    const rankOf = ({ waiting: [first], runningCount }: Line<C>): number =>
      first?.connection.identity.scope === 'admin' ? -1 : runningCount;
    return [...this.#lines.values()]
      .filter(({ waiting: [first] }) => first !== undefined && this.#isOpen(first.connection))
      .toSorted((one, other) => rankOf(one) - rankOf(other))[0];
  }

  #answered(connection: C, mostBytes: number): void {
    this.#running(connection, -1);
    this.#count(connection, -1);
    this.#unread.end(connection, mostBytes);
    this.#tidy(connection);
    this.#next();
  }

  #running(connection: C, by: 1 | -1): void {
    this.#lineOf(connection).runningCount += by;
    if (connection.identity.scope !== 'admin') this.#runningCount += by;
  }

  #count(connection: C, by: number): void {
    const count = (this.#counts.get(connection) ?? 0) + by;
    if (count === 0) this.#counts.delete(connection);
    else this.#counts.set(connection, count);
  }

  #lineOf({ identity: { tokenHash } }: C): Line<C> {
    const known = this.#lines.get(tokenHash);
    if (known !== undefined) return known;
    const line: Line<C> = { waiting: [], runningCount: 0 };
    this.#lines.set(tokenHash, line);
    return line;
  }

  #tidy({ identity: { tokenHash } }: C): void {
    const line = this.#lines.get(tokenHash);
    if (line?.waiting.length === 0 && line.runningCount === 0) this.#lines.delete(tokenHash);
  }

  /** Of each token that waits for answers to be read: the connection of its first request. */
  #stuck(): C[] {
    return [...this.#lines.values()]
      .flatMap(({ waiting }) => waiting.slice(0, 1))
      .flatMap(({ connection }) => (this.#unread.hasRoom(connection) ? [] : [connection]));
  }

  /** Starts or stops the measurements. They run while requests wait for answers to be read. */
  #watch(): void {
    const isStuck = this.#stuck().length > 0;
    if (isStuck === (this.#cancelLook !== undefined)) return;
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    if (!isStuck) return;
    this.#cancelLook = this.#timers.after(LOOK_MS, () => {
      this.#cancelLook = undefined;
      this.#look();
      this.#watch();
    });
  }

  #look(): void {
    this.#unread.look();
    for (const { identity } of this.#stuck()) {
      if (!this.#unread.isWithinShare(identity)) this.#makeRoom(identity.tokenHash);
      else if (!this.#unread.hasAny(identity)) this.#makeRoomForNewcomer();
      else this.#makeRoom(this.#unread.fullest()[0] ?? identity.tokenHash);
    }
  }

  /** Closes the connections of a token that have not read for a long time. If all of them read, it closes the slowest one. */
  #makeRoom(tokenHash: string): void {
    const late = this.#unread.laggingOf(tokenHash).filter(({ lookCount }) => lookCount >= PATIENCE_LOOKS);
    const stalled = late.filter(isStalled);
    const slowest = late.toSorted((one, other) => one.takenBytes - other.takenBytes).slice(0, 1);
    // The others get the same time again.
    if (stalled.length === 0 && slowest.length > 0) this.#unread.restartLooks(tokenHash);
    for (const { connection } of stalled.length === 0 ? slowest : stalled) this.#cutOff(connection);
  }

  /** Closes one connection that does not read, of the token with the most unread bytes. The next measurement may close another one. */
  #makeRoomForNewcomer(): void {
    for (const tokenHash of this.#unread.fullest()) {
      const stalled = this.#unread
        .laggingOf(tokenHash)
        .find((each) => each.lookCount >= NEWCOMER_LOOKS && isStalled(each));
      if (stalled === undefined) continue;
      this.#cutOff(stalled.connection);
      return;
    }
  }

  #cutOff(connection: C): void {
    this.#unread.blame(connection.identity, PATIENCE_LOOKS);
    connection.cutOff();
  }
}

const isStalled = ({ takenBytes }: Lagging<unknown>): boolean => takenBytes < LEAST_TAKEN_BYTES;
