import type { Bench } from './bench.ts';

/** One check of a host: plays some rules and throws what {@link ./verdict.ts} has when they do not hold. */
export interface Check {
  /** Ids of `docs/rules.md`. */
  readonly rules: readonly string[];
  /** The expected behaviour, as a sentence. */
  readonly title: string;
  run(bench: Bench): Promise<void>;
}

/** Makes a check. */
export const check = (rules: string, title: string, run: Check['run']): Check => ({
  rules: rules.split(' '),
  title,
  run,
});
