import { Emitter } from './emitter.ts';

/** How long a value without users stays open, so that going back to a view is instant. Milliseconds. */
const LINGER_MS = 20_000;

/** State of something that is being opened. */
export type Opened<T> =
  | { readonly state: 'opening' }
  | { readonly state: 'open'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown };

/** How to open and close a value. */
export interface Opener<T> {
  open(): Promise<T>;
  close(value: T): void;
}

/** One shared value of a cache. */
export class LiveEntry<T> {
  readonly #changed = new Emitter();
  readonly #opener: Opener<T>;
  readonly #forget: () => void;
  #opened: Opened<T> = { state: 'opening' };
  #users = 0;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(opener: Opener<T>, forget: () => void) {
    this.#opener = opener;
    this.#forget = forget;
    // A render that React discards opens a value and never holds it.
    this.#linger = setTimeout(() => this.close(), LINGER_MS);
    void this.#open();
  }

  get opened(): Opened<T> {
    return this.#opened;
  }

  /** Holds the value and calls `listener` after it changed. Returns a function that releases it. */
  hold = (listener: () => void): (() => void) => {
    this.#users += 1;
    clearTimeout(this.#linger);
    const stop = this.#changed.add(listener);
    return () => {
      stop();
      this.#users -= 1;
      if (this.#users === 0) this.#linger = setTimeout(() => this.close(), LINGER_MS);
    };
  };

  /** Opens again after a failure. */
  retry(): void {
    if (this.#opened.state !== 'failed') return;
    this.#set({ state: 'opening' });
    void this.#open();
  }

  /** Closes the value and leaves the cache. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#linger);
    this.#forget();
    if (this.#opened.state === 'open') this.#opener.close(this.#opened.value);
  }

  async #open(): Promise<void> {
    try {
      const value = await this.#opener.open();
      if (this.#isClosed) this.#opener.close(value);
      else this.#set({ state: 'open', value });
    } catch (error) {
      if (!this.#isClosed) this.#set({ state: 'failed', error });
    }
  }

  #set(opened: Opened<T>): void {
    this.#opened = opened;
    this.#changed.emit();
  }
}

/** Opens each value once for all views that use it, and closes it some time after the last one is gone. */
export class LiveCache {
  readonly #entries = new Map<string, LiveEntry<unknown>>();

  /**
   * The entry of a key, opened if it is new. All callers of one key must open values of one type: keys begin with the name of the type.
   */
  entry<T>(key: string, opener: Opener<T>): LiveEntry<T> {
    const present = this.#entries.get(key);
    // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- callers of one key share one type, as the docstring demands
    if (present !== undefined) return present as LiveEntry<T>;
    const entry = new LiveEntry<T>(opener, () => this.#entries.delete(key));
    this.#entries.set(key, entry);
    return entry;
  }

  /** The values that are open now. */
  *values(): Generator<unknown, void, undefined> {
    for (const { opened } of this.#entries.values()) if (opened.state === 'open') yield opened.value;
  }

  /** Closes all values. */
  clear(): void {
    for (const entry of Array.from(this.#entries.values())) entry.close();
  }
}
