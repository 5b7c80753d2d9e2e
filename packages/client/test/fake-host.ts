import {
  type ActionEnvelope,
  type ActionOrigin,
  type AutomationCapabilities,
  type ChannelKind,
  type ChatState,
  CLOSE_CODES,
  type CompletionItem,
  type CreateTerminalParams,
  type DispatchActionParams,
  type FetchTurnsParams,
  type InitializeParams,
  kindOfScheme,
  notFound,
  type ReconnectParams,
  ROOT_URI,
  type RootState,
  reduceMirrored,
  type SessionState,
  type Snapshot,
  type StateAction,
  type SubscribeParams,
  sessionOfAnnotations,
  type TerminalClaim,
  type TerminalState,
  type Turn,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type AnyMethods, Peer, RpcError, type Transport } from '@agenthost/rpc';

type AnyState = Snapshot['state'];

interface FakeConnection {
  peer: Peer<AnyMethods, AnyMethods>;
  clientId: string;
  subscriptions: Set<string>;
}

interface KnownClient {
  epoch: string | undefined;
  highestSeq: number;
}

/** How the fake host handles a dispatched action, if it does not accept the action. */
export type Verdict = { reject: string } | { instead: StateAction } | 'ignore' | undefined;

/** A host without journal and agents that applies every action at once, by the rules that a client observes. */
export class FakeHost {
  serverSeq = 0;
  /** Public envelopes, for replays and echoes of resent actions. */
  log: ActionEnvelope[] = [];
  /** A gap that starts below this number gets a snapshot. */
  coveredFrom = 0;
  readonly states = new Map<string, AnyState>();
  /** Absent: the host has no automations. */
  automations: AutomationCapabilities | undefined;
  readonly clients = new Map<string, KnownClient>();
  readonly requests: { method: string; params: unknown }[] = [];
  readonly dispatched: DispatchActionParams[] = [];
  connections: FakeConnection[] = [];
  /** Decides about each dispatch. */
  judge: (params: DispatchActionParams) => Verdict = () => undefined;
  /** Channels that handshakes leave out. */
  readonly leftOut = new Set<string>();
  /** Answers `reconnect` with snapshots even when the log has a replay. */
  isSnapshotOnly = false;
  /** The error to refuse a request with. */
  refuse: (method: string) => RpcError | undefined = () => undefined;
  /** Whether requests of this method stay unanswered. */
  hold: (method: string) => boolean = () => false;
  /** Older turns of a chat by cursor. */
  readonly pages = new Map<string, { turns: Turn[]; next?: string }>();
  /** Completions for any text. */
  completions: CompletionItem[] = [];
  /** Answers for methods that the fake host does not serve itself. */
  readonly answers = new Map<string, (params: unknown) => unknown>();
  now: () => number = () => 5_000;

  accept(transport: Transport): void {
    const connection: FakeConnection = {
      peer: new Peer<AnyMethods, AnyMethods>(transport, {
        unknownRequest: (method, params) => {
          this.requests.push({ method, params });
          const error = this.refuse(method);
          if (error !== undefined) throw error;
          if (this.hold(method)) return new Promise(() => undefined);
          return this.#serve(connection, method, params);
        },
        unknownNotification: (method, params) => {
          if (method === 'unsubscribe')
            connection.subscriptions.delete((params as { channel: string }).channel);
          if (method === 'dispatchAction') this.#dispatch(connection, params as DispatchActionParams);
        },
        onClose: () => {
          this.connections = this.connections.filter((other) => other !== connection);
        },
      }),
      clientId: '',
      subscriptions: new Set(),
    };
    this.connections.push(connection);
    connection.peer.start();
  }

  /** The only connection of a client. */
  connectionOf(clientId: string): FakeConnection {
    const found = this.connections.find((connection) => connection.clientId === clientId);
    if (found === undefined) throw new Error(`${clientId} is not connected`);
    return found;
  }

  /** Commits and publishes an action; without `origin` it is the host's own. */
  emit(channel: string, action: StateAction, origin?: ActionOrigin): ActionEnvelope {
    const state = this.states.get(channel);
    if (state === undefined) throw new Error(`no channel ${channel}`);
    const envelope: ActionEnvelope = {
      channel,
      action,
      serverSeq: ++this.serverSeq,
      ...defined({ origin }),
      'x-time': this.now(),
    };
    this.states.set(channel, reduceMirrored(kindOf(channel), state as never, action));
    this.log.push(envelope);
    for (const connection of this.connections) {
      if (connection.subscriptions.has(channel) || connection.clientId === origin?.clientId) {
        connection.peer.notify('action', envelope);
      }
    }
    return envelope;
  }

