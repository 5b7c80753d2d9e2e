import {
  channelUri,
  type ProgressParams,
  ROOT_URI,
  type SearchSessionsParams,
  type SearchSessionsResult,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { ChannelLost } from '../errors.ts';
import type { SubscriptionOptions } from '../mirror/channel.ts';
import { type ExportPart, exportSession } from '../transfer/session-export.ts';
import { type ImportOptions, type ImportSource, importSession } from '../transfer/session-import.ts';
import { ChatHandle } from './chat-handle.ts';
import { type CreateSessionOptions, SessionHandle, type SessionsPort } from './session-handle.ts';
import { ToolOffers } from './tools.ts';

/** Sessions of one host. */
export class Sessions {
  readonly #client: SessionsPort;
  readonly #newId: () => string;
  readonly #tools: ToolOffers;

  constructor(client: SessionsPort, newId: () => string) {
    this.#client = client;
    this.#newId = newId;
    this.#tools = new ToolOffers(client);
  }

  /** All sessions, newest first, fetched in pages of `pageSize` (default 100) as they are read. */
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
   * Finds sessions by words of their titles, messages and answers, best first, a page at a time: hand `nextCursor` back for the next
   * one. `query`: words that all have to be there, "phrases", the last word as a beginning. `limit`: 1 to 100, default 20.
   */
  search(
    query: string,
    options: Pick<SearchSessionsParams, 'limit' | 'cursor'> = {},
  ): Promise<SearchSessionsResult> {
    return this.#client.request('x-searchSessions', { channel: ROOT_URI, query, ...options });
  }

  /**
   * Creates a session and opens it. Rejects like `createSession` and `subscribe` do. Its agent may still be starting:
   * prompts wait for that, and fail with the session's `creationError` if it comes to nothing [SESS-2].
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

  #follow(onProgress: (progress: ProgressParams) => void): { token: string; leave: () => void } {
    const token = this.#newId();
    const leave = this.#client.onNotification('root/progress', (progress) => {
      if (progress.progressToken !== token) return;
      if (progress.progress === progress.total) leave();
      onProgress(progress);
    });
    return { token, leave };
  }

  /** Opens a session and its default chat, which the subscription options are for. */
  async open(uri: URI, options: SubscriptionOptions = {}): Promise<SessionHandle> {
    const mirror = await this.#client.subscribe(uri, { kind: 'session' });
    try {
      const { defaultChat, chats } = mirror.state;
      const chat = defaultChat ?? chats[0]?.resource;
      if (chat === undefined) throw new ChannelLost(`${uri}: its chats`);
      const chatMirror = await this.#client.subscribe(chat, { ...options, kind: 'chat' });
      const chatHandle = new ChatHandle(chatMirror, this.#newId);
      return new SessionHandle(mirror, chatHandle, {
        client: this.#client,
        newId: this.#newId,
        tools: this.#tools,
        create: (params) => this.create(params),
      });
    } catch (error) {
      mirror.dispose();
      throw error;
    }
  }

  /**
   * Reads all of a session, a page of turns at a time: what {@link SessionExport} holds, in its order. A running turn comes as far as it
   * is. With a summary, the times in it go along. Rejects like `subscribe`, and when turns are cut away meanwhile.
   */
  export(session: URI | SessionSummary): AsyncGenerator<ExportPart, void, undefined> {
    return exportSession(this.#client, session);
  }

  /**
   * Makes a new session of an exported one and opens it; `uri` defaults to a fresh one. What fails half-way leaves nothing behind. Rejects
   * like `create`: an agent or a folder that this host does not have can be replaced by the options. Of the exported config only
   * `instructions` and `metadata` are taken, and messages that waited to be sent stand in the draft.
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
    await importSession(this.#client, channel, source, options);
    return this.open(channel, { turns, maxLatencyMs });
  }

  /** Ends a session for all clients, and deletes it. */
  async dispose(uri: URI): Promise<void> {
    await this.#client.request('disposeSession', { channel: uri });
  }
}
