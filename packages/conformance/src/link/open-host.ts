import type { Transport } from '@agenthost/rpc';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { connectPinnedWebSocket } from '@agenthost/rpc/websocket-pinned';

/** Where a host is, and how to get in. */
export interface HostAddress {
  /** `http(s)://…` or `ws(s)://…`; the default path is `/ahp`. */
  readonly url: string;
  /** Sent in a header [AUTH-1], as is `token` in the query of `url`. VS Code's host takes `tkn`: write that into `url`. */
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
  const options = { signal, ...tokenHeader(endpoint) };
  if (fingerprints === undefined) return connectWebSocket(endpoint.href, options);
  return connectPinnedWebSocket(endpoint.href, { fingerprints: [...fingerprints], ...options });
}

/** Moves the token from the query of an address into a header, because logs of proxies contain queries. A token that no header can hold stays. */
export function tokenHeader(address: URL): { headers?: { authorization: string } } {
  const token = address.searchParams.get('token') ?? '';
  if (!/^[!-~]+$/.test(token)) return {};
  address.searchParams.delete('token');
  return { headers: { authorization: `Bearer ${token}` } };
}
