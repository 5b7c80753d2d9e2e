import { differenceOf } from './difference.ts';

/** Names of the rules that a run is checked against. */
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

/** A run broke a rule. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly rule: Rule;

  constructor(rule: Rule, message: string, options?: { cause?: unknown }) {
    super(`${rule}: ${message}`, options);
    this.rule = rule;
  }
}

/** Throws when two JSON-like values differ, with the first difference. */
export function mustEqual(rule: Rule, what: string, actual: unknown, expected: unknown): void {
  const difference = differenceOf(actual, expected);
  if (difference !== undefined) throw new Violation(rule, `${what}: ${difference}`);
}

/** Faults found during a run; thrown at its next check. */
export class FaultLog {
  readonly #found: Violation[] = [];

  note(rule: Rule, message: string): void {
    this.#found.push(new Violation(rule, message));
  }

  /** Throws the first fault; the message includes the others. */
  check(): void {
    const [first, ...others] = this.#found;
    if (first === undefined) return;
    const shown = others.slice(0, 4).map(({ message }) => `\nand ${message}`);
    throw new Violation(first.rule, first.message.replace(/^\w+: /, '') + shown.join(''));
  }
}

/** Part of every error that a schedule causes. It distinguishes them from faults of the host. */
export const SCHEDULED = 'the schedule says so';
