import { type Run, simulate, stepNumbers } from './simulate.ts';
import { Trace } from './trace.ts';
import { Violation } from './violation.ts';
import { worldOptionsOf } from './world-options.ts';

/** The result of shrinking a failed run. */
export interface Shrunk {
  readonly run: Run;
  readonly error: unknown;
  /** Remaining steps. */
  readonly stepCount: number;
  /** Number of replays. */
  readonly replays: number;
}

/** The kind of a failure: the violated rule, or the name of the error. */
const kindOf = (error: unknown): string =>
  error instanceof Violation ? error.rule : error instanceof Error ? error.name : String(error);

async function failureOf(run: Run, play: (run: Run) => Promise<unknown>): Promise<unknown> {
  try {
    await play(run);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * Leaves out steps without which a failed run still fails in the same way: first all steps of one kind, then
 * smaller and smaller ranges. Deterministic. `maxReplays`: default 300. `play`: default `simulate`.
 */
export async function shrink(
  failed: Run,
  error: unknown,
  { maxReplays = 300, play = simulate }: { maxReplays?: number; play?: (run: Run) => Promise<unknown> } = {},
): Promise<Shrunk> {
  const total = failed.stepCount * (failed.auditCount ?? 1);
  let replays = 0;
  let last = error;
  let without: ReadonlySet<number> = new Set(failed.without);
  const tryWithout = async (more: readonly number[]): Promise<void> => {
    const fresh = more.filter((index) => !without.has(index));
    if (fresh.length === 0 || replays >= maxReplays) return;
    replays += 1;
    const candidate = new Set([...without, ...fresh]);
    const found = await failureOf({ ...failed, without: candidate, trace: new Trace() }, play);
    if (found === undefined || kindOf(found) !== kindOf(error)) return;
    without = candidate;
    last = found;
  };
  for (const numbers of stepNumbers(worldOptionsOf(failed.seed), total).values()) await tryWithout(numbers);
  const left = (): number[] =>
    Array.from({ length: total }, (_, index) => index).filter((index) => !without.has(index));
  for (let size = Math.ceil(left().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    const steps = left();
    for (let at = 0; at < steps.length; at += size) await tryWithout(steps.slice(at, at + size));
  }
  return { run: { ...failed, without }, error: last, stepCount: left().length, replays };
}
