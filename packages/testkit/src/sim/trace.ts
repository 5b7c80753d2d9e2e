/** What happened, line by line, for whoever looks for a fault: `TRACE=1 SEED=7` prints it. */
export class Trace {
  readonly #isOn: boolean;
  readonly #now: () => number;
  readonly #startedAt: number;

  constructor(now: () => number, isOn = process.env['TRACE'] !== undefined) {
    this.#isOn = isOn;
    this.#now = now;
    this.#startedAt = now();
  }

  note(who: string, what: string): void {
    if (!this.#isOn) return;
    const text = what.length > 300 ? `${what.slice(0, 300)}…` : what;
    process.stdout.write(`${this.#now() - this.#startedAt} ${who} ${text}\n`);
  }
}
