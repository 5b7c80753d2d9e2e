import {
  type AhpMcpUiHostCapabilities,
  authRequired,
  invalidParam,
  isWithinScope,
  kindOfScheme,
  limitReached,
  MCP_METHOD_CAPABILITY,
  methodNotFound,
  notFound,
  permissionDenied,
  type URI,
} from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import { RpcError } from '@agenthost/rpc';
import type {
  SideCaller,
  SideChannels,
  StatelessSubscription,
} from '../../handler-port/stateless-channels.ts';
import type { Log } from '../../lib/log.ts';
import { EncodedNotification, type Sink } from '../../sync/subscription.ts';
import { McpAuthChallenge } from './challenge.ts';
import type { McpServer } from './server.ts';
import { FORWARDED, type SideNotification } from './side-notification.ts';
import { isForApps } from './tool-audience.ts';

/** Time limit of a list or a resource, in milliseconds. */
const READ_LIMIT_MS = 30_000;
/** Most calls of tools that one connection may have open. */
const MAX_CALLS = 8;
/** Most side channels that one connection may subscribe to. */
const MAX_SUBSCRIPTIONS = 32;
/** A subscriber with more waiting output than this gets no notifications, until it has read. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_LOG_LENGTH = 4_000;

type Method = keyof typeof MCP_METHOD_CAPABILITY;

/** A server behind a channel. */
interface SideServer {
  readonly server: McpServer;
  readonly session: URI;
  /** What the channel forwards; `undefined`: the server is not ready, and the channel is closed. */
  readonly capabilities: AhpMcpUiHostCapabilities | undefined;
}

const isMethod = (method: string): method is Method => Object.hasOwn(MCP_METHOD_CAPABILITY, method);

/** The channel of a server [MCP-2]. */
export const sideChannelUri = (session: URI, id: string): URI =>
  `mcp://agenthost/${encodeURIComponent(session)}/${encodeURIComponent(id)}`;

/** What the channel of a server forwards. */
export function capabilitiesOf(server: McpServer): AhpMcpUiHostCapabilities | undefined {
  if (server.state.kind !== 'ready') return undefined;
  const { tools, resources } = server.connection?.client.getServerCapabilities() ?? {};
  const listOf = (list: { listChanged?: boolean | undefined } | undefined): object | undefined =>
    list && (list.listChanged === true ? { listChanged: true } : {});
  return { ...defined({ serverTools: listOf(tools), serverResources: listOf(resources) }), logging: {} };
}

/** The side channels to the MCP servers of all sessions [MCP-2]. */
export class McpSideChannels implements SideChannels {
  readonly #find: (uri: URI) => SideServer | undefined;
  readonly #log: Log;
  readonly #subscribers = new Map<URI, Set<Sink>>();
  readonly #calls = new Map<Sink, number>();

  /** `find`: the server of a channel. */
  constructor(log: Log, find: (uri: URI) => SideServer | undefined) {
    this.#log = log;
    this.#find = find;
  }

  has(uri: URI): boolean {
    return kindOfScheme(uri) === 'mcp';
  }

