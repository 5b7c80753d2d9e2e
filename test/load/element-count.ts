/** Methods that visit elements one by one or by a callback. */
const VISITS = [
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'flatMap',
  'forEach',
  'includes',
  'indexOf',
  'join',
  'lastIndexOf',
  'map',
  'reduce',
  'some',
  'sort',
  'toReversed',
  'toSorted',
  'entries',
  'keys',
  'values',
  Symbol.iterator,
] as const;

/** Methods that copy a block of memory. Reducers return a new list for each change, which costs little within the allowed lengths. */
const COPIES = ['concat', 'slice', 'splice'] as const;
const COPIED_AT_ONCE = 64;

/**
 * Counts the array elements that this process visits, by any method, during `work`. The count shows searches in growing lists on any
 * machine. Elements after an early hit count too.
 */
export async function elementsDuring(work: () => Promise<void>): Promise<number> {
  const { prototype } = Array;
  let count = 0;
  const restore: (() => void)[] = [];
  const wrap = (name: (typeof VISITS)[number] | (typeof COPIES)[number], weight: number): void => {
    const original = Object.getOwnPropertyDescriptor(prototype, name);
    if (original === undefined) throw new Error(`arrays have no ${String(name)}`);
    const { value: method } = original;
    Object.defineProperty(prototype, name, {
      ...original,
      value(this: unknown[], ...rest: unknown[]): unknown {
        count += this.length / weight;
        return Reflect.apply(method, this, rest);
      },
    });
    restore.push(() => Object.defineProperty(prototype, name, original));
  };
  for (const name of VISITS) wrap(name, 1);
  for (const name of COPIES) wrap(name, COPIED_AT_ONCE);
  try {
    await work();
  } finally {
    for (const undo of restore) undo();
  }
  return count;
}
