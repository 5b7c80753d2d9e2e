import {
  annotationsUri,
  type ClientPluginCustomization,
  channelUri,
  type ListPortsResult,
  type ProgressParams,
  ROOT_URI,
  type SearchSessionsParams,
  type SearchSessionsResult,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { ChannelLost } from '../errors.ts';
import type { ReportError } from '../listeners.ts';
import type { SubscriptionOptions } from '../mirror/channel.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import type { ImportSource } from '../transfer/import-source.ts';
import type { ExportPart } from '../transfer/session-export.ts';
import type { ImportOptions } from '../transfer/session-import.ts';
import { AnnotationsHandle } from './annotations-handle.ts';
import { ChatHandle } from './chat-handle.ts';
import type { PluginFiles, PluginFolder } from './plugin-files.ts';
import type { PredictedSummaries } from './predicted-summaries.ts';
import type { OpenedPreview } from './previews.ts';
import { type CatalogueOptions, type CataloguePort, SessionCatalogue } from './session-catalogue.ts';
import { type CreateSessionOptions, SessionHandle, type SessionsPort } from './session-handle.ts';
import { ToolOffers } from './tools.ts';
import { Worktrees, type WorktreesPort } from './worktrees.ts';

/** The sessions of one host. */
export class Sessions {
  readonly #client: SessionsPort & CataloguePort;
  readonly #newId: () => string;
  /** The git worktrees of sessions. */
  readonly worktrees: Worktrees;
  readonly #now: () => number;
  readonly #report: ReportError;
  readonly #summaries: PredictedSummaries;
  readonly #tools: ToolOffers;
  readonly #address: string | undefined;
  #plugins: Promise<PluginFiles> | undefined;

  constructor(
    client: SessionsPort & CataloguePort & WorktreesPort,
    parts: {
      newId: () => string;
      now: () => number;
      report: ReportError;
      summaries: PredictedSummaries;
      address: string | undefined;
    },
  ) {
    this.#client = client;
    this.worktrees = new Worktrees(client);
    this.#newId = parts.newId;
    this.#now = parts.now;
    this.#report = parts.report;
    this.#summaries = parts.summaries;
    this.#tools = new ToolOffers(client);
    this.#address = parts.address;
  }

  /** Iterates all sessions, newest first. Pages of `pageSize` (default 100) are fetched as they are read. */
  async *list({ pageSize = 100 } = {}): AsyncGenerator<SessionSummary, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#client.request('listSessions', {
        channel: ROOT_URI,
        limit: pageSize,
        ...defined({ cursor }),
      });
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /**
   * Opens a live list of all sessions, newest first. It starts empty, also without a connection, and fills when the client is online. Dispose
   * it after use.
   */
  catalogue(options: CatalogueOptions = {}): SessionCatalogue {
    return new SessionCatalogue(this.#client, options, { report: this.#report, summaries: this.#summaries });
  }

  /**
   * Searches titles, messages and answers, best matches first. `query`: all words must occur, quoted phrases
   * stay together, and the last word matches as a prefix. `limit`: 1 to 100, default 20. Pass `nextCursor` as
   * `cursor` for the next page.
   */
  search(
    query: string,
    options: Pick<SearchSessionsParams, 'limit' | 'cursor'> = {},
  ): Promise<SearchSessionsResult> {
    return this.#client.request('x-searchSessions', { channel: ROOT_URI, query, ...options });
  }

  /**
   * Creates a session and opens it. Rejects like the commands `createSession` and `subscribe`. The agent may
   * still be starting: prompts wait for it, and fail with the session's `creationError` when the start fails
   * [SESS-2].
   */
  async create({
    uri,
    turns,
    maxLatencyMs,
    onProgress,
    ...params
  }: CreateSessionOptions = {}): Promise<SessionHandle> {
    const channel = uri ?? channelUri('session', this.#newId());
    const progress = onProgress === undefined ? undefined : this.#follow(onProgress);
    try {
      await this.#client.request('createSession', {
        channel,
        ...(progress === undefined ? {} : { progressToken: progress.token }),
        ...params,
      });
    } catch (error) {
      progress?.leave();
      throw error;
    }
    return this.open(channel, { turns, maxLatencyMs });
  }

  /**
   * The ports that processes of all sessions, or of one, listen on now. `unavailable`: why the host knows none, as a sentence. Rejects like
   * `request`.
   */
  async ports(session?: URI): Promise<ListPortsResult> {
    return (await import('./previews.ts')).listPorts(this.#client, session);
  }

  /**
   * Opens a port of a session through the host. The address is for one browser, and works for a minute. Rejects like `request`: with `RpcError`
   * -32008 when no process of the session listens on the port, -32009 without the scope `interact`, and -32011 when the host has no
   * previews.
   */
  async openPreview(session: URI, port: number): Promise<OpenedPreview> {
    return (await import('./previews.ts')).openPreview(this.#client, this.#address, session, port);
  }

  #follow(onProgress: (progress: ProgressParams) => void): { token: string; leave: () => void } {
    const token = this.#newId();
    const leave = this.#client.onNotification('root/progress', (progress) => {
      if (progress.progressToken !== token) return;
      if (progress.progress === progress.total) leave();
      onProgress(progress);
    });
    return { token, leave };
  }

  /** Opens a session and its default chat. The options apply to the chat's subscription. */
  async open(uri: URI, options: SubscriptionOptions = {}): Promise<SessionHandle> {
    const mirror = await this.#client.subscribe(uri, { kind: 'session' });
    try {
      const { defaultChat, chats } = mirror.state;
      const chat = defaultChat ?? chats[0]?.resource;
      if (chat === undefined) throw new ChannelLost(uri);
      const chatMirror = await this.#client.subscribe(chat, { ...options, kind: 'chat' });
      const chatHandle = new ChatHandle(chatMirror, this.#newId, this.#now, this.#client);
      return new SessionHandle(mirror, chatHandle, {
        client: this.#client,
        newId: this.#newId,
        now: this.#now,
        tools: this.#tools,
        create: (params) => this.create(params),
        openPreview: (session, port) => this.openPreview(session, port),
        plugins: () => this.#loadPlugins(),
      });
    } catch (error) {
      mirror.dispose();
      throw error;
    }
  }

  /**
   * Serves the files of a plugin to the host until `end`, and resolves with the entry that names them, for a template of an automation. Sessions
   * take plugins by `SessionHandle.publishPlugin`.
   */
  async servePlugin(
    plugin: PluginFolder,
  ): Promise<{ readonly entry: ClientPluginCustomization; end(): void }> {
    return (await this.#loadPlugins()).add(plugin);
  }

  /** Few programs publish plugins, so the code is loaded with the first one. */
  #loadPlugins(): Promise<PluginFiles> {
    this.#plugins ??= import('./plugin-files.ts').then(
      (loaded) =>
        new loaded.PluginFiles((prefix, files) => this.#client.publishFiles(prefix, files), this.#newId),
    );
    return this.#plugins;
  }

  /** Opens the annotations of a session without the session. Dispose the handle after use. Rejects like `subscribe`. */
  async annotations(session: URI): Promise<AnnotationsHandle> {
    const mirror = await this.#client.subscribe(annotationsUri(session), { kind: 'annotations' });
    return new AnnotationsHandle(mirror, this.#newId);
  }

  /**
   * Reads a whole session, a page of turns at a time, as the parts of a {@link SessionExport} in order. A
   * running turn is exported as far as it has come. With a summary the export includes the session's times.
   * Rejects like `subscribe`, and when turns are truncated during the export.
   */
  async *export(session: URI | SessionSummary): AsyncGenerator<ExportPart, void, undefined> {
    // Few programs need it, so its code is loaded with the first export.
    const { exportSession } = await import('../transfer/session-export.ts');
    yield* exportSession(this.#client, session);
  }

  /**
   * Creates a session from an exported one and opens it. `uri` defaults to a random one. A failed import
   * leaves nothing behind. Rejects like `create`; the options can replace an agent or a folder that this host
   * does not have. Only `instructions` and `metadata` of the exported config are kept. Messages that were
   * queued become the draft.
   */
  async import(
    source: ImportSource,
    {
      uri,
      turns,
      maxLatencyMs,
      ...options
    }: ImportOptions & { readonly uri?: URI } & SubscriptionOptions = {},
  ): Promise<SessionHandle> {
    const channel = uri ?? channelUri('session', this.#newId());
    const { importSession } = await import('../transfer/session-import.ts');
    await importSession(this.#client, channel, source, options);
    return this.open(channel, { turns, maxLatencyMs });
  }

  /** Renames a session that need not be open; see `SessionHandle.rename`. A catalogue shows the effect at once. */
  rename(uri: URI, title: string): Promise<DispatchOutcome> {
    return this.#client.dispatch(uri, { type: 'session/titleChanged', title });
  }

  /** Marks a session that need not be open as read or unread. A catalogue shows the effect at once. */
  setRead(uri: URI, isRead: boolean): Promise<DispatchOutcome> {
    return this.#client.dispatch(uri, { type: 'session/isReadChanged', isRead });
  }

  /** Archives a session that need not be open, or takes it out of the archive. A catalogue shows the effect at once. */
  setArchived(uri: URI, isArchived: boolean): Promise<DispatchOutcome> {
    return this.#client.dispatch(uri, { type: 'session/isArchivedChanged', isArchived });
  }

  /** Deletes a session for all clients. */
  async dispose(uri: URI): Promise<void> {
    await this.#client.request('disposeSession', { channel: uri });
  }
}