  /** Sends an envelope to one client only, with a number of its own [ACT-7]. */
  emitPrivately(clientId: string, envelope: Omit<ActionEnvelope, 'serverSeq'>): void {
    this.connectionOf(clientId).peer.notify('action', { ...envelope, serverSeq: ++this.serverSeq });
  }

  notifyAll(method: string, params: object): void {
    for (const { peer } of this.connections) peer.notify(method, params);
  }

  #serve(connection: FakeConnection, method: string, params: unknown): unknown {
    switch (method) {
      case 'ping':
        return null;
      case 'initialize':
        return this.#initialize(connection, params as InitializeParams);
      case 'reconnect':
        return this.#reconnect(connection, params as ReconnectParams);
      case 'subscribe':
        return this.#subscribe(connection, params as SubscribeParams);
      case 'createSession': {
        const { channel } = params as { channel: string };
        const chat = `${channel.replace('session', 'chat')}-main`;
        this.states.set(chat, chatState(chat));
        this.states.set(channel, sessionState(chat));
        return null;
      }
      case 'createChat': {
        const { chat } = params as { chat: string };
        this.states.set(chat, chatState(chat));
        return null;
      }
      case 'disposeChat':
        this.states.delete((params as { channel: string }).channel);
        return null;
      case 'createTerminal': {
        const { channel, claim, name = 'sh', cols, rows } = params as CreateTerminalParams;
        this.states.set(channel, {
          ...terminalState(claim, name),
          ...defined({ cols, rows }),
        });
        this.#listTerminals();
        return null;
      }
      case 'disposeTerminal':
        this.states.delete((params as { channel: string }).channel);
        for (const { subscriptions } of this.connections)
          subscriptions.delete((params as { channel: string }).channel);
        this.#listTerminals();
        return null;
      case 'x-signalTerminal':
        return null;
      case 'fetchTurns':
        return this.#fetchTurns(connection, params as FetchTurnsParams);
      case 'completions':
        return { items: this.completions };
      default: {
        const answer = this.answers.get(method);
        if (answer !== undefined) return answer(params);
        throw new RpcError(-32601, `Unknown method ${method}`);
      }
    }
  }

  #listTerminals(): void {
    const terminals = Array.from(this.states).flatMap(([resource, state]) =>
      'claim' in state
        ? [{ resource, title: state.title, claim: state.claim, lifecycle: state.lifecycle }]
        : [],
    );
    this.emit(ROOT_URI, { type: 'root/terminalsChanged', terminals });
  }

  #initialize(connection: FakeConnection, params: InitializeParams): unknown {
    this.#admit(connection, params.clientId, params['x-epoch']);
    const { snapshots } = this.#snapshots(connection, params.initialSubscriptions ?? []);
    return {
      ...{ protocolVersion: '1.0.0', serverSeq: this.serverSeq, snapshots, serverInfo: { name: 'fake' } },
      ...defined({ automations: this.automations }),
    };
  }

  #reconnect(connection: FakeConnection, params: ReconnectParams): unknown {
    const { lastSeenServerSeq: since, subscriptions } = params;
    const isKnown = this.clients.has(params.clientId);
    this.#admit(connection, params.clientId, params['x-epoch']);
    const isCovered = since >= this.coveredFrom;
    if (this.isSnapshotOnly || !isKnown || since > this.serverSeq || !isCovered) {
      const { snapshots } = this.#snapshots(connection, subscriptions);
      return { type: 'snapshot', snapshots };
    }
    const missing = subscriptions.filter((uri) => !this.states.has(uri));
    connection.subscriptions = new Set(subscriptions.filter((uri) => this.states.has(uri)));
    const actions = this.log.filter(
      ({ serverSeq, channel }) => serverSeq > since && connection.subscriptions.has(channel),
    );
    return { type: 'replay', actions, missing };
  }

  #admit(connection: FakeConnection, clientId: string, epoch: string | undefined): void {
    for (const other of this.connections) {
      if (other.clientId === clientId && other !== connection)
        other.peer.close(CLOSE_CODES.replaced, 'replaced');
    }
    connection.clientId = clientId;
    const known = this.clients.get(clientId);
    if (known === undefined || known.epoch !== epoch || epoch === undefined) {
      this.clients.set(clientId, { epoch, highestSeq: 0 });
    }
  }

  #snapshots(connection: FakeConnection, uris: string[]): { snapshots: Snapshot[] } {
    const snapshots = uris.flatMap((resource) => {
      const state = this.states.get(resource);
      if (state === undefined || this.leftOut.has(resource)) return [];
      connection.subscriptions.add(resource);
      return [{ resource, state, fromSeq: this.serverSeq }];
    });
    return { snapshots };
  }

  #subscribe(connection: FakeConnection, { channel, view }: SubscribeParams): unknown {
    if (channel.startsWith('ahp-otlp')) {
      connection.subscriptions.add(channel);
      return {};
    }
    const state = this.states.get(channel);
    if (state === undefined) throw notFound('channel', channel);
    connection.subscriptions.add(channel);
    return { snapshot: { resource: channel, state: windowed(state, view?.turns), fromSeq: this.serverSeq } };
  }

  #fetchTurns(
    { clientId }: FakeConnection,
    { channel, cursor = '', before, limit = 50 }: FetchTurnsParams,
  ): unknown {
    if (before !== undefined) {
      const { turns: all } = this.states.get(channel) as ChatState;
      const end = all.findIndex(({ id }) => id === before);
      if (end < 0) throw new RpcError(-32602, 'No such turn');
      const start = Math.max(0, end - limit);
      return { turns: all.slice(start, end), hasMore: start > 0 };
    }
    const page = this.pages.get(cursor);
    if (page === undefined) throw new RpcError(-32602, 'Unknown cursor');
    const { turns, next } = page;
    const turnsNextCursor = next === undefined ? {} : { turnsNextCursor: next };
    this.emitPrivately(clientId, {
      channel,
      action: { type: 'chat/turnsLoaded', turns, ...turnsNextCursor },
    });
    return {};
  }

  #dispatch({ clientId, peer }: FakeConnection, params: DispatchActionParams): void {
    this.dispatched.push(params);
    const { channel, clientSeq, action } = params;
    const origin = { clientId, clientSeq };
    const known = this.clients.get(clientId);
    const reject = (rejectionReason: string): void =>
      this.emitPrivately(clientId, { channel, action, origin, rejectionReason });
    if (known?.epoch !== undefined) {
      if (clientSeq <= known.highestSeq) {
        const original = this.log.find(
          (entry) => entry.origin?.clientId === clientId && entry.origin.clientSeq === clientSeq,
        );
        if (original === undefined) reject('outcomeExpired: the outcome is not known any more');
        else peer.notify('action', original);
        return;
      }
      known.highestSeq = clientSeq;
    }
    const verdict = this.judge(params);
    if (!this.states.has(channel) || verdict === 'ignore') return;
    if (verdict !== undefined && 'reject' in verdict) reject(verdict.reject);
    else if (verdict !== undefined) this.emit(channel, verdict.instead, origin);
    else if (action.type === 'terminal/input') this.emitPrivately(clientId, { channel, action, origin });
    else this.emit(channel, action, origin);
  }
}