  /** Throws `-32009` for a client that shows no user interfaces, `-32008` for a channel that is not open, and `-32011` above 32 channels. */
  subscribe(uri: URI, sink: Sink, client: StatelessSubscription): void {
    checkClient(client);
    if (this.#find(uri)?.capabilities === undefined) throw notFound('channel', uri);
    const subscribers = this.#subscribers.get(uri) ?? new Set();
    if (!subscribers.has(sink) && this.#countOf(sink) >= MAX_SUBSCRIPTIONS)
      throw limitReached(
        `A connection may subscribe to ${MAX_SUBSCRIPTIONS} channels of MCP servers; unsubscribe from one first`,
        'subscriptions',
        MAX_SUBSCRIPTIONS,
      );
    this.#subscribers.set(uri, subscribers.add(sink));
  }

  unsubscribe(uri: URI, sink: Sink): void {
    const subscribers = this.#subscribers.get(uri);
    if (subscribers?.delete(sink) === true && subscribers.size === 0) this.#subscribers.delete(uri);
  }

  leave(sink: Sink): void {
    for (const uri of [...this.#subscribers.keys()]) this.unsubscribe(uri, sink);
  }

  /** Ends the subscriptions to the channel of a server that is no longer ready. */
  close(uri: URI): void {
    this.#subscribers.delete(uri);
  }

  /** Sends a notification of a server to the subscribers of its channel. */
  forward(uri: URI, method: SideNotification, params: object): void {
    const subscribers = this.#subscribers.get(uri);
    if (subscribers === undefined || this.#find(uri)?.capabilities?.[FORWARDED[method]] === undefined) return;
    const notification = new EncodedNotification(method, { ...params, channel: uri });
    for (const sink of subscribers)
      if ((sink.waitingBytes ?? 0) <= MAX_WAITING_BYTES) sink.notification(notification);
  }

  async request(method: string, params: unknown, caller: SideCaller, signal: AbortSignal): Promise<object> {
    const { channel, given } = readParams(params);
    if (!isMethod(method) || !this.has(channel)) throw methodNotFound(method, channel);
    checkClient(caller);
    const found = this.#find(channel);
    if (found?.capabilities === undefined) throw notFound('channel', channel);
    if (found.capabilities[MCP_METHOD_CAPABILITY[method]] === undefined)
      throw methodNotFound(method, channel);
    try {
      return await this.#forwarded(method, given, { ...found, sink: caller.sink, signal });
    } catch (error) {
      throw sideError(error);
    }
  }

  logged(params: unknown, caller: SideCaller): void {
    if (!caller.hasMcpApps || !isWithinScope(caller.scope, 'interact')) return;
    if (!isObject(params) || typeof params['channel'] !== 'string') return;
    const found = this.#find(params['channel']);
    if (found?.capabilities?.logging === undefined) return;
    const { level, data } = params;
    const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
    const of = {
      session: found.session,
      mcpServer: found.server.entry.name,
      level: String(level).slice(0, 20),
    };
    this.#log.debug({ ...of, client: caller.clientId }, `a view says: ${text.slice(0, MAX_LOG_LENGTH)}`);
  }

  async #forwarded(
    method: Method,
    params: Readonly<Record<string, unknown>>,
    { server, sink, signal }: SideServer & { readonly sink: Sink; readonly signal: AbortSignal },
  ): Promise<object> {
    const client = server.connection?.client;
    if (client === undefined) throw methodNotFound(method);
    const options = { signal, timeout: READ_LIMIT_MS };
    switch (method) {
      case 'tools/call':
        return this.#call(server, params, { sink, signal });
      case 'logging/setLevel':
        if (client.getServerCapabilities()?.logging === undefined) throw methodNotFound(method);
        return client.request({ method, params }, options);
      case 'tools/list':
      case 'resources/list':
      case 'resources/templates/list':
      case 'resources/read':
        return client.request({ method, params }, options);
      case 'sampling/createMessage':
      case 'notifications/message':
        throw methodNotFound(method);
      default:
        return method satisfies never;
    }
  }

  async #call(
    server: McpServer,
    { name, arguments: input = {} }: Readonly<Record<string, unknown>>,
    { sink, signal }: { readonly sink: Sink; readonly signal: AbortSignal },
  ): Promise<object> {
    if (typeof name !== 'string') throw invalidParam('name', 'expected the name of a tool');
    if (!isObject(input)) throw invalidParam('arguments', 'expected an object');
    const tool = server.tools.find((each) => each.name === name);
    if (tool === undefined || !isForApps(tool))
      throw invalidParam(
        'name',
        `expected a tool of the server for user interfaces, got ${JSON.stringify(name.slice(0, 100))}`,
      );
    const count = this.#calls.get(sink) ?? 0;
    if (count >= MAX_CALLS)
      throw limitReached(
        `${MAX_CALLS} calls of this connection are running; wait for one`,
        'calls',
        MAX_CALLS,
      );
    this.#calls.set(sink, count + 1);
    try {
      return await server.call({ tool: name, input, signal });
    } finally {
      const left = (this.#calls.get(sink) ?? 1) - 1;
      if (left === 0) this.#calls.delete(sink);
      else this.#calls.set(sink, left);
    }
  }

  #countOf(sink: Sink): number {
    return [...this.#subscribers.values()].filter((each) => each.has(sink)).length;
  }
}

function checkClient({ scope, hasMcpApps }: Pick<StatelessSubscription, 'scope' | 'hasMcpApps'>): void {
  if (!isWithinScope(scope, 'interact'))
    throw permissionDenied('Channels of MCP servers need a token with the scope interact');
  if (!hasMcpApps)
    throw permissionDenied('Channels of MCP servers are for clients with the capability mcpApps');
}

function readParams(params: unknown): { channel: URI; given: Readonly<Record<string, unknown>> } {
  if (!isObject(params) || typeof params['channel'] !== 'string')
    throw invalidParam('channel', 'expected the channel of an MCP server');
  // The progress token of the client would be one of the host at the server.
  const { channel, _meta, ...given } = params;
  return { channel, given };
}

/** An error of the server as it came, and others in words. */
function sideError(error: unknown): unknown {
  if (error instanceof McpAuthChallenge) return authRequired([error.auth.resource]);
  if (!(error instanceof Error) || error.name === 'WireError') return error;
  const code = 'code' in error && typeof error.code === 'number' ? error.code : -32_603;
  return new RpcError(code, errorText(error).slice(0, MAX_LOG_LENGTH));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
