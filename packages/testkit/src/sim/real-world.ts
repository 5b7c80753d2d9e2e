import { Violation } from './violation.ts';

type Calls = Record<string, unknown>;

/** What would make a run depend on when and where it runs. */
const TRAPS: readonly (readonly [holder: object, name: string])[] = [
  [Math, 'random'],
  [Date, 'now'],
  [performance, 'now'],
  [globalThis, 'setTimeout'],
  [globalThis, 'setInterval'],
  [globalThis, 'setImmediate'],
  [crypto, 'randomUUID'],
  [crypto, 'getRandomValues'],
];

/** Who asked, if it was the product: others in this process may ask as they like. */
const asker = (): string | undefined =>
  new Error().stack?.split('\n').find((line) => /\/packages\/(?!testkit\/)[^/]+\/src\//.test(line));

/** Runs a simulation, and rejects when the product asked for real time, chance or timers meanwhile. */
export async function withoutRealWorld<T>(run: () => Promise<T>): Promise<T> {
  const found: string[] = [];
  const restores = TRAPS.map(([holder, name]) => trap(holder, name, found));
  try {
    const result = await run();
    const [first] = found;
    if (first !== undefined) throw new Violation('determinism', first);
    return result;
  } finally {
    for (const restore of restores) restore();
  }
}

function trap(holder: object, name: string, found: string[]): () => void {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  const original: unknown = Reflect.get(holder, name);
  if (typeof original !== 'function') throw new Error(`nothing to trap: ${name}`);
  const trapped = (...args: unknown[]): unknown => {
    const by = asker();
    if (by !== undefined) found.push(`${name} was called by ${by.trim()}`);
    return Reflect.apply(original, holder, args);
  };
  Object.defineProperty(holder, name, { value: trapped, configurable: true, writable: true });
  return () => {
    if (before === undefined) delete (holder as Calls)[name];
    else Object.defineProperty(holder, name, before);
  };
}
