import { type Clock, steadyNow } from '../lib/clock.ts';
import { addressName, isLoopbackName } from './address-name.ts';

/** Wrong tokens that one address may send before it is throttled. Users mistype, and several clients may have an old token. */
const BURST = 20;
/** Time after which one more is allowed. */
const REFILL_MS = 2_000;
/** Limit for all addresses together, against guesses from many addresses. Loopback is not included. */
const BURST_OF_ALL = 200;
const REFILL_OF_ALL_MS = 200;
/** Limit of remembered addresses. The one that failed longest ago is dropped first. */
const MAX_ADDRESSES = 4_096;
/** Minimum time between two reports of failures. */
const TELL_MS = 60_000;

/** Failures of one address. Each expires after a while. */
interface Debt {
  count: number;
  at: number;
}

/**
 * Rate limit of wrong tokens [AUTH-1]. A throttled request is refused at once with the time to wait.
 */
export class GuessLimit {
  readonly #clock: Clock;
  readonly #tell: (failures: number, address: string) => void;
  readonly #debts = new Map<string, Debt>();
  readonly #all: Debt = { count: 0, at: 0 };
  #untold = 0;
  #toldAt: number | undefined;

  /** `tell` is called at most once a minute with the number of failures since its last call and the address of the latest. */
  constructor(clock: Clock, tell: (failures: number, address: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Time in ms until this address may try again; 0: at once. */
  waitMs(address: string | undefined): number {
    const now = steadyNow(this.#clock);
    const name = addressName(address);
    const own = waitOf(this.#debts.get(name), now, BURST, REFILL_MS);
    return isLoopbackName(name) ? own : Math.max(own, waitOf(this.#all, now, BURST_OF_ALL, REFILL_OF_ALL_MS));
  }

  /** Counts a wrong token of this address. */
  failed(address: string | undefined): void {
    const now = steadyNow(this.#clock);
    const name = addressName(address);
    const debt = this.#debts.get(name) ?? { count: 0, at: now };
    // Moves the address to the end of the order.
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

/** The failures that have not expired. A clock that goes back neither expires failures nor extends a wait. */
function left(debt: Debt, now: number, refillMs: number): number {
  return Math.max(0, debt.count - Math.max(0, now - debt.at) / refillMs);
}

function add(debt: Debt, now: number, burst: number, refillMs: number): void {
  // Further guesses do not extend the wait, since others may share the address.
  debt.count = Math.min(burst, left(debt, now, refillMs) + 1);
  debt.at = now;
}

function waitOf(debt: Debt | undefined, now: number, burst: number, refillMs: number): number {
  if (debt === undefined) return 0;
  const over = left(debt, now, refillMs) - (burst - 1);
  return over <= 0 ? 0 : Math.ceil(over * refillMs);
}
