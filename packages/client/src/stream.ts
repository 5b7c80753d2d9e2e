import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorText } from '@agenthost/protocol/values';
import type { Transport } from '@agenthost/rpc';
import { connectPinnedTls } from '@agenthost/rpc/websocket-pinned';
import { connectStreamWebSocket } from '@agenthost/rpc/websocket-stream';
import type { AhpClient } from './client.ts';
import { connected, createClient, endpointOf, tokenHeader } from './connection/connect.ts';
import { refusedUpgrade } from './connection/refused-upgrade.ts';
import { CannotConnect } from './errors.ts';
import type { ClientBehavior } from './options.ts';

/** An open byte stream that leads to a host. */
export interface HostStream {
  /** Carries HTTP of the host without TLS. Belongs to the client from now on, which destroys it when the connection ends. */
  readonly stream: Duplex;
  /** Address of the host at the other end. Its name and port are sent as `Host` and not looked up. */
  readonly url: string;
  /** Access token [AUTH-1]. Absent: none is sent. */
  readonly token?: string | undefined;
}

/** Options of `connectStream`. */
export interface StreamConnectOptions extends ClientBehavior {
  /**
   * Opens a stream; called for every attempt. Must stop when the signal aborts. After a rejection with `Unauthorized` there is no other attempt.
   */
  open(signal: AbortSignal): Promise<HostStream>;
  /** Gives up before the first connection stands, as in `ConnectOptions`. */
  signal?: AbortSignal | undefined;
}

/**
 * Node only: connects to a host over byte streams that another program provides, such as `ssh`. Rejects like `connect`, and with what `open` rejects
 * with. Once connected, the client reconnects by itself, each time over a new stream.
 *
 * @example
 * const client = await connectStream({ open: async () => ({ stream, url: 'http://127.0.0.1:4711', token }) });
 */
export async function connectStream({
  open,
  signal: giveUp,
  ...behavior
}: StreamConnectOptions): Promise<AhpClient> {
  const client = createClient({
    ...behavior,
    transport: async (signal) => openTransport(await open(signal), signal),
  });
  return connected(client, giveUp);
}

async function openTransport({ stream, url, token }: HostStream, signal: AbortSignal): Promise<Transport> {
  const endpoint = endpointOf(url, token);
  // The stream is encrypted or local: TLS would be spoken within it, to nobody who expects it.
  endpoint.protocol = 'ws:';
  const headers = tokenHeader(endpoint);
  try {
    return await connectStreamWebSocket(endpoint.href, stream, { signal, ...headers });
  } catch (error) {
    stream.destroy();
    const refusal = refusedUpgrade(endpoint, error);
    if (refusal !== undefined) throw refusal;
    if (signal.aborted) throw error;
    throw new CannotConnect(`cannot connect to ${endpoint.host}: ${errorText(error)}`, { cause: error });
  }
}

/** Address of a host, and the certificates of which its own must be one. */
export interface HostSocketTarget {
  readonly url: string;
  /** As `connectPinned` takes them, in canonical form. Required for `https` and `wss`. */
  readonly fingerprints?: readonly string[] | undefined;
}

/**
 * Node only: a connection to the port of a host, for a program that passes its bytes on; TLS ends here. Sends nothing. Rejects with the system's
 * error, or for a host with another certificate with `CertificateRefused` of `@agenthost/client/pinned`.
 */
export async function openHostSocket({ url, fingerprints }: HostSocketTarget): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'https:' || protocol === 'wss:') return connectPinnedTls({ url }, fingerprints ?? []);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connectTcp({ host, port: Number(port || 80), noDelay: true });
  await once(socket, 'connect');
  return socket;
}
