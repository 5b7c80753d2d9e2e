import { pathToFileURL } from 'node:url';
import { errorText } from '@agenthost/protocol/values';
import type {
  Client,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  FetchLike,
  Transport,
} from '@modelcontextprotocol/client';
import type { ChildRegistry } from '../../agents/provider.ts';
import {
  expandVariables,
  isWebUrl,
  type McpServerEntry,
  type RemoteEntry,
} from '../../config/mcp-servers.ts';
import { boundedFetch } from '../../lib/bounded-fetch.ts';
import type { Timers } from '../../lib/clock.ts';
import { type McpAuthChallenge, readChallenge } from './challenge.ts';
import { limitedResponse } from './limited-fetch.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Largest message of a server, in bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Settings, services and callbacks of a connection. */
export interface ConnectOptions {
  readonly entry: McpServerEntry;
  /** Absolute path of the session's primary working directory. */
  readonly folder: string;
  /** Absolute paths that the server may work in, which it can ask for. */
  roots(): readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly children: ChildRegistry;
  readonly timers: Timers;
  readonly version: string;
  /** The present token for this server. */
  token(): Promise<string | undefined>;
  /** The token in place of one that the server has refused; `undefined`: there is no other. */
  tokenInsteadOf(refused: string): Promise<string | undefined>;
  /** Answers a question of the server to people. */
  elicit(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
  /** Answers a request of the server for an answer of a model. Absent: the server is told that there are none. */
  sample?(params: CreateMessageRequestParams, signal: AbortSignal): Promise<CreateMessageResult>;
  onToolsChanged(): void;
  /** A message of the server's log, as it came. */
  onNotification(method: 'notifications/message', params: object): void;
  /** A line of the server's log or of its standard error. */
  onLog(level: string, text: string): void;
  /** The connection has ended unexpectedly; why, in words. */
  onClosed(why: string): void;
}

/** An initialized connection to a server. */
export interface McpConnection {
  readonly client: Client;
  /** The last challenge since the last call of this function. */
  takeChallenge(): McpAuthChallenge | undefined;
  /** Ends the connection, and the program. Idempotent. */
  close(): Promise<void>;
}

/**
 * Connects to a server. Rejects with the reason, with `McpAuthChallenge` if a token is needed, and when `signal` aborts; the program has ended
 * then. Loads the client library on first use.
 */
export async function connect(options: ConnectOptions, signal: AbortSignal): Promise<McpConnection> {
  const library = await import('@modelcontextprotocol/client');
  const client = new library.Client(
    { name: 'agenthost', title: 'agenthost', version: options.version },
    {
      capabilities: {
        roots: { listChanged: true },
        elicitation: { form: {}, url: {} },
        ...(options.sample === undefined ? {} : { sampling: {} }),
      },
      listChanged: { tools: { autoRefresh: false, onChanged: () => options.onToolsChanged() } },
    },
  );
  client.setRequestHandler('roots/list', () => ({
    roots: options.roots().map((path) => ({ uri: pathToFileURL(path).href })),
  }));
  client.setRequestHandler('elicitation/create', ({ params }, context) =>
    options.elicit(params, context.mcpReq.signal),
  );
  const { sample } = options;
  if (sample !== undefined)
    client.setRequestHandler('sampling/createMessage', ({ params }, context) =>
      sample(params, context.mcpReq.signal),
    );
  client.setNotificationHandler('notifications/message', ({ params }) => {
    options.onNotification('notifications/message', params);
    options.onLog(params.level, typeof params.data === 'string' ? params.data : JSON.stringify(params.data));
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- not an event target
  client.onerror = (error) => options.onLog('debug', errorText(error));
  const challenges: McpAuthChallenge[] = [];
  const { transport, whyClosed } = await transportFor(options, library.parseJSONRPCMessage, (challenge) =>
    challenges.push(challenge),
  );
  let isOpen = false;
  const close = async (): Promise<void> => {
    isOpen = false;
    await client.close();
    await transport.close();
  };
  const takeChallenge = (): McpAuthChallenge | undefined => {
    const last = challenges.at(-1);
    challenges.length = 0;
    return last;
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- not an event target
  client.onclose = () => {
    if (!isOpen) return;
    isOpen = false;
    options.onClosed(whyClosed());
  };
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  try {
    await Promise.race([client.connect(transport, { timeout: NEVER_MS }), aborted]);
    isOpen = true;
    return { client, takeChallenge, close };
  } catch (error) {
    await close();
    const challenge = takeChallenge();
    if (challenge !== undefined) throw challenge;
    const why = transport instanceof StdioTransport ? transport.exit : undefined;
    throw why === undefined || signal.aborted ? error : new Error(why, { cause: error });
  }
}

/** The host has time limits of its own. */
export const NEVER_MS = 2 ** 31 - 1;

interface OpenedTransport {
  readonly transport: Transport;
  whyClosed(): string;
}

async function transportFor(
  options: ConnectOptions,
  parse: (value: unknown) => Parameters<Transport['send']>[0],
  onChallenge: (challenge: McpAuthChallenge) => void,
): Promise<OpenedTransport> {
  const { entry, folder, environment, children, timers } = options;
  if (entry.kind === 'stdio') {
    const transport = new StdioTransport({
      entry,
      folder,
      environment,
      children,
      timers,
      limitBytes: MAX_MESSAGE_BYTES,
      parse: (text) => parse(JSON.parse(text)),
      onErrorText: (text) => options.onLog('info', text.trimEnd()),
    });
    return { transport, whyClosed: () => transport.exit ?? 'its output has ended' };
  }
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const url = new URL(checkedUrl(entry, environment));
  const headers = Object.fromEntries(
    Object.entries(entry.headers).map(([name, value]) => [name, expandVariables(value, environment)]),
  );
  const request = { requestInit: { headers }, fetch: remoteFetch(url.href, options, onChallenge) };
  const transport =
    entry.kind === 'http'
      ? new StreamableHTTPClientTransport(url, request)
      : new SSEClientTransport(url, request);
  return { transport, whyClosed: () => 'the server has closed the connection' };
}

function checkedUrl({ url }: RemoteEntry, environment: ConnectOptions['environment']): string {
  const expanded = expandVariables(url, environment);
  if (!isWebUrl(expanded))
    throw new Error(`url: expected an http or https URL, got ${expanded.slice(0, 80)}`);
  return expanded;
}

/** Adds the token to requests, renews one that is refused, and reads challenges and large answers. */
function remoteFetch(
  url: string,
  { entry, token: tokenNow, tokenInsteadOf, timers }: ConnectOptions,
  onChallenge: (challenge: McpAuthChallenge) => void,
): FetchLike {
  const send = (target: string | URL, init: RequestInit | undefined, token: string | undefined) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    return fetch(target, { ...init, headers });
  };
  return async (target, init) => {
    const token = await tokenNow();
    let response = await send(target, init, token);
    const other = response.status === 401 && token !== undefined ? await tokenInsteadOf(token) : undefined;
    if (other !== undefined) {
      await response.body?.cancel();
      response = await send(target, init, other);
    }
    const challenge = await readChallenge(url, response, token !== undefined, {
      fetch: boundedFetch(timers),
      clientId: entry.kind === 'stdio' ? undefined : entry.oauth?.clientId,
    });
    if (challenge === undefined) return limitedResponse(response, MAX_MESSAGE_BYTES);
    onChallenge(challenge);
    await response.body?.cancel();
    throw challenge;
  };
}
