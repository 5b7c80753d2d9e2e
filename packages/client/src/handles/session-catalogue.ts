import {
  type ClientToHostRequests,
  type HostToClientNotifications,
  ROOT_URI,
  SessionStatus,
  type SessionSummary,
  type SessionSummaryChanges,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ConnectionState } from '../connection/connection-state.ts';
import { ConnectionLost } from '../errors.ts';
import { Listeners, type ReportError } from '../listeners.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { OrderedSessions } from './ordered-sessions.ts';
import { type PredictedSummaries, type SessionActionChange, summaryChanges } from './predicted-summaries.ts';

/** Options of `Sessions.catalogue`. */
export interface CatalogueOptions {
  /** Whether `items` has archived sessions too. Default false. `get` always finds them. */
  includeArchived?: boolean;
}

/** What a catalogue needs of its client. */
export interface CataloguePort {
  readonly status: ConnectionState;
  onStatus(listener: (status: ConnectionState) => void): () => void;
  request(
    method: 'listSessions',
    params: ClientToHostRequests['listSessions']['params'],
  ): Promise<ClientToHostRequests['listSessions']['result']>;
  subscribe(uri: URI, options: { readonly kind: 'root' }): Promise<Mirror<'root'>>;
  onNotification<M extends 'root/sessionAdded' | 'root/sessionRemoved' | 'root/sessionSummaryChanged'>(
    method: M,
    listener: (params: HostToClientNotifications[M]) => void,
  ): () => void;
}

/** Sessions of the first page, which is shown before the others arrive. */
const FIRST_PAGE = 50;

const PAGE = 500;

/** Readings for a session that no page has: of the first page, then of all. After them the session counts as not listed. */
const MAX_LOOKS = 2;

/**
 * A live list of the sessions of a host, for user interfaces. It reads all pages in the background, follows the host's notifications and reads the
 * pages again after a reconnect. During a reading it keeps its sessions.
 *
 * @example
 * const sessions = client.sessions.catalogue();
 * sessions.onChange((items) => console.log(items.map(({ title }) => title)));
 * sessions.dispose();
 */
export class SessionCatalogue {
  readonly #port: CataloguePort;
  readonly #sessions: OrderedSessions;
  readonly #onChange: Listeners<readonly SessionSummary[]>;
  readonly #stops: (() => void)[];
  #root: Mirror<'root'> | undefined;
  #isDisposed = false;
  #isComplete = false;
  #isLoading = false;
  #mustReload = false;
  #willTell = false;
  #problem: Error | undefined;
  /** Sessions of notifications since the reading began: the pages may lack them. */
  readonly #heard = new Set<URI>();
  /** Sessions of notifications since the present page was requested: the page may be older. */
  readonly #heardLately = new Set<URI>();
  /** Sessions that were removed since the reading began: the pages may still have them. */
  readonly #removed = new Set<URI>();
  /** Changed sessions that no page had, with the number of readings for them, and their changes. */
  readonly #missed = new Map<URI, { readonly looks: number; readonly changes: SessionSummaryChanges }>();

