import type { ClientMemory } from '@agenthost/client';
import { storageName } from '../live/storage-name.ts';

/** Largest number of tabs whose identity a later tab can continue. */
const MAX_SLOTS = 16;

/**
 * The number of this tab among the tabs of this browser. A later tab with the same number continues the life of this one, with its unanswered
 * actions. A lock reserves the number until the tab is closed. `undefined`: the browser has no locks (a page over plain HTTP from another machine),
 * or too many tabs are open.
 */
async function takeSlot(): Promise<number | undefined> {
  const locks: LockManager | undefined = window.isSecureContext ? navigator.locks : undefined;
  if (locks === undefined) return undefined;
  for (let slot = 0; slot < MAX_SLOTS; slot += 1)
    if (await holdLock(locks, storageName(`life.${slot}`))) return slot;
  return undefined;
}

function holdLock(locks: LockManager, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const holding = locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      // A promise that stays open holds the lock until the tab ends.
      return lock === null ? undefined : new Promise<void>(() => undefined);
    });
    holding.catch(reject);
  });
}

/** Where the clients of this tab keep their identity and unanswered actions. */
export class PageLife {
  readonly #storage: Storage | undefined;
  readonly #slot: string;

  private constructor(storage: Storage | undefined, slot: string) {
    this.#storage = storage;
    this.#slot = slot;
  }

  /** Continues the life of an earlier tab, or begins one. */
  static async begin(): Promise<PageLife> {
    try {
      const slot = await takeSlot();
      // Storage of the tab survives its reload, but not its end.
      return slot === undefined
        ? new PageLife(sessionStorage, 'tab')
        : new PageLife(localStorage, String(slot));
    } catch {
      // The browser denies storage: a reload loses what has no answer yet.
      return new PageLife(undefined, 'none');
    }
  }

  /** The memory for the client of a host. */
  memoryOf(hostId: string): ClientMemory {
    const key = this.#key(hostId);
    return {
      load: () => this.#storage?.getItem(key),
      save: (text) => this.#storage?.setItem(key, text),
    };
  }

  /** Forgets the life at a host, for example after a sign-in with another token. */
  forget(hostId: string): void {
    this.#storage?.removeItem(this.#key(hostId));
  }

  #key(hostId: string): string {
    return storageName(`life.${this.#slot}.${hostId}`);
  }
}
