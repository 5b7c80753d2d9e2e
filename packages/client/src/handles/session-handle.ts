import {
  type ClientToHostRequests,
  type CreateSessionParams,
  channelUri,
  type ProgressParams,
  type SessionChatInputRequest,
  type URI,
} from '@agenthost/protocol';
import type { SubscriptionOptions } from '../mirror/channel.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import type { ExportPort } from '../transfer/session-export.ts';
import { ChatHandle } from './chat-handle.ts';
import { InputRequestHandle } from './input-request-handle.ts';
import type { OfferedTool } from './tool-run.ts';
import type { OfferOptions, ToolOffer, ToolOffers, ToolsPort } from './tools.ts';

type SessionMethod =
  | 'x-importSession'
  | 'x-importTurns'
  | 'x-finishImport'
  | 'fetchTurns'
  | 'resourceRead'
  | 'listSessions'
  | 'x-searchSessions'
  | 'createSession'
  | 'disposeSession'
  | 'createChat'
  | 'disposeChat';

/** What sessions need of the client. */
export interface SessionsPort extends ToolsPort {
  readonly host: ExportPort['host'];
  request<M extends SessionMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  onNotification(method: 'root/progress', listener: (progress: ProgressParams) => void): () => void;
}

/** How a session is made; `uri` defaults to a fresh one. */
export type CreateSessionOptions = Omit<CreateSessionParams, 'channel' | 'progressToken'> & {
  uri?: URI;
  /** Hears how far the agent is that starts, up to the frame with `progress === total` [ROOT-3]. */
  onProgress?: (progress: ProgressParams) => void;
} & SubscriptionOptions;

type CreateSession = (options: CreateSessionOptions) => Promise<SessionHandle>;

/** An open session: its own channel and that of its default chat. */
export class SessionHandle {
  readonly mirror: Mirror<'session'>;
  /** The chat that was the default when the session was opened. */
  readonly chat: ChatHandle;
  readonly #client: SessionsPort;
  readonly #newId: () => string;
  readonly #tools: ToolOffers;
  readonly #create: CreateSession;
  readonly #offers = new Set<ToolOffer>();

  constructor(
    mirror: Mirror<'session'>,
    chat: ChatHandle,
    parts: { client: SessionsPort; newId: () => string; tools: ToolOffers; create: CreateSession },
  ) {
    this.mirror = mirror;
    this.chat = chat;
    this.#client = parts.client;
    this.#newId = parts.newId;
    this.#tools = parts.tools;
    this.#create = parts.create;
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

  /** What agents ask in any chat of the session now, those included that are not open here [SESS-7]. */
  inputRequests(): InputRequestHandle[] {
    const requests = (): SessionChatInputRequest[] =>
      (this.mirror.state.inputNeeded ?? []).filter((entry) => entry.kind === 'chatInput');
    return requests().map(
      ({ id, chat, request }) =>
        new InputRequestHandle({
          requestId: request.id,
          chat,
          read: () => requests().find((entry) => entry.id === id)?.request,
          dispatch: (action) => this.#client.dispatch(chat, action),
        }),
    );
  }

  /** Names the session; its agent does not name it any more [SESS-11]. */
  rename(title: string): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/titleChanged', title });
  }

  /** Marks the session as looked at, or not; it is unread again when a turn starts or something is asked [SESS-5]. */
  setRead(isRead: boolean): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/isReadChanged', isRead });
  }

  /** Puts the session away, or takes it out again. */
  setArchived(isArchived: boolean): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/isArchivedChanged', isArchived });
  }

  /** Changes config values; those that are not named stay. Rejected when one is not mutable or does not fit [SESS-9]. */
  configure(config: Record<string, unknown>): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/configChanged', config });
  }

  /** Replaces the session's metadata, by which it can be found in the list. */
  setMetadata(metadata: Record<string, string>): Promise<DispatchOutcome> {
    return this.configure({ metadata });
  }

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

  /**
   * Makes a session that begins as a copy of this one up to a completed turn, in whichever chat that is, and opens it: agent, folder and
   * config are those of this session where `options` does not say otherwise [SESS-12].
   */
  fork(turnId: string, options: Omit<CreateSessionOptions, 'fork'> = {}): Promise<SessionHandle> {
    return this.#create({ ...options, fork: { session: this.uri, turnId } });
  }

  /** Makes a chat in this session that begins as a copy of one of its chats (the default one), and opens it [CHAT-1]. */
  forkChat(
    turnId: string,
    { chat = this.chat.mirror.uri, ...options }: SubscriptionOptions & { readonly chat?: URI } = {},
  ): Promise<ChatHandle> {
    return this.createChat({ source: { chat, turnId } }, options);
  }

  /** Ends a chat of this session and removes it; its last one that people can write to stays [CHAT-1]. */
  async disposeChat(chat: URI): Promise<void> {
    await this.#client.request('disposeChat', { channel: chat });
  }

  /**
   * Offers tools to the session's agents, on top of what this client offers already, and runs them as they are called, also what was called
   * during a disconnection [SESS-8] [CHAT-9]. Resolves when the host has them; rejects with `DispatchRejected` (names that are none, or
   * taken by another tool of this client, for instance) and like `subscribe`.
   */
  async offerTools(tools: readonly OfferedTool[], options: OfferOptions = {}): Promise<ToolOffer> {
    const offer = await this.#tools.offer(this.uri, tools, options);
    if (this.mirror.isDisposed) offer.dispose();
    else this.#offers.add(offer);
    return offer;
  }

  /** Ends both mirrors and takes back the tools offered through this handle. The session lives on. */
  dispose(): void {
    for (const offer of this.#offers) offer.dispose();
    this.chat.dispose();
    this.mirror.dispose();
  }
}