  constructor(
    port: CataloguePort,
    { includeArchived = false }: CatalogueOptions,
    { report, summaries }: { readonly report: ReportError; readonly summaries: PredictedSummaries },
  ) {
    this.#port = port;
    this.#sessions = new OrderedSessions(
      ({ status }) => includeArchived || (status & SessionStatus.IsArchived) === 0,
      (summary) => summaries.predict(summary),
    );
    this.#onChange = new Listeners(report, 'change of the sessions');
    this.#stops = [
      port.onNotification('root/sessionAdded', ({ summary }) => this.#hear(summary)),
      port.onNotification('root/sessionRemoved', ({ session }) => this.#remove(session)),
      port.onNotification('root/sessionSummaryChanged', ({ session, changes }) => {
        const before = this.#sessions.confirmed(session);
        if (before !== undefined) this.#hear(changed(before, changes));
        else this.#miss(session, changes);
      }),
      summaries.onChange((change) => this.#predict(change)),
      // Notifications sent without a connection are lost [CONN-5].
      port.onStatus(({ state }) => {
        if (state === 'online') this.reload();
      }),
    ];
    if (port.status.state === 'online') this.reload();
  }

  /**
   * The sessions read so far, most recently modified first, with this client's unanswered actions applied. The same array until something
   * changes; a summary stays the same object until it changes.
   */
  get items(): readonly SessionSummary[] {
    return this.#sessions.items;
  }

  /** Whether all sessions have been read once. It stays true after a reconnect. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether pages are being read. */
  get isLoading(): boolean {
    return this.#isLoading;
  }

  /** Why the last reading failed, other than by a lost connection; `reload` tries again. `undefined` after a reading that succeeded. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** The summary of a session, archived or not. */
  get(uri: URI): SessionSummary | undefined {
    return this.#sessions.get(uri);
  }

  /**
   * Calls `listener` after `items` or another property changed: once for all changes of one moment, after the code that made them. Returns a
   * function that removes it.
   */
  onChange(listener: (items: readonly SessionSummary[]) => void): () => void {
    return this.#onChange.add(listener);
  }

  /** Reads all pages again. After a reconnect this is done without a call. */
  reload(): void {
    this.#mustReload = true;
    if (!this.#isLoading && !this.#isDisposed) void this.#load();
  }

  /** Stops the updates. Calling it again does nothing. */
  dispose(): void {
    this.#isDisposed = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#root?.dispose();
    this.#root = undefined;
  }

  #hear(summary: SessionSummary): void {
    this.#heard.add(summary.resource);
    this.#heardLately.add(summary.resource);
    this.#removed.delete(summary.resource);
    if (this.#sessions.set(summary)) this.#changed();
  }

  #predict({ session, accepted }: SessionActionChange): void {
    const before = this.#sessions.confirmed(session);
    // The notification of an accepted action may come later than its envelope: the summary must not show the old value in between.
    if (before !== undefined && accepted !== undefined)
      this.#hear({ ...before, ...summaryChanges(before, accepted) });
    if (this.#sessions.predictAgain(session)) this.#changed();
  }

  #remove(session: URI): void {
    this.#removed.add(session);
    this.#missed.delete(session);
    if (this.#sessions.delete(session)) this.#changed();
  }

  /** Takes a change of an unknown session: it is on a later page, or it moved to a page that had been read. */
  #miss(session: URI, changes: SessionSummaryChanges): void {
    if (this.#removed.has(session)) return;
    this.#heardLately.add(session);
    const before = this.#missed.get(session);
    this.#missed.set(session, { looks: before?.looks ?? 0, changes: { ...before?.changes, ...changes } });
    if (before === undefined && !this.#isLoading && this.#isComplete) void this.#load();
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    this.#changed();
    try {
      await this.#holdRoot();
      while (!this.#isDisposed && (this.#mustReload || this.#isMissing())) await this.#read();
      this.#problem = undefined;
    } catch (error) {
      // After a drop the next connection starts a reading.
      if (!(error instanceof ConnectionLost))
        this.#problem =
          error instanceof Error
            ? error
            : new Error('the list of sessions could not be read', { cause: error });
    }
    this.#isLoading = false;
    this.#changed();
    // A connection that dropped may be back already.
    if (this.#mustReload && this.#problem === undefined && this.#port.status.state === 'online')
      this.reload();
  }

  /** The host sends notifications about sessions to subscribers of the root [ROOT-3]. */
  async #holdRoot(): Promise<void> {
    if (this.#root !== undefined) return;
    const root = await this.#port.subscribe(ROOT_URI, { kind: 'root' });
    if (this.#isDisposed) root.dispose();
    else this.#root = root;
  }

  /** Whether a changed session is still missing and gets another reading. */
  #isMissing(): boolean {
    let isMissing = false;
    for (const [session, { looks }] of this.#missed) {
      if (this.#sessions.get(session) !== undefined) this.#missed.delete(session);
      else if (looks < MAX_LOOKS) isMissing = true;
    }
    return isMissing;
  }

  /** Reads all pages; only the first one, if that may have the sessions that are missing. */
  async #read(): Promise<void> {
    const isWhole = this.#mustReload || Array.from(this.#missed.values()).some(({ looks }) => looks === 1);
    if (this.#mustReload) this.#missed.clear();
    for (const [session, { looks, changes }] of this.#missed)
      this.#missed.set(session, { looks: looks + 1, changes });
    this.#heard.clear();
    this.#removed.clear();
    const listed = new Set<URI>();
    let cursor: string | undefined;
    do {
      this.#heardLately.clear();
      const limit = cursor === undefined ? FIRST_PAGE : PAGE;
      const page = await this.#port.request('listSessions', {
        channel: ROOT_URI,
        limit,
        ...defined({ cursor }),
      });
      if (this.#isDisposed) return;
      for (const summary of page.items) {
        listed.add(summary.resource);
        this.#take(summary);
      }
      if (!isWhole) return;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    for (const uri of this.#sessions.uris())
      if (!listed.has(uri) && !this.#heard.has(uri) && this.#sessions.delete(uri)) this.#changed();
    this.#mustReload = false;
    this.#isComplete = true;
  }

  #take(summary: SessionSummary): void {
    const { resource } = summary;
    if (this.#removed.has(resource)) return;
    const isOlder = this.#heardLately.has(resource);
    // A page that is newer than a notification was followed by another notification.
    if (isOlder && this.#sessions.get(resource) !== undefined) return;
    const { changes } = (isOlder ? this.#missed.get(resource) : undefined) ?? {};
    if (this.#sessions.set(changes === undefined ? summary : changed(summary, changes))) this.#changed();
  }

  #changed(): void {
    if (this.#willTell) return;
    this.#willTell = true;
    queueMicrotask(() => {
      this.#willTell = false;
      if (!this.#isDisposed) this.#onChange.emit(this.items);
    });
  }
}

/** An `activity` of '' removes the activity [ROOT-3]. */
function changed(before: SessionSummary, changes: SessionSummaryChanges): SessionSummary {
  const { resource, provider, createdAt } = before;
  const { activity, ...rest } = { ...before, ...changes, resource, provider, createdAt };
  return activity === undefined || activity === '' ? rest : { ...rest, activity };
}
