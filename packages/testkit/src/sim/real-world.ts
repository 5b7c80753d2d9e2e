import nodeCrypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { keepShellFiles, orderFileLookups, type ShellFiles } from './ordered-files.ts';
import { Violation } from './violation.ts';

/** Functions that would make a run depend on time and machine. */
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

const PRODUCT = /\/packages\/(?!testkit\/)[^/]+\/src\//;

/** The caller's stack frame, if it is product code. Other code in this process may use these functions. */
function asker(): string | undefined {
  const frames = new Error().stack?.split('\n').slice(1) ?? [];
  const caller = frames.find((frame) => !frame.includes('/sim/real-world.'));
  return caller !== undefined && PRODUCT.test(caller) ? caller : undefined;
}

/** Makes the product's random bytes the same in every run, until the returned function is called. */
function countSecrets(): () => void {
  const original = nodeCrypto.randomBytes;
  let count = 0;
  const counted = (size: number): Buffer => {
    if (asker() === undefined) return original(size);
    count += 1;
    return nodeCrypto.createHash('shake256', { outputLength: size }).update(`${count}`).digest();
  };
  Reflect.set(nodeCrypto, 'randomBytes', counted);
  syncBuiltinESMExports();
  return () => {
    Reflect.set(nodeCrypto, 'randomBytes', original);
    syncBuiltinESMExports();
  };
}

/**
 * Runs a simulation with ordered file lookups and shell files in memory. Rejects when the product used real
 * time, randomness or timers.
 */
export async function withoutRealWorld<T>(run: (files: ShellFiles) => Promise<T>): Promise<T> {
  const found: string[] = [];
  const restores = TRAPS.map(([holder, name]) => trap(holder, name, found));
  const files = new Map<string, string>();
  restores.push(keepShellFiles(files), orderFileLookups(), countSecrets());
  try {
    const result = await run(files);
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
    if (before === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, before);
  };
}
