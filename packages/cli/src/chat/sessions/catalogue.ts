import { ROOT_URI, type SessionSummary, type URI } from '@agenthost/protocol';
import { type Environment, messageOf } from '../app/environment.ts';

const pageSize = 500;

/** The host's sessions, kept up to date by its notifications, and read anew after each reconnection. */
export class SessionCatalogue {
  readonly #env: Environment;
  readonly #sessions = new Map<URI, SessionSummary>();
  readonly #stops: (() => void)[] = [];
  #isLoading = false;
  #mustReload = false;

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
      client.onNotification('root/sessionAdded', ({ summary }) => this.#set(summary)),
      client.onNotification('root/sessionRemoved', ({ session }) => {
        this.#sessions.delete(session);
        this.#env.changed();
      }),
      client.onNotification('root/sessionSummaryChanged', ({ session, changes }) => {
        const before = this.#sessions.get(session);
        if (before === undefined) return;
        const { activity, ...rest } = { ...before, ...changes };
        this.#set(activity === undefined || activity === '' ? rest : { ...rest, activity });
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

  #set(summary: SessionSummary): void {
    this.#sessions.set(summary.resource, summary);
    this.#env.changed();
  }

  async #load(): Promise<void> {
    if (this.#isLoading) {
      this.#mustReload = true;
      return;
    }
    this.#isLoading = true;
    try {
      const listed = new Set<URI>();
      let cursor: string | undefined;
      do {
        const page = await this.#env.client.request('listSessions', {
          channel: ROOT_URI,
          limit: pageSize,
          ...(cursor === undefined ? {} : { cursor }),
        });
        for (const summary of page.items) {
          listed.add(summary.resource);
          this.#set(summary);
        }
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      for (const uri of Array.from(this.#sessions.keys())) if (!listed.has(uri)) this.#sessions.delete(uri);
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
