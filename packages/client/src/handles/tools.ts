import {
  type ChannelKind,
  type ClientAction,
  type ClientPluginCustomization,
  type ClientToHostRequests,
  ROOT_URI,
  type SessionActiveClient,
  type SessionToolClientExecutionRequest,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ConnectionState } from '../connection/connection-state.ts';
import { ChannelLost, ConnectionLost, DispatchRejected } from '../errors.ts';
import type { SubscriptionOptions } from '../mirror/channel.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { type OfferedTool, RunningTool } from './tool-run.ts';

/** The parts of a client that tool offers use. */
export interface ToolsPort {
  readonly clientId: string;
  dispatch(uri: URI, action: ClientAction): Promise<DispatchOutcome>;
  subscribe<K extends ChannelKind>(
    uri: URI,
    options: SubscriptionOptions & { readonly kind: K },
  ): Promise<Mirror<K>>;
  request(
    method: 'resourceRead',
    params: ClientToHostRequests['resourceRead']['params'],
  ): Promise<ClientToHostRequests['resourceRead']['result']>;
  onStatus(listener: (status: ConnectionState) => void): () => void;
}

/** Tools or plugins that this client offers to a session. */
export interface ToolOffer {
  /**
   * Withdraws them; running calls fail. When nothing is left the client leaves the session's active
   * clients. Idempotent.
   */
  dispose(): void;
}

/** How this client appears among the active clients of a session. */
export interface OfferOptions {
  /** Name for people. Default: none. */
  displayName?: string;
}

interface Offer {
  readonly tools: readonly OfferedTool[];
  readonly plugins: readonly ClientPluginCustomization[];
  readonly options: OfferOptions;
}

/** All tools that a client offers, by session, however many handles of a session are open. */
export class ToolOffers {
  readonly #client: ToolsPort;
  readonly #sessions = new Map<URI, Promise<SessionTools>>();

  constructor(client: ToolsPort) {
    this.#client = client;
  }

  /** See `SessionHandle.offerTools` and `SessionHandle.publishPlugin`. */
  async offer(
    uri: URI,
    { tools = [], plugins = [] }: Partial<Pick<Offer, 'tools' | 'plugins'>>,
    options: OfferOptions,
  ): Promise<ToolOffer> {
    const opening = this.#sessions.get(uri) ?? this.#open(uri);
    this.#sessions.set(uri, opening);
    const session = await opening;
    // The last tool was withdrawn meanwhile.
    if (session.isOver) return this.offer(uri, { tools, plugins }, options);
    const offer: Offer = { tools, plugins, options };
    const dispose = (): void => {
      if (session.remove(offer)) this.#forget(uri, opening);
    };
    try {
      settle(uri, await session.add(offer));
    } catch (error) {
      dispose();
      throw error;
    }
    return { dispose };
  }

  async #open(uri: URI): Promise<SessionTools> {
    try {
      return new SessionTools(this.#client, await this.#client.subscribe(uri, { kind: 'session' }));
    } catch (error) {
      this.#sessions.delete(uri);
      throw error;
    }
  }

  #forget(uri: URI, opening: Promise<SessionTools>): void {
    if (this.#sessions.get(uri) === opening) this.#sessions.delete(uri);
  }
}

/**
 * This client as an active client of a session: joins, rejoins after a disconnect, and runs each call once
 * [SESS-8] [CHAT-9].
 */
class SessionTools {
  readonly #client: ToolsPort;
  readonly #mirror: Mirror<'session'>;
  readonly #stopStatus: () => void;
  readonly #offers = new Set<Offer>();
  /** By the id of the entry in `inputNeeded`, for as long as the entry exists, so that no call runs twice. */
  readonly #runs = new Map<string, RunningTool>();
  /** Ids of the plugins that were offered at any time. */
  readonly #pluginIds = new Set<string>();
  /** Unanswered actions of `#join`. */
  #joinCount = 0;
  #isOver = false;