function kindOf(uri: string): ChannelKind {
  if (sessionOfAnnotations(uri) !== undefined) return 'annotations';
  const kind = kindOfScheme(uri);
  return kind === undefined || kind === 'telemetry' || kind === 'mcp' ? 'session' : kind;
}

function windowed(state: AnyState, turns: number | undefined): AnyState {
  if (turns === undefined || !('turns' in state) || state.turns.length <= turns) return state;
  return { ...state, turns: state.turns.slice(-turns), turnsNextCursor: `before-${turns}` };
}

export const chatState = (resource: string, extra: Partial<ChatState> = {}): ChatState => ({
  resource,
  title: 'Chat',
  status: 1,
  modifiedAt: '1970-01-01T00:00:00.000Z',
  turns: [],
  ...extra,
});

export const sessionState = (chat: string): SessionState => ({
  provider: 'demo',
  title: 'Session',
  status: 1,
  lifecycle: 'ready',
  activeClients: [],
  chats: [{ resource: chat, title: 'Chat', status: 1, modifiedAt: '1970-01-01T00:00:00.000Z' }],
  defaultChat: chat,
});

export const terminalState = (claim: TerminalClaim, title = 'sh'): TerminalState => ({
  title,
  content: [],
  lifecycle: { status: 'running' },
  claim,
});

export const rootState = (): RootState => ({ agents: [] });

export const turnOf = (id: string, text = id): Turn => ({
  id,
  message: { text, origin: { kind: 'user' } },
  responseParts: [],
  state: 'complete',
});

export { ROOT_URI };
