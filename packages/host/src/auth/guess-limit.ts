import { type Clock, steadyNow } from '../lib/clock.ts';
import { addressName, isLoopbackName } from './address-name.ts';

/** Wrong tokens in a row that one address may show before it is slowed: somebody mistypes, or several clients have an old one. */
const BURST = 20;
/** One more after so many ms. */
const REFILL_MS = 2_000;
/** The same for all addresses together, those that guess from many included; loopback has its own alone. */
const BURST_OF_ALL = 200;
const REFILL_OF_ALL_MS = 200;
/** Addresses that are remembered; the one that failed longest ago gives way. */
const MAX_ADDRESSES = 4_096;
/** Failures are told of once in so many ms. */
const TELL_MS = 60_000;

/** Failures that are held against somebody: each goes away after a while. */
interface Debt {
  count: number;
  at: number;
}

/**
 * Slows those who guess tokens [AUTH-1]. Nobody waits in a socket: who is slowed is answered at once, and told when to come back.
 */
export class GuessLimit {
  readonly #clock: Clock;
  readonly #tell: (failures: number, address: string) => void;
  readonly #debts = new Map<string, Debt>();
  readonly #all: Debt = { count: 0, at: 0 };
  #untold = 0;
  #toldAt: number | undefined;

  /** `tell` hears of failures, once a minute at most: how many there were since, and where the last one came from. */
  constructor(clock: Clock, tell: (failures: number, address: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** How long this address has to wait before it may try again, in ms; 0: it may now. */
  waitMs(address: string | undefined): number {
    const now = steadyNow(this.#clock);
    const name = addressName(address);
    const own = waitOf(this.#debts.get(name), now, BURST, REFILL_MS);
    return isLoopbackName(name) ? own : Math.max(own, waitOf(this.#all, now, BURST_OF_ALL, REFILL_OF_ALL_MS));
  }

  /** It has shown a wrong token. */
  failed(address: string | undefined): void {
    const now = steadyNow(this.#clock);
    const name = addressName(address);
    const debt = this.#debts.get(name) ?? { count: 0, at: now };
    // Behind all others.
    this.#debts.delete(name);
    this.#debts.set(name, debt);
    add(debt, now, BURST, REFILL_MS);
    if (!isLoopbackName(name)) add(this.#all, now, BURST_OF_ALL, REFILL_OF_ALL_MS);
    const [oldest] = this.#debts.keys();
    if (this.#debts.size > MAX_ADDRESSES && oldest !== undefined) this.#debts.delete(oldest);
    this.#untold += 1;
    if (this.#toldAt !== undefined && Math.abs(now - this.#toldAt) < TELL_MS) return;
    this.#tell(this.#untold, name);
    this.#toldAt = now;
    this.#untold = 0;
  }
}

/** What is left of it now. A clock that goes back forgives nothing, and holds nobody longer. */
function left(debt: Debt, now: number, refillMs: number): number {
  return Math.max(0, debt.count - Math.max(0, now - debt.at) / refillMs);
}

function add(debt: Debt, now: number, burst: number, refillMs: number): void {
  // Those who go on while they are slowed do not wait longer for it: others may share their address.
  debt.count = Math.min(burst, left(debt, now, refillMs) + 1);
  debt.at = now;
}

function waitOf(debt: Debt | undefined, now: number, burst: number, refillMs: number): number {
  if (debt === undefined) return 0;
  const over = left(debt, now, refillMs) - (burst - 1);
  return over <= 0 ? 0 : Math.ceil(over * refillMs);
}
