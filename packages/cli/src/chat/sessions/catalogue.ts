import { ErrorCodes, ROOT_URI, type SessionSummary, type URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { wireCodeOf } from '../../host-link/host-errors.ts';
import { oneLine } from '../../render/plain-text.ts';
import { type Environment, messageOf } from '../app/environment.ts';

const PAGE_SIZE = 500;

/** Number of full listings after which a missing session counts as not listed. */
const MAX_TRIES = 3;

/** The host's sessions, kept up to date by its notifications, and read anew after each reconnection. */
export class SessionCatalogue {
  readonly #env: Environment;
  readonly #sessions = new Map<URI, SessionSummary>();
  readonly #stops: (() => void)[] = [];
  #isLoading = false;
  #mustReload = false;
  /** Changes that notifications told while pages were loading. The pages may lack them. */
  readonly #heard = new Set<URI>();
  /** How often the list was read for a session that is not here. */
  readonly #tries = new Map<URI, number>();

  constructor(env: Environment) {
    this.#env = env;
  }

  get all(): Iterable<SessionSummary> {
    return this.#sessions.values();
  }

  get count(): number {
    return this.#sessions.size;
  }

  get isLoading(): boolean {
    return this.#isLoading;
  }

  get(uri: URI): SessionSummary | undefined {
    return this.#sessions.get(uri);
  }

  /** Begins to follow. The client must be subscribed to the root. */
  start(): void {
    const { client } = this.#env;
    this.#stops.push(
      client.onNotification('root/sessionAdded', ({ summary }) => this.#hear(summary)),
      client.onNotification('root/sessionRemoved', ({ session }) => {
        this.#sessions.delete(session);
        this.#env.changed();
      }),
      client.onNotification('root/sessionSummaryChanged', ({ session, changes }) => {
        const before = this.#sessions.get(session);
        if (before === undefined) return this.#look(session);
        const { activity, ...rest } = { ...before, ...changes };
        this.#hear(activity === undefined || activity === '' ? rest : { ...rest, activity });
      }),
      // Notifications that came meanwhile are lost [CONN-5].
      client.onStatus(({ state }) => {
        if (state === 'online') void this.#load();
      }),
    );
    void this.#load();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }

  #hear(summary: SessionSummary): void {
    this.#heard.add(summary.resource);
    this.#set(summary);
  }

  /** A session that no page had: it moved to one that had been read. */
  #look(session: URI): void {
    const tries = this.#tries.get(session) ?? 0;
    if (tries === MAX_TRIES) return;
    this.#tries.set(session, tries + 1);
    void this.#load();
  }

  #set(summary: SessionSummary): void {
    this.#tries.delete(summary.resource);
    this.#sessions.set(summary.resource, summary);
    this.#env.changed();
  }

  async #load(): Promise<void> {
    if (this.#isLoading) {
      this.#mustReload = true;
      return;
    }
    this.#isLoading = true;
    this.#heard.clear();
    try {
      const listed = new Set<URI>();
      let cursor: string | undefined;
      do {
        const page = await this.#env.client.request('listSessions', {
          channel: ROOT_URI,
          limit: PAGE_SIZE,
          ...defined({ cursor }),
        });
        for (const summary of page.items) {
          listed.add(summary.resource);
          this.#set(summary);
        }
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      for (const uri of Array.from(this.#sessions.keys()))
        if (!listed.has(uri) && !this.#heard.has(uri)) this.#sessions.delete(uri);
    } catch (error) {
      // A connection that drops shows by itself, and brings another try.
      if (this.#env.client.status.state === 'online')
        this.#env.notice(`sessions: ${messageOf(error)}`, 'problem');
    } finally {
      this.#isLoading = false;
      this.#env.changed();
    }
    if (!this.#mustReload) return;
    this.#mustReload = false;
    await this.#load();
  }
}

const SEARCH_DELAY_MS = 200;
const MIN_QUERY_LENGTH = 2;
const MAX_HITS = 50;

/** Finds sessions by what was said in them, where the host can do that; one that cannot is asked once. */
export class TextSearch {
  readonly #env: Environment;
  #snippets: ReadonlyMap<URI, string> = new Map();
  #query = '';
  #cancel: (() => void) | undefined;
  #isSupported = true;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Where sessions say what is looked for, by session. */
  get snippets(): ReadonlyMap<URI, string> {
    return this.#snippets;
  }

  /** Looks for something else; '' for nothing. */
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
        // Titles stand in the list anyway.
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
