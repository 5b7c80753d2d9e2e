import type { Cancel, Timers } from '../../lib/clock.ts';
import { ANSWER_BYTES, type Lagging, type Reader, UnreadAnswers } from './unread-answers.ts';

/** Answers under way at once: each may read and write megabytes. Of all tokens but admins', which have slots of their own. */
export const MAX_RUNNING_ANSWERS = 4;

/** Answers under way at once of one token; of one that is no admin's fewer, so that another finds a slot. */
const MAX_RUNNING_ANSWERS_OF_TOKEN = { admin: MAX_RUNNING_ANSWERS, other: MAX_RUNNING_ANSWERS / 2 } as const;

/** How often those are looked at that do not read while others wait for the room that their answers take. */
const LOOK_MS = 250;

/** Looks after which a client that does not read makes room for others of its own token: 10 s. */
const PATIENCE_LOOKS = 40;

/** The same for a token that has nothing unread: half a second. */
const NEWCOMER_LOOKS = 2;

/** A client that takes fewer bytes than this while others wait counts as not reading. */
const LEAST_TAKEN_BYTES = 64 * 1024;

/** A connection, as far as it matters here. */
export interface QueuedConnection extends Reader {
  /** Ends it: it does not read, and others wait. */
  cutOff(): void;
}

/** The requests of one token. */
interface Line<C> {
  readonly waiting: { readonly connection: C; readonly mostBytes: number; readonly begin: () => void }[];
  runningCount: number;
}

/**
 * Lets answers that may be large be made a few at a time, however many are asked for at once: each costs time and memory, and after a restart all
 * clients come in one second. One begins in each turn of the event loop, so that others are answered in between. Tokens take turns, admins'
 * first, and what one token leaves unread holds up that token alone; within a token requests wait in order.
 */
export class AdmissionQueue<C extends QueuedConnection> {
  readonly #timers: Timers;
  /** By token, the next one first. */
  readonly #lines = new Map<string, Line<C>>();
  readonly #unread = new UnreadAnswers<C>();
  /** Requests that wait or are under way, by connection. */
  readonly #counts = new Map<C, number>();
  /** Of all tokens but admins'. */
  #runningCount = 0;
  #isTurnTaken = false;
  #cancelLook: Cancel | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * Runs `work` when it is its turn, in this very call if that is now. Of a connection that closes before nothing is run, or settles. Until
   * its answer is made it counts as `mostBytes` that are not read.
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
      // When the answer has been handed over.
      this.#timers.immediate(() => this.#answered(connection, mostBytes));
    }
  }

  /** Whether it waits for its turn or has it. */
  has(connection: C): boolean {
    return this.#counts.has(connection);
  }

  /** The client has taken what was written for it. */
  drained(connection: C): void {
    if (this.#unread.read(connection)) this.#next();
  }

  /** The connection is over. */
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
    // The other tokens come first now.
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

  /** The first that waits of each token that finds no room because answers are not read. */
  #stuck(): C[] {
    return [...this.#lines.values()]
      .flatMap(({ waiting }) => waiting.slice(0, 1))
      .flatMap(({ connection }) => (this.#unread.hasRoom(connection) ? [] : [connection]));
  }

  /** While some wait because others do not read, those are looked at. */
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

  /** Cuts off those of a token that have taken next to nothing for long; where all of them read, the slowest. */
  #makeRoom(tokenHash: string): void {
    const late = this.#unread.laggingOf(tokenHash).filter(({ lookCount }) => lookCount >= PATIENCE_LOOKS);
    const deaf = late.filter(isDeaf);
    const slowest = late.toSorted((one, other) => one.takenBytes - other.takenBytes).slice(0, 1);
    // The others get as long again.
    if (deaf.length === 0 && slowest.length > 0) this.#unread.spare(tokenHash);
    for (const { connection } of deaf.length === 0 ? slowest : deaf) this.#cutOff(connection);
  }

  /** Cuts off one that does not read, of the token that leaves the most unread. The next look takes the next. */
  #makeRoomForNewcomer(): void {
    for (const tokenHash of this.#unread.fullest()) {
      const deaf = this.#unread
        .laggingOf(tokenHash)
        .find((each) => each.lookCount >= NEWCOMER_LOOKS && isDeaf(each));
      if (deaf === undefined) continue;
      this.#cutOff(deaf.connection);
      return;
    }
  }

  #cutOff(connection: C): void {
    this.#unread.blame(connection.identity, PATIENCE_LOOKS);
    connection.cutOff();
  }
}

const isDeaf = ({ takenBytes }: Lagging<unknown>): boolean => takenBytes < LEAST_TAKEN_BYTES;
