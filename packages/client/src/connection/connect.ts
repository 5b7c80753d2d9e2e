import type { Transport } from '@agenthost/rpc';
import { ConnectFailed, connectWebSocket } from '@agenthost/rpc/websocket';
import { AhpClient } from '../client.ts';
import { CannotConnect, type Refusal } from '../errors.ts';
import type { ClientBehavior, ClientOptions } from '../options.ts';
import { refusalOf, refused } from './refusal.ts';

/** How to reach a host over a WebSocket. */
export interface ConnectOptions extends ClientBehavior {
  /** Access token [AUTH-1]; sent as `?token=`, since browsers can set no headers. Absent or `undefined`, as a variable that is not set: none is sent. */
  token?: string | undefined;
}

/** Makes a client over any transport; nothing happens until its `connect`. */
export function createClient(options: ClientOptions): AhpClient {
  return new AhpClient(options);
}

/**
 * Connects to a host. `url` is `http(s)://…` or `ws(s)://…`; without a path it gets `/ahp`. Rejects with
 * `CannotConnect`, `Unauthorized` or `HandshakeFailed`; once connected, the client reconnects by itself.
 */
export async function connect(url: string, { token, ...behavior }: ConnectOptions = {}): Promise<AhpClient> {
  const endpoint = endpointOf(url, token);
  const client = createClient({ ...behavior, transport: (signal) => openWebSocket(endpoint, signal) });
  await client.connect();
  return client;
}

/** Where the protocol is spoken, the token in the query. */
export function endpointOf(url: string, token?: string): URL {
  const endpoint = new URL(url);
  endpoint.protocol = endpoint.protocol.replace('http', 'ws');
  if (endpoint.pathname === '/') endpoint.pathname = '/ahp';
  if (token !== undefined) endpoint.searchParams.set('token', token);
  return endpoint;
}

/** How much of an answer is read. */
const MAX_ANSWER_BYTES = 1_000;

/** What a host answers to a plain request at its path that it would take as a WebSocket. */
const UPGRADE_REQUIRED = 426;

/**
 * The platform hides why a WebSocket was refused; a host tells it to a plain request for the same. One that was just starting, and would take us
 * by now, is tried once more.
 */
async function openWebSocket(endpoint: URL, signal: AbortSignal): Promise<Transport> {
  const failure = await attempt(endpoint, signal);
  if (!(failure instanceof ConnectFailed)) return failure;
  const refusal = await askWhy(endpoint, signal);
  if (refusal === undefined) throw new CannotConnect(failure.message, { cause: failure });
  // In front of a host that starts again there may be somebody who knows nothing of it yet.
  if (refusal.status === 404 && !(await isReady(endpoint, signal)))
    throw new CannotConnect(failure.message, { cause: failure });
  if (refusal.status !== UPGRADE_REQUIRED) throw refused(endpoint, refusal, failure);
  const again = await attempt(endpoint, signal);
  if (!(again instanceof ConnectFailed)) return again;
  throw new CannotConnect(
    `${endpoint.host} is up, but no WebSocket to it can be opened: does a proxy between keep them back?`,
    { cause: again },
  );
}

async function attempt(endpoint: URL, signal: AbortSignal): Promise<Transport | ConnectFailed> {
  try {
    return await connectWebSocket(endpoint.href, { signal });
  } catch (error) {
    if (error instanceof ConnectFailed) return error;
    throw error;
  }
}

/** Nothing when nobody answers, no refusal is answered, or a page of another origin may not look. */
async function askWhy(endpoint: URL, signal: AbortSignal): Promise<Refusal | undefined> {
  const url = endpoint.href.replace(/^ws/, 'http');
  try {
    // The token is for nobody else.
    const response = await fetch(url, { signal, redirect: 'manual', cache: 'no-store' });
    const { status, headers } = response;
    const length = Number(headers.get('content-length') ?? Infinity);
    const body = status >= 400 && length <= MAX_ANSWER_BYTES ? await response.text() : '';
    if (body === '') await response.body?.cancel();
    return status >= 400 ? refusalOf(status, headers.get('content-type'), body) : undefined;
  } catch (error) {
    if (signal.aborted) throw error;
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
