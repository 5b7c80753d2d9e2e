/** Random numbers that are the same for the same seed. */
export class SeededRandom {
  #state: number;

  /** `seed`: an integer or a text. */
  constructor(seed: number | string) {
    this.#state = typeof seed === 'number' ? seed >>> 0 : hash(seed);
  }

  /** A number x with 0 ≤ x < 1. A field, so that callers can pass it as a function. */
  readonly next = (): number => {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };

  /** An integer from 0 to `below`, exclusive. */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** An integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number {
    return least + this.int(most - least + 1);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An entry of a list. Throws when it is empty. */
  pick<T extends NonNullable<unknown>>(list: readonly T[]): T {
    return list[this.int(list.length)] ?? fail();
  }

  /** A key, chosen in proportion to its weight. Throws when all weights are 0. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const keys = Object.keys(weights).filter((key): key is K => key in weights);
    const total = keys.reduce((sum, key) => sum + weights[key], 0);
    let rest = this.next() * total;
    for (const key of keys) {
      rest -= weights[key];
      if (rest < 0) return key;
    }
    return fail();
  }

  /** A generator for a seed and a name, independent of all others. */
  static of(seed: number, name: string): SeededRandom {
    return new SeededRandom(`${seed}/${name}`);
  }

  /** `digits` hexadecimal digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.int(16).toString(16)).join('');
  }
}

function fail(): never {
  throw new Error('nothing to pick from');
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
