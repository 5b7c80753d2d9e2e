import type { AhpClient, Mirror, SessionCatalogue } from '@agenthost/client';
import type { AgentInfo, SessionSummary } from '@agenthost/protocol';
import { beforeFrame } from '../live/frame.ts';
import { type HostLink, messageOf } from '../live/host-link.ts';
import type { LiveEntry } from '../live/live-cache.ts';
import { rootOpener } from '../live/use-live.ts';
import { type BoardSession, sessionKey } from './board-session.ts';

const NO_AGENTS: readonly AgentInfo[] = [];

/** Follows the sessions and agents of one host, over all clients that its link makes. */
export class SessionsOfLink {
  readonly #link: HostLink;
  readonly #onChange: () => void;
  readonly #stopLink: () => void;
  #client: AhpClient | undefined;
  #releases: (() => void)[] = [];
  #stops: (() => void)[] = [];
  #catalogue: LiveEntry<SessionCatalogue> | undefined;
  #root: LiveEntry<Mirror<'root'>> | undefined;
  #agents: readonly AgentInfo[] = NO_AGENTS;
  #items: readonly SessionSummary[] = [];
  #known = new WeakMap<SessionSummary, BoardSession>();
  #sessions: readonly BoardSession[] = [];

  /** `onChange` is called at most once a frame. */
  constructor(link: HostLink, onChange: () => void) {
    this.#link = link;
    this.#onChange = onChange;
    this.#stopLink = link.onChange(() => this.#takeClient());
    this.#takeClient();
  }

  /** Most recently modified first. The same array until something changes. */
  get sessions(): readonly BoardSession[] {
    const catalogue = this.#open();
    const agents = this.#root?.opened.state === 'open' ? this.#root.opened.value.state.agents : NO_AGENTS;
    const items = catalogue?.items ?? [];
    if (items === this.#items && agents === this.#agents) return this.#sessions;
    if (agents !== this.#agents) this.#known = new WeakMap();
    this.#agents = agents;
    this.#items = items;
    this.#sessions = items.map((summary) => this.#sessionOf(summary));
    return this.#sessions;
  }

  /** Whether the list is complete. A host that does not answer counts as complete, so that others are not held up. */
  get isComplete(): boolean {
    if (this.#link.client === undefined) return this.#link.status.state !== 'connecting';
    return this.#open()?.isComplete ?? this.#catalogue?.opened.state === 'failed';
  }

  /** Why the list could not be read; `undefined` when it could. */
  get problem(): string | undefined {
    const opened = this.#catalogue?.opened;
    if (opened?.state === 'failed') return messageOf(opened.error);
    const problem = this.#open()?.problem;
    return problem === undefined ? undefined : messageOf(problem);
  }

  /** Reads the list again. */
  reload(): void {
    this.#catalogue?.retry();
    this.#open()?.reload();
  }

  close(): void {
    this.#stopLink();
    this.#leave();
  }

  #open(): SessionCatalogue | undefined {
    const opened = this.#catalogue?.opened;
    return opened?.state === 'open' ? opened.value : undefined;
  }

  #takeClient(): void {
    const { client } = this.#link;
    if (client === this.#client) {
      if (this.#link.status.state === 'online') this.#retryFailed();
      return this.#changed();
    }
    this.#leave();
    this.#client = client;
    if (client === undefined) return this.#changed();
    this.#catalogue = this.#link.cache.entry('catalogue with archived sessions', {
      // oxlint-disable-next-line typescript/require-await -- openers are asynchronous
      open: async () => client.sessions.catalogue({ includeArchived: true }),
      close: (catalogue) => catalogue.dispose(),
    });
    this.#root = this.#link.cache.entry('root', rootOpener(this.#link));
    const follow = (): void => this.#follow();
    this.#releases = [this.#catalogue.hold(follow), this.#root.hold(follow)];
    this.#follow();
  }

  #retryFailed(): void {
    this.#catalogue?.retry();
    this.#root?.retry();
  }

  /** Listens to the catalogue and the root that are open by now. */
  #follow(): void {
    for (const stop of this.#stops.splice(0)) stop();
    const changed = (): void => this.#changed();
    const root = this.#root?.opened;
    const catalogue = this.#open();
    if (catalogue !== undefined) this.#stops.push(catalogue.onChange(changed));
    if (root?.state === 'open') this.#stops.push(root.value.onChange(changed));
    this.#changed();
  }

  #leave(): void {
    for (const stop of [...this.#stops.splice(0), ...this.#releases.splice(0)]) stop();
    this.#catalogue = undefined;
    this.#root = undefined;
  }

  #changed(): void {
    beforeFrame(this.#onChange);
  }

  #sessionOf(summary: SessionSummary): BoardSession {
    const known = this.#known.get(summary);
    if (known !== undefined) return known;
    const agent = this.#agents.find(({ provider }) => provider === summary.provider);
    const session = {
      key: sessionKey(this.#link, summary.resource),
      link: this.#link,
      summary,
      agentName: agent?.displayName ?? summary.provider,
    };
    this.#known.set(summary, session);
    return session;
  }
}
