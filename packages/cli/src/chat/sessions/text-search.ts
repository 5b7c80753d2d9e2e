import type { Environment } from '../app/environment.ts';

/** Finds sessions by what was said in them, where the host can do that. */
export class TextSearch {
  readonly #env: Environment;
  #snippets: ReadonlyMap<string, string> = new Map();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Where sessions say what is looked for, by session. */
  get snippets(): ReadonlyMap<string, string> {
    return this.#snippets;
  }

  /** Looks for something else; '' for nothing. */
  look(_query: string): void {
    this.#snippets = new Map();
    this.#env.changed();
  }

  dispose(): void {
    this.#snippets = new Map();
  }
}
