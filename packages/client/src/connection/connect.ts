import type { Transport } from '@agenthost/rpc';
import { ConnectFailed, connectWebSocket } from '@agenthost/rpc/websocket';
import { AhpClient } from '../client.ts';
import { CannotConnect, type Refusal } from '../errors.ts';
import type { ClientBehavior, ClientOptions } from '../options.ts';
import { refusalOf, refused } from './refusal.ts';

/** Options of `connect`. */
export interface ConnectOptions extends ClientBehavior {
  /** Access token [AUTH-1]. Sent in a header by Node, and as `?token=` by browsers, which cannot set headers. Default: none is sent. */
  token?: string | undefined;
  /** Gives up and closes the client before it is connected for the first time; `connect` rejects with the signal's reason. No effect afterwards. */
  signal?: AbortSignal | undefined;
}

/** Makes a client over any transport. It does nothing until `connect()` is called. */
export function createClient(options: ClientOptions): AhpClient {
  return new AhpClient(options);
}

/**
 * Connects to a host over a WebSocket. `url` is `http(s)://…` or `ws(s)://…`; the default path is `/ahp`.
 * Rejects with `CannotConnect`, `Unauthorized` or `HandshakeFailed`. Once connected, the client reconnects by
 * itself.
 *
 * @example
 * const client = await connect('http://127.0.0.1:4711', { token: process.env.AGENTHOST_TOKEN });
 */
export async function connect(
  url: string,
  { token, signal: giveUp, ...behavior }: ConnectOptions = {},
): Promise<AhpClient> {
  const endpoint = endpointOf(url, token);
  const headers = setsHeaders() ? tokenHeader(endpoint) : {};
  const client = createClient({
    address: url,
    ...behavior,
    transport: (signal) => openWebSocket(endpoint, { signal, ...headers }),
  });
  return connected(client, giveUp);
}

/** The client when its first connection stands. Rejects like `connect()`, or with the reason of `giveUp`, which closes the client. */
export async function connected(client: AhpClient, giveUp: AbortSignal | undefined): Promise<AhpClient> {
  giveUp?.throwIfAborted();
  const close = (): void => client.close();
  giveUp?.addEventListener('abort', close, { once: true });
  try {
    await client.connect();
  } catch (error) {
    giveUp?.throwIfAborted();
    throw error;
  } finally {
    giveUp?.removeEventListener('abort', close);
  }
  return client;
}

/** The URL of the protocol's endpoint, with the token in its query. */
export function endpointOf(url: string, token?: string): URL {
  const endpoint = new URL(url);
  endpoint.protocol = endpoint.protocol.replace('http', 'ws');
  if (endpoint.pathname === '/') endpoint.pathname = '/ahp';
  if (token !== undefined) endpoint.searchParams.set('token', token);
  return endpoint;
}

/** Electron's pages have `process`, and the WebSocket of browsers. */
const setsHeaders = (): boolean => 'process' in globalThis && !('document' in globalThis);

/** Moves the token from the query of an endpoint into a header, because logs of proxies contain queries. A token that no header can hold stays. */
export function tokenHeader(endpoint: URL): { headers?: { authorization: string } } {
  const token = endpoint.searchParams.get('token') ?? '';
  if (!/^[!-~]+$/.test(token)) return {};
  endpoint.searchParams.delete('token');
  return { headers: { authorization: `Bearer ${token}` } };
}

/** How each request of an attempt is made. */
interface Attempt {
  readonly signal: AbortSignal;
  readonly headers?: Record<string, string>;
}

/** Longer bodies are not read. */
const MAX_ANSWER_BYTES = 1_000;

/** Status of a host's answer to a plain request at a path that accepts WebSockets. */
const UPGRADE_REQUIRED = 426;

/**
 * Platforms hide why a WebSocket was refused. A host explains it in the answer to a plain request for the
 * same URL. When that answer shows that the host is up by now, the WebSocket is tried once more.
 */
async function openWebSocket(endpoint: URL, how: Attempt): Promise<Transport> {
  const failure = await attempt(endpoint, how);
  if (!(failure instanceof ConnectFailed)) return failure;
  const refusal = await askWhy(endpoint, how);
  if (refusal === undefined) throw new CannotConnect(failure.message, { cause: failure });
  // While a host restarts, a proxy in front of it may answer with 404.
  if (refusal.status === 404 && !(await isReady(endpoint, how.signal)))
    throw new CannotConnect(failure.message, { cause: failure });
  if (refusal.status !== UPGRADE_REQUIRED) throw refused(endpoint, refusal, failure);
  const again = await attempt(endpoint, how);
  if (!(again instanceof ConnectFailed)) return again;
  throw new CannotConnect(
    `${endpoint.host} is up, but opening a WebSocket failed. A proxy may block WebSockets.`,
    { cause: again },
  );
}

async function attempt(endpoint: URL, how: Attempt): Promise<Transport | ConnectFailed> {
  try {
    return await connectWebSocket(endpoint.href, how);
  } catch (error) {
    if (error instanceof ConnectFailed) return error;
    throw error;
  }
}

/**
 * Resolves with `undefined` when nothing answers, when the answer is not an error, or when a page of another
 * origin may not read it.
 */
async function askWhy(endpoint: URL, how: Attempt): Promise<Refusal | undefined> {
  const url = endpoint.href.replace(/^ws/, 'http');
  try {
    // A redirect would send the token to another server.
    const response = await fetch(url, { ...how, redirect: 'manual', cache: 'no-store' });
    const { status, headers } = response;
    const length = Number(headers.get('content-length') ?? Infinity);
    const body = status >= 400 && length <= MAX_ANSWER_BYTES ? await response.text() : '';
    if (body === '') await response.body?.cancel();
    const [contentType, refusal] = [headers.get('content-type'), headers.get('x-refusal')];
    return status >= 400 ? refusalOf(status, { contentType, refusal }, body) : undefined;
  } catch (error) {
    if (how.signal.aborted) throw error;
    return undefined;
  }
}

async function isReady({ protocol, host }: URL, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${protocol.replace('ws', 'http')}//${host}/readyz`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
