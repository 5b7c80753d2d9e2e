import { type ClientToHostRequests, type ListPortsResult, ROOT_URI, type URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';

type PreviewMethod = 'x-listPorts' | 'x-openPreview';

/** The parts of a client that previews use. */
export interface PreviewsPort {
  request<M extends PreviewMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
}

/** The address of a preview, for one browser. */
export interface OpenedPreview {
  /** Signs the first browser in that opens it. Do not store it. */
  readonly url: string;
  /** After this time `url` no longer signs in, ISO 8601. */
  readonly expiresAt: string;
}

/** See `Sessions.ports`. */
export async function listPorts(client: PreviewsPort, session: URI | undefined): Promise<ListPortsResult> {
  const { items, unavailable } = await client.request('x-listPorts', {
    channel: ROOT_URI,
    ...defined({ session }),
  });
  return { items, ...defined({ unavailable }) };
}

/** See `Sessions.openPreview`. `address`: that of the host, as this client reaches it. */
export async function openPreview(
  client: PreviewsPort,
  address: string | undefined,
  session: URI,
  port: number,
): Promise<OpenedPreview> {
  const { url, isAtHost, expiresAt } = await client.request('x-openPreview', { channel: session, port });
  if (isAtHost !== true || address === undefined) return { url, expiresAt };
  const own = new URL(url);
  own.hostname = new URL(address).hostname;
  return { url: own.href, expiresAt };
}
