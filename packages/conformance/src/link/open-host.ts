import type { Transport } from '@agenthost/rpc';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { connectPinnedWebSocket } from '@agenthost/rpc/websocket-pinned';

/** Where a host is, and how to get in. */
export interface HostAddress {
  /** `http(s)://…` or `ws(s)://…`; the default path is `/ahp`. */
  readonly url: string;
  /** Sent in the query, as `token`. VS Code's host takes `tkn`: write that into `url`. */
  readonly token?: string | undefined;
  /** SHA-256 fingerprints of certificates that are accepted besides those that the machine trusts. */
  readonly fingerprints?: readonly string[] | undefined;
}

/** Opens one connection. Rejects with `ConnectFailed` or the signal's reason. */
export async function openHost(
  { url, token, fingerprints }: HostAddress,
  signal: AbortSignal,
): Promise<Transport> {
  const endpoint = new URL(url);
  endpoint.protocol = endpoint.protocol.replace('http', 'ws');
  if (endpoint.pathname === '/') endpoint.pathname = '/ahp';
  if (token !== undefined) endpoint.searchParams.set('token', token);
  if (fingerprints === undefined) return connectWebSocket(endpoint.href, { signal });
  return connectPinnedWebSocket(endpoint.href, { fingerprints: [...fingerprints], signal });
}
