import type { Check, Fault } from './fault.ts';
import { type Problem, problemOf, quote } from './sentence.ts';

/** Deepest nesting that a check follows where the schema itself sets no bound (configuration schemas). */
export const NESTING_LIMIT = 128;

/** True when `value` nests deeper than {@link NESTING_LIMIT}. Walks without recursion, so that no depth harms it. */
function isNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > NESTING_LIMIT) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** Why a value was refused. */
export interface Refused {
  ok: false;
  /** One sentence with the path in it, such as `params.message.text: must be a string`. */
  error: string;
  /** The same in two parts; absent where no part of the value is at fault, such as for an unknown method. */
  problem?: Problem;
}

/** Params that fit, or why they do not. */
export type CheckedParams<T> = { ok: true; params: T } | Refused;

/** Compiled checks by name. */
export interface Table {
  checks: Record<string, Check>;
  /** Names of the checks whose values nest without a bound of the schema's own. */
  nesting: string[];
  lastFaults: () => Fault[];
  /** Name of the value in errors. */
  root: string;
}

/** Why a value does not fit the check of that name; `undefined` when it fits. */
export function refusal(
  { checks, nesting, lastFaults, root }: Table,
  kind: string,
  name: string,
  value: unknown,
): string | Problem | undefined {
  // Names come from the wire: an inherited one such as `constructor` is unknown like any other.
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check === undefined) return `unknown ${kind} ${quote(name)}`;
  if (nesting.includes(name) && isNestedTooDeep(value))
    return { path: root, problem: `nests deeper than ${NESTING_LIMIT} levels` };
  return check(value) ? undefined : problemOf(lastFaults(), root);
}

/** Narrows a value that passed its check: the one place where a value from the wire gets its type. */
export function hasPassed<T>(error: string | Problem | undefined, _value: unknown): _value is T {
  return error === undefined;
}

/** A refusal with this sentence, or with this problem. */
export const refused = (error: string | Problem = ''): Refused =>
  typeof error === 'string'
    ? { ok: false, error }
    : { ok: false, error: `${error.path}: ${error.problem}`, problem: error };