  constructor(client: ToolsPort, mirror: Mirror<'session'>) {
    this.#client = client;
    this.#mirror = mirror;
    mirror.onChange(() => this.#look());
    this.#stopStatus = client.onStatus(({ state }) => {
      // The client that took over answers the calls.
      if (state === 'closed' || state === 'replaced') this.#endRuns(`The client is ${state}`);
    });
  }

  /** All tools were withdrawn. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async add(offer: Offer): Promise<DispatchOutcome> {
    this.#offers.add(offer);
    for (const { id } of offer.plugins) this.#pluginIds.add(id);
    return this.#join();
  }

  /** Returns true when it was the last offer. */
  remove(offer: Offer): boolean {
    if (!this.#offers.delete(offer)) return false;
    for (const run of this.#runs.values())
      if (run.tool !== undefined && offer.tools.includes(run.tool)) run.fail('The tool is no longer offered');
    if (this.#offers.size > 0) {
      void this.#join();
      return false;
    }
    if (this.#own !== undefined) {
      const { clientId } = this.#client;
      void this.#client.dispatch(this.#mirror.uri, { type: 'session/activeClientRemoved', clientId });
    }
    this.#isOver = true;
    this.#stopStatus();
    this.#mirror.dispose();
    return true;
  }

  /** This client's entry among the active clients, as it will be once the host has answered. */
  get #own(): SessionActiveClient | undefined {
    return this.#mirror.state.activeClients.find(({ clientId }) => clientId === this.#client.clientId);
  }

  async #join(): Promise<DispatchOutcome> {
    const displayName = [...this.#offers].findLast(({ options }) => options.displayName)?.options.displayName;
    const others = this.#own?.customizations?.filter(({ id }) => !this.#pluginIds.has(id)) ?? [];
    const customizations = [...others, ...[...this.#offers].flatMap(({ plugins }) => plugins)];
    const activeClient: SessionActiveClient = {
      ...this.#own,
      clientId: this.#client.clientId,
      ...defined({ displayName }),
      tools: this.#tools.map(({ run: _, ...definition }) => definition),
      ...(customizations.length === 0 && this.#pluginIds.size === 0 ? {} : { customizations }),
    };
    this.#joinCount += 1;
    try {
      return await this.#client.dispatch(this.#mirror.uri, { type: 'session/activeClientSet', activeClient });
    } finally {
      this.#joinCount -= 1;
    }
  }

  get #tools(): OfferedTool[] {
    return [...this.#offers].flatMap(({ tools }) => tools);
  }

  #look(): void {
    if (this.#mirror.isLost) return this.#endRuns('The session is gone');
    const { clientId } = this.#client;
    const { activeClients, inputNeeded = [] } = this.#mirror.confirmed;
    const calls = inputNeeded.filter(
      (entry): entry is SessionToolClientExecutionRequest =>
        entry.kind === 'toolClientExecution' && entry.clientId === clientId,
    );
    const open = new Set(inputNeeded.map(({ id }) => id));
    for (const [id, run] of this.#runs) {
      if (open.has(id)) continue;
      run.end('Nothing waits for the answer any more');
      this.#runs.delete(id);
    }
    for (const call of calls) if (!this.#runs.has(call.id)) this.#begin(call);
    const isIn = activeClients.some((each) => each.clientId === clientId);
    // The client was away for too long and is back.
    if (!isIn && this.#joinCount === 0 && this.#offers.size > 0) void this.#join();
  }

  #begin(call: SessionToolClientExecutionRequest): void {
    const tool = this.#tools.find(({ name }) => name === call.toolCall.toolName);
    const dispatch = (chat: URI, action: ClientAction): Promise<DispatchOutcome> =>
      this.#client.dispatch(chat, action);
    this.#runs.set(
      call.id,
      new RunningTool(call, tool, { dispatch, readText: (uri) => this.#readText(uri) }),
    );
  }

  async #readText(uri: URI): Promise<string> {
    const { data } = await this.#client.request('resourceRead', {
      channel: ROOT_URI,
      uri,
      encoding: 'utf-8',
    });
    return data;
  }

  #endRuns(reason: string): void {
    for (const run of this.#runs.values()) run.end(reason);
  }
}

function settle(uri: URI, outcome: DispatchOutcome): void {
  switch (outcome.outcome) {
    case 'accepted':
      return;
    case 'rejected':
      throw new DispatchRejected(outcome);
    case 'dropped':
      throw new ConnectionLost(outcome.reason);
    case 'ignored':
      throw new ChannelLost(uri);
    default:
      outcome satisfies never;
  }
}
