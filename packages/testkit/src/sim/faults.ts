import { type Rule, Violation } from './violation.ts';

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
