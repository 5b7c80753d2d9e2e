import { ErrorCodes, type URI } from '@agenthost/protocol';
import { wireCodeOf } from '../../host-link/host-errors.ts';
import { oneLine } from '../../render/plain-text.ts';
import { type Environment, messageOf } from '../app/environment.ts';

const SEARCH_DELAY_MS = 200;
const MIN_QUERY_LENGTH = 2;
const MAX_HITS = 50;

/** Finds sessions by their messages, if the host has a search. A host without one is asked once. */
export class TextSearch {
  readonly #env: Environment;
  #snippets: ReadonlyMap<URI, string> = new Map();
  #query = '';
  #cancel: (() => void) | undefined;
  #isSupported = true;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Matches by session. */
  get snippets(): ReadonlyMap<URI, string> {
    return this.#snippets;
  }

  /** Starts another search; '' ends the search. */
  look(query: string): void {
    this.#cancel?.();
    this.#query = query;
    this.#snippets = new Map();
    if (!this.#isSupported || query.length < MIN_QUERY_LENGTH) return;
    this.#cancel = this.#env.later(SEARCH_DELAY_MS, () => void this.#ask(query));
  }

  dispose(): void {
    this.#cancel?.();
  }

  async #ask(query: string): Promise<void> {
    try {
      const { items } = await this.#env.client.sessions.search(query, { limit: MAX_HITS });
      if (this.#query !== query) return;
      const snippets = new Map<URI, string>();
      for (const { session, field, snippet } of items) {
        // The list filters titles itself.
        if (field !== 'title' && !snippets.has(session.resource))
          snippets.set(session.resource, oneLine(snippet));
      }
      this.#snippets = snippets;
      this.#env.changed();
    } catch (error) {
      if (wireCodeOf(error) === ErrorCodes.MethodNotFound) this.#isSupported = false;
      else if (this.#query === query) this.#env.notice(`search: ${messageOf(error)}`, 'problem');
    }
  }
}
