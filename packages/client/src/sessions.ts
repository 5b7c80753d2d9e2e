import {
  type ChannelKind,
  type ClientToHostRequests,
  type CreateSessionParams,
  channelUri,
  ROOT_URI,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';
import type { SubscriptionOptions } from './channel.ts';
import { ChatHandle } from './chat.ts';
import { ChannelLost } from './errors.ts';
import type { Mirror } from './mirror.ts';

type SessionMethod = 'listSessions' | 'createSession' | 'disposeSession' | 'createChat';

/** What sessions need of the client. */
export interface SessionsPort {
  request<M extends SessionMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  subscribe<K extends ChannelKind>(
    uri: URI,
    options: SubscriptionOptions & { readonly kind: K },
  ): Promise<Mirror<K>>;
}

/** How a session is made; `uri` defaults to a fresh one. */
export type CreateSessionOptions = Omit<CreateSessionParams, 'channel'> & { uri?: URI } & SubscriptionOptions;

/** Sessions of one host. */
export class Sessions {
  readonly #client: SessionsPort;
  readonly #newId: () => string;

  constructor(client: SessionsPort, newId: () => string) {
    this.#client = client;
    this.#newId = newId;
  }

  /** All sessions, newest first, fetched in pages of `pageSize` (default 100) as they are read. */
  async *list({ pageSize = 100 } = {}): AsyncGenerator<SessionSummary, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#client.request('listSessions', {
        channel: ROOT_URI,
        limit: pageSize,
        ...(cursor === undefined ? {} : { cursor }),
      });
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /**
   * Creates a session and opens it. Rejects like `createSession` and `subscribe` do. Its agent may still be starting:
   * prompts wait for that, and fail with the session's `creationError` if it comes to nothing [SESS-2].
   */
  async create({ uri, turns, maxLatencyMs, ...params }: CreateSessionOptions = {}): Promise<SessionHandle> {
    const channel = uri ?? channelUri('session', this.#newId());
    await this.#client.request('createSession', { channel, ...params });
    return this.open(channel, { turns, maxLatencyMs });
  }

  /** Opens a session and its default chat, which the subscription options are for. */
  async open(uri: URI, options: SubscriptionOptions = {}): Promise<SessionHandle> {
    const mirror = await this.#client.subscribe(uri, { kind: 'session' });
    try {
      const { defaultChat, chats } = mirror.state;
      const chat = defaultChat ?? chats[0]?.resource;
      if (chat === undefined) throw new ChannelLost(`${uri}: its chats`);
      const chatMirror = await this.#client.subscribe(chat, { ...options, kind: 'chat' });
      return new SessionHandle(mirror, new ChatHandle(chatMirror, this.#newId), this.#client, this.#newId);
    } catch (error) {
      mirror.dispose();
      throw error;
    }
  }

  /** Ends a session for all clients, and deletes it. */
  async dispose(uri: URI): Promise<void> {
    await this.#client.request('disposeSession', { channel: uri });
  }
}

/** An open session: its own channel and that of its default chat. */
export class SessionHandle {
  readonly mirror: Mirror<'session'>;
  /** The chat that was the default when the session was opened. */
  readonly chat: ChatHandle;
  readonly #client: SessionsPort;
  readonly #newId: () => string;

  constructor(mirror: Mirror<'session'>, chat: ChatHandle, client: SessionsPort, newId: () => string) {
    this.mirror = mirror;
    this.chat = chat;
    this.#client = client;
    this.#newId = newId;
  }

  get uri(): URI {
    return this.mirror.uri;
  }

  /** Starts a turn in the default chat. */
  prompt: ChatHandle['prompt'] = (message) => this.chat.prompt(message);

  /** Lets a waiting tool call of the default chat run. */
  approve: ChatHandle['approve'] = (toolCallId, options) => this.chat.approve(toolCallId, options);

  /** Keeps one from running. */
  deny: ChatHandle['deny'] = (toolCallId, options) => this.chat.deny(toolCallId, options);

  /** Lets the agent see a tool call's result, or not. */
  confirmResult: ChatHandle['confirmResult'] = (toolCallId, approved) =>
    this.chat.confirmResult(toolCallId, approved);

  /** Ends the active turn of the default chat. */
  cancel: ChatHandle['cancel'] = () => this.chat.cancel();

  /** Opens another chat of this session; dispose it by itself. */
  async openChat(uri: URI, options: SubscriptionOptions = {}): Promise<ChatHandle> {
    return new ChatHandle(await this.#client.subscribe(uri, { ...options, kind: 'chat' }), this.#newId);
  }

  /** Makes another chat in this session and opens it [CHAT-1]. */
  async createChat(
    params: Omit<ClientToHostRequests['createChat']['params'], 'channel' | 'chat'> = {},
    options: SubscriptionOptions = {},
  ): Promise<ChatHandle> {
    const chat = channelUri('chat', this.#newId());
    await this.#client.request('createChat', { channel: this.uri, chat, ...params });
    return this.openChat(chat, options);
  }

  /** Ends both mirrors. The session lives on. */
  dispose(): void {
    this.chat.dispose();
    this.mirror.dispose();
  }
}
