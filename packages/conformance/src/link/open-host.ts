import type { Transport } from '@agenthost/rpc';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { connectPinnedWebSocket } from '@agenthost/rpc/websocket-pinned';

/** The address of a host, and the credentials for it. */
export interface HostAddress {
  /** `http(s)://…` or `ws(s)://…`; the default path is `/ahp`. */
  readonly url: string;
  /** Sent in a header [AUTH-1], as is `token` in the query of `url`. VS Code's host takes `tkn`: write that into `url`. */
  readonly token?: string | undefined;
  /** SHA-256 fingerprints of certificates that are accepted besides those that the machine trusts. */
  readonly fingerprints?: readonly string[] | undefined;
}

/** Opens one connection. Rejects with `ConnectFailed` or the signal's reason. */
export async function openHost(host: HostAddress, signal: AbortSignal): Promise<Transport> {
  const { endpoint, ...headers } = endpointOf(host);
  const { fingerprints } = host;
  endpoint.protocol = endpoint.protocol.replace('http', 'ws');
  const options = { signal, ...headers };
  if (fingerprints === undefined) return connectWebSocket(endpoint.href, options);
  return connectPinnedWebSocket(endpoint.href, { fingerprints: [...fingerprints], ...options });
}

/**
 * The address of a host with its path, and the header with its token: logs of proxies contain queries. A token that no header can hold is in
 * the query. Throws a `TypeError` for an invalid URL.
 */
export function endpointOf({ url, token: given }: HostAddress): {
  endpoint: URL;
  headers?: { authorization: string };
} {
  const endpoint = new URL(url);
  if (endpoint.pathname === '/') endpoint.pathname = '/ahp';
  if (given !== undefined) endpoint.searchParams.set('token', given);
  const token = endpoint.searchParams.get('token') ?? '';
  if (!/^[!-~]+$/.test(token)) return { endpoint };
  endpoint.searchParams.delete('token');
  return { endpoint, headers: { authorization: `Bearer ${token}` } };
}
