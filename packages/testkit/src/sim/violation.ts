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
