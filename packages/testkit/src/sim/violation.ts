import { differenceOf } from './difference.ts';

/** The promises that a run is checked against, by a word each. */
export type Rule =
  | 'convergence'
  | 'durability'
  | 'numbers'
  | 'privacy'
  | 'once'
  | 'outcome'
  | 'owner'
  | 'questions'
  | 'search'
  | 'output'
  | 'import'
  | 'contents'
  | 'access'
  | 'leftover'
  | 'quiescence'
  | 'fault'
  | 'determinism';

/** Something that must always hold did not. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly rule: Rule;

  constructor(rule: Rule, message: string, options?: { cause?: unknown }) {
    super(`${rule}: ${message}`, options);
    this.rule = rule;
  }
}

/** Throws when two JSON-like values differ, and says where first. */
export function mustEqual(rule: Rule, what: string, actual: unknown, expected: unknown): void {
  const difference = differenceOf(actual, expected);
  if (difference !== undefined) throw new Violation(rule, `${what}: ${difference}`);
}

/** What went wrong in the middle of a run; thrown at its next check. */
export class FaultLog {
  readonly #found: Violation[] = [];

  note(rule: Rule, message: string): void {
    this.#found.push(new Violation(rule, message));
  }

  /** Throws the first, if there is one; the message tells the others. */
  check(): void {
    const [first, ...others] = this.#found;
    if (first === undefined) return;
    const shown = others.slice(0, 4).map(({ message }) => `\nand ${message}`);
    throw new Violation(first.rule, first.message.replace(/^\w+: /, '') + shown.join(''));
  }
}

/** In every error that a schedule makes, so that those can be told from faults of the host. */
export const SCHEDULED = 'the schedule says so';
