import type { Transport } from '@agenthost/rpc';
import { ConnectFailed, connectWebSocket } from '@agenthost/rpc/websocket';
import { AhpClient } from './client.ts';
import { CannotConnect, Unauthorized } from './errors.ts';
import type { ClientBehavior, ClientOptions } from './options.ts';

/** How to reach a host over a WebSocket. */
export interface ConnectOptions extends ClientBehavior {
  /** Access token [AUTH-1]; sent as `?token=`, since browsers can set no headers. */
  token?: string;
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

/**
 * The platform hides why a WebSocket was refused. A host that is ready and still refuses, twice so that one that was
 * just starting is not blamed, does not want us.
 */
async function openWebSocket(endpoint: URL, signal: AbortSignal): Promise<Transport> {
  try {
    return await connectWebSocket(endpoint.href, { signal });
  } catch (error) {
    if (!(error instanceof ConnectFailed)) throw error;
    if (!(await isReady(endpoint, signal))) throw new CannotConnect(error.message, { cause: error });
  }
  try {
    return await connectWebSocket(endpoint.href, { signal });
  } catch (error) {
    if (!(error instanceof ConnectFailed)) throw error;
    throw new Unauthorized(`${endpoint.host} is up but refuses the connection: check the token`, {
      cause: error,
    });
  }
}

async function isReady({ protocol, host }: URL, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${protocol.replace('ws', 'http')}//${host}/readyz`, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // Down, or a page of another origin that may not look.
    return false;
  }
}
