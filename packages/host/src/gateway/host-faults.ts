import type { FleetCell } from '../journal/postgres/fleet.ts';

/** Time for which a fault is remembered. Until then, no session is placed on the host. */
const REMEMBERED_MS = 30_000;

/** `unreachable`: no connection at the announced address. `refusesToken`: the host does not accept the token that the gateway has for it. */
export type HostFault = 'unreachable' | 'refusesToken';

interface Remembered {
  readonly fault: HostFault;
  readonly epoch: number;
  readonly url: string | undefined;
  readonly until: number;
}

/** The faults of hosts that this gateway has met. A fault ends when another host takes the cell, when the address changes, or after 30 s. */
export class HostFaults {
  readonly #now: () => number;
  readonly #byCell = new Map<string, Remembered>();

  /** `now`: ms of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers a fault. Returns false if it was known. */
  add(cell: FleetCell, fault: HostFault): boolean {
    const isNew = this.of(cell) !== fault;
    const { name, epoch, announcement } = cell;
    this.#byCell.set(name, { fault, epoch, url: announcement?.url, until: this.#now() + REMEMBERED_MS });
    return isNew;
  }

  /** The fault of a cell's host; `undefined`: none is known. */
  of({ name, epoch, announcement }: FleetCell): HostFault | undefined {
    const known = this.#byCell.get(name);
    if (known?.epoch === epoch && known.url === announcement?.url && this.#now() < known.until)
      return known.fault;
    this.#byCell.delete(name);
    return undefined;
  }

  /** Forgets the fault of a host that was reached. */
  clear({ name }: Pick<FleetCell, 'name'>, fault: HostFault): void {
    if (this.#byCell.get(name)?.fault === fault) this.#byCell.delete(name);
  }
}
