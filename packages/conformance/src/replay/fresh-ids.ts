import { isObject } from '../recording/entry.ts';

/** Members whose text names something that the host made. */
const ID_NAME = /^(?:id|.*Id|.*Uri|uri|resource|channel|chat|session|defaultChat|cursor|.*Cursor)$/;

/** Levels that are compared or replaced. */
const MAX_DEPTH = 130;

/**
 * Names of a recording and those that stand for them in the replay. Clients' ids and the URIs that clients chose are
 * replaced by fresh ones; the host's are learned by comparing its recorded messages with the present ones.
 */
export class FreshIds {
  readonly #names = new Map<string, string>();
  readonly #awaited = new Set<string>();
  /** Texts that a client wrote before the host did. */
  readonly #said = new Set<string>();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Gives a name of the client's a fresh one: its last part is replaced. */
  renew(name: string): void {
    if (this.#names.has(name)) return;
    const [, head = ''] = /^(.*[/:])?[^/:]*$/s.exec(name) ?? [];
    this.#names.set(name, `${head}${this.#newId()}`);
  }

  /** Notes texts of a client's message: what it names first, the host did not make. */
  say(value: unknown, depth = 0): void {
    if (typeof value === 'string') this.#said.add(value);
    else if (typeof value === 'object' && value !== null && depth <= MAX_DEPTH)
      for (const member of Object.values(value)) this.say(member, depth + 1);
  }

  /** Notes names that the host made in the recording, so that messages with them can wait. */
  expect(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'string') this.expect(member, depth + 1);
      else if (ID_NAME.test(name) && !this.#said.has(member)) this.#awaited.add(member);
    }
  }

  /** Learns names from two messages of the same kind, by equal paths. */
  learn(recorded: unknown, present: unknown, depth = 0): void {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(recorded) && Array.isArray(present)) {
      // The ends are compared, because lists such as those of sessions differ in length.
      recorded.forEach((item, index) => this.learn(item, present[index], depth + 1));
      return;
    }
    if (!isObject(recorded) || !isObject(present)) return;
    for (const [name, before] of Object.entries(recorded)) {
      const now = present[name];
      if (typeof before !== 'string' || typeof now !== 'string') this.learn(before, now, depth + 1);
      else if (ID_NAME.test(name) && !this.#names.has(before)) this.#names.set(before, now);
    }
  }

  /** Whether a message names something of the host's that is not known yet. */
  isAwaited(value: unknown, depth = 0): boolean {
    if (typeof value === 'string') return this.#awaited.has(value) && !this.#names.has(value);
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
    return Object.values(value).some((member) => this.isAwaited(member, depth + 1));
  }

  /** A copy with the names of the replay. */
  replace(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.#nameOf(value);
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item) => this.replace(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.#nameOf(name), this.replace(member, depth + 1)]),
    );
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    // URIs below a channel's, such as those of its annotations.
    const slash = text.lastIndexOf('/');
    const parent = slash > 0 ? this.#names.get(text.slice(0, slash)) : undefined;
    return parent === undefined ? text : `${parent}${text.slice(slash)}`;
  }
}
