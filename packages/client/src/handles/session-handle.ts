import {
  annotationsUri,
  type ChatMoveDestination,
  type ClientToHostRequests,
  type CreateSessionParams,
  type CustomizationEnablement,
  channelUri,
  type ProgressParams,
  type SessionChatInputRequest,
  type SessionPort,
  type SessionToolConfirmationRequest,
  type SideChatSelection,
  sessionPorts,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { SubscriptionOptions } from '../mirror/channel.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import type { ExportPort } from '../transfer/session-export.ts';
import { AnnotationsHandle } from './annotations-handle.ts';
import type { Changes } from './changes.ts';
import { ChatHandle } from './chat-handle.ts';
import type { FileProvider } from './file-provider.ts';
import { InputRequestHandle } from './input-request-handle.ts';
import type { PluginFiles, PluginFolder } from './plugin-files.ts';
import type { OpenedPreview } from './previews.ts';
import type { Prompt } from './prompt.ts';
import { ToolConfirmationHandle } from './tool-confirmation-handle.ts';
import type { OfferedTool } from './tool-run.ts';
import type { OfferOptions, ToolOffer, ToolOffers, ToolsPort } from './tools.ts';

type SessionMethod =
  | 'x-importSession'
  | 'x-importTurns'
  | 'x-finishImport'
  | 'fetchTurns'
  | 'resourceRead'
  | 'invokeChangesetOperation'
  | 'listSessions'
  | 'x-searchSessions'
  | 'createSession'
  | 'disposeSession'
  | 'createChat'
  | 'disposeChat'
  | 'disposeTerminal'
  | 'moveChat'
  | 'x-listPorts'
  | 'x-openPreview';

/** The parts of a client that session handles use. */
export interface SessionsPort extends ToolsPort {
  readonly host: ExportPort['host'];
  request<M extends SessionMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  ping(): Promise<void>;
  publishFiles(prefix: string, provider: FileProvider): () => void;
  onNotification(method: 'root/progress', listener: (progress: ProgressParams) => void): () => void;
}

/** Options of `Sessions.create`. `uri` defaults to a random one. */
export type CreateSessionOptions = Omit<CreateSessionParams, 'channel' | 'progressToken'> & {
  uri?: URI;
  /**
   * Called with the progress of the agent's start, up to the notification with `progress === total` [ROOT-3].
   */
  onProgress?: (progress: ProgressParams) => void;
} & SubscriptionOptions;

type OpenPreview = (session: URI, port: number) => Promise<OpenedPreview>;
type LoadPlugins = () => Promise<PluginFiles>;
type CreateSession = (options: CreateSessionOptions) => Promise<SessionHandle>;

/** An open session: mirrors of its channel and of its default chat. */
export class SessionHandle {
  readonly mirror: Mirror<'session'>;
  /** The chat that was the default when the session was opened. */
  readonly chat: ChatHandle;
  readonly #client: SessionsPort;
  readonly #newId: () => string;
  readonly #now: () => number;
  readonly #tools: ToolOffers;
  readonly #create: CreateSession;
  readonly #openPreview: OpenPreview;
  readonly #plugins: LoadPlugins;
  readonly #offers = new Set<ToolOffer>();

  constructor(
    mirror: Mirror<'session'>,
    chat: ChatHandle,
    parts: {
      client: SessionsPort;
      newId: () => string;
      now: () => number;
      tools: ToolOffers;
      create: CreateSession;
      openPreview: OpenPreview;
      plugins: LoadPlugins;
    },
  ) {
    this.mirror = mirror;
    this.chat = chat;
    this.#client = parts.client;
    this.#newId = parts.newId;
    this.#now = parts.now;
    this.#tools = parts.tools;
    this.#create = parts.create;
    this.#openPreview = parts.openPreview;
    this.#plugins = parts.plugins;
  }

  get uri(): URI {
    return this.mirror.uri;
  }

  /** Starts a turn in the default chat. */
  prompt: ChatHandle['prompt'] = (message) => this.chat.prompt(message);

  /** Approves a pending tool call of the default chat. */
  approve: ChatHandle['approve'] = (toolCallId, options) => this.chat.approve(toolCallId, options);

  /** Denies a pending tool call of the default chat. */
  deny: ChatHandle['deny'] = (toolCallId, options) => this.chat.deny(toolCallId, options);

  /** Approves or denies that the agent sees the result of a tool call. */
  confirmResult: ChatHandle['confirmResult'] = (toolCallId, approved) =>
    this.chat.confirmResult(toolCallId, approved);

  /** Cancels the active turn of the default chat. */
  cancel: ChatHandle['cancel'] = () => this.chat.cancel();

  /**
   * Open input requests of all chats of the session, including chats that are not open in this client
   * [SESS-7].
   */
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

  /** Tool calls that wait for a person in any chat of the session, including chats that are not open in this client [SESS-7]. */
  toolConfirmations(): ToolConfirmationHandle[] {
    const waiting = (): SessionToolConfirmationRequest[] =>
      (this.mirror.state.inputNeeded ?? []).filter((entry) => entry.kind === 'toolConfirmation');
    return waiting().map(
      (request) =>
        new ToolConfirmationHandle(request, {
          read: () => waiting().find(({ id }) => id === request.id),
          dispatch: (answer) => this.#client.dispatch(request.chat, answer),
        }),
    );
  }

  /** Opens the annotations of the session's files. Dispose the handle after use. Rejects like `subscribe`. */
  async annotations(): Promise<AnnotationsHandle> {
    const mirror = await this.#client.subscribe(annotationsUri(this.uri), { kind: 'annotations' });
    return new AnnotationsHandle(mirror, this.#newId);
  }

  /**
   * Starts a turn in the default chat with annotations, by default all that are open. They stay open after the turn [ANN-1]. Rejects like
   * `subscribe`.
   */
  async sendAnnotations(text: string, ids?: readonly string[]): Promise<Prompt> {
    const annotations = await this.annotations();
    try {
      return this.prompt(annotations.message(text, ids));
    } finally {
      annotations.dispose();
    }
  }

  /** The ports that processes of the session listen on, by number. Changes like the rest of the session's state. */
  get ports(): SessionPort[] {
    return sessionPorts(this.mirror.state);
  }

  /** Opens a port of the session through the host. See `Sessions.openPreview`. */
  openPreview(port: number): Promise<OpenedPreview> {
    return this.#openPreview(this.uri, port);
  }

  /** The changesets of the session, such as its uncommitted changes. The host offers them from the first turn on. */
  async changes(): Promise<Changes> {
    // Loaded when it is needed.
    const { Changes: Made } = await import('./changes.ts');
    return new Made({ uri: this.uri, catalogue: () => this.mirror.state.changesets }, this.#client);
  }

  /** Renames the session. The agent's own titles no longer apply [SESS-11]. */
  rename(title: string): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/titleChanged', title });
  }

  /** Marks the session as read or unread. A new turn or question makes it unread again [SESS-5]. */
  setRead(isRead: boolean): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/isReadChanged', isRead });
  }

  /** Archives the session, or takes it out of the archive. */
  setArchived(isArchived: boolean): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/isArchivedChanged', isArchived });
  }

  /**
   * Changes config values; values that are not named stay. Rejected when one is not mutable or does not fit
   * the schema [SESS-9].
   */
  configure(config: Record<string, unknown>): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/configChanged', config });
  }

  /** Replaces the session's metadata, by which the list can be filtered. */
  setMetadata(metadata: Record<string, string>): Promise<DispatchOutcome> {
    return this.configure({ metadata });
  }

  /** Opens another chat of this session. Dispose its handle separately. */
  async openChat(uri: URI, options: SubscriptionOptions = {}): Promise<ChatHandle> {
    const mirror = await this.#client.subscribe(uri, { ...options, kind: 'chat' });
    return new ChatHandle(mirror, this.#newId, this.#now, this.#client);
  }

  /** Creates another chat in this session and opens it [CHAT-1]. */
  async createChat(
    params: Omit<ClientToHostRequests['createChat']['params'], 'channel' | 'chat'> = {},
    options: SubscriptionOptions = {},
  ): Promise<ChatHandle> {
    const chat = channelUri('chat', this.#newId());
    await this.#client.request('createChat', { channel: this.uri, chat, ...params });
    return this.openChat(chat, options);
  }

  /**
   * Creates a session that starts as a copy of this one up to a completed turn of any chat, and opens it.
   * Agent, folder and config are copied unless `options` names others [SESS-12].
   */
  fork(turnId: string, options: Omit<CreateSessionOptions, 'x-fork'> = {}): Promise<SessionHandle> {
    return this.#create({ ...options, 'x-fork': { session: this.uri, turnId } });
  }

  /**
   * Creates a chat in this session that starts as a copy of one of its chats (by default the default chat),
   * and opens it [CHAT-1].
   */
  forkChat(
    turnId: string,
    { chat = this.chat.mirror.uri, ...options }: SubscriptionOptions & { readonly chat?: URI } = {},
  ): Promise<ChatHandle> {
    return this.createChat({ source: { kind: 'fork', chat, turnId } }, options);
  }

  /**
   * Creates a chat in this session beside one of its chats (by default the default chat), and opens it. Its agent knows that chat up to and
   * including a completed or the active turn, as they are now; the new chat itself is empty [CHAT-39].
   */
  startSideChat(
    turnId: string,
    {
      chat = this.chat.mirror.uri,
      selection,
      ...options
    }: SubscriptionOptions & { readonly chat?: URI; readonly selection?: SideChatSelection } = {},
  ): Promise<ChatHandle> {
    const source = { kind: 'sideChat' as const, chat, turnId, ...defined({ selection }) };
    return this.createChat({ source }, options);
  }

  /** Disposes a chat of this session. The last chat that people can write to cannot be disposed [CHAT-1]. */
  async disposeChat(chat: URI): Promise<void> {
    await this.#client.request('disposeChat', { channel: chat });
  }

  /**
   * Moves a chat of this session within its list, to another session or to a new one, with its worker chats. Resolves with the session that
   * it belongs to then. Open handles of the chat stay. Rejects like `AhpClient.request`, for example for a chat that is not `movable` or
   * that runs a turn [SESS-29].
   */
  async moveChat(chat: URI, destination: ChatMoveDestination): Promise<URI> {
    const { session } = await this.#client.request('moveChat', { channel: chat, destination });
    return session;
  }

  /**
   * Offers tools to the session's agents in addition to those already offered, and runs their calls,
   * including calls made while the client was disconnected [SESS-8] [CHAT-9]. Resolves when the host has
   * registered them. Rejects with `DispatchRejected` (for example for an invalid or a duplicate name) and
   * like `subscribe`.
   */
  async offerTools(tools: readonly OfferedTool[], options: OfferOptions = {}): Promise<ToolOffer> {
    return this.#hold(await this.#tools.offer(this.uri, { tools }, options));
  }

  /**
   * Publishes a plugin for the session [CUST-2]. The host reads its files from this client, and the plugin goes with the client. Resolves when the
   * host has registered the plugin; `mirror.state.customizations` shows what the host has read. Other files under the same id are a new version.
   * Rejects like `offerTools`.
   */
  async publishPlugin(plugin: PluginFolder, options: OfferOptions = {}): Promise<ToolOffer> {
    const plugins = await this.#plugins();
    const offer = await plugins.publish(plugin, (entry) =>
      this.#tools.offer(this.uri, { plugins: [entry] }, options),
    );
    return this.#hold(offer);
  }

  /** Ends an offer with this handle at the latest. */
  #hold(offer: ToolOffer): ToolOffer {
    if (this.mirror.isDisposed) offer.dispose();
    else this.#offers.add(offer);
    return offer;
  }

  /**
   * Decides whether a customization of the session is enabled: `enablement` replaces all decisions about it [CUST-21]. `withDecision` of the
   * protocol package changes one of them. Rejected for an unknown id, and for a list that is out of order [CUST-20].
   */
  toggleCustomization(id: string, enablement: CustomizationEnablement[]): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'session/customizationToggled', id, enablement });
  }

  /** Disposes both mirrors and withdraws the tools and plugins offered through this handle. The session continues. */
  dispose(): void {
    for (const offer of this.#offers) offer.dispose();
    this.chat.dispose();
    this.mirror.dispose();
  }
}
