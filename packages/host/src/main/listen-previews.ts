import { errorText } from '@agenthost/protocol/values';
import type { Log } from '../lib/log.ts';
import type { PreviewList } from '../previews/preview-list.ts';
import { previewPlace } from '../previews/preview-place.ts';
import { PreviewServers } from '../previews/preview-servers.ts';
import type { TlsCredentials } from '../tls/credentials.ts';
import type { ListenOptions } from './options.ts';

/** The listeners of previews. */
interface ListeningPreviews {
  /** Absent: there are none, or each preview has a port of its own. */
  readonly port?: number;
  useCredentials(credentials: Pick<TlsCredentials, 'cert' | 'key'>): void;
  stop(): Promise<void>;
}

/** Listens for previews, if the options say where. Rejects with the system's error. */
export async function listenForPreviews(
  previews: PreviewList,
  parts: {
    readonly host: string;
    readonly tls: Pick<TlsCredentials, 'cert' | 'key'> | undefined;
    readonly listen: ListenOptions;
    readonly log: Log;
  },
): Promise<ListeningPreviews> {
  const { host, tls, listen, log } = parts;
  const place = previewPlace(host, listen.previews);
  if (place === undefined) return { useCredentials: () => undefined, stop: () => Promise.resolve() };
  const { trustProxy = false, allowedHosts = [] } = listen;
  const servers = new PreviewServers({
    host,
    place,
    tls,
    allowedHosts,
    proxies: trustProxy === false ? undefined : trustProxy === true ? [] : trustProxy,
    previews,
    log,
  });
  const port = await servers.start().catch((cause: unknown) => {
    const wanted = place.kind === 'names' ? place.port : place.from;
    throw new Error(`previews cannot listen on port ${wanted} of ${host}: ${errorText(cause)}`, { cause });
  });
  previews.serve(servers);
  return {
    ...(port === undefined ? {} : { port }),
    useCredentials: (credentials) => servers.useCredentials(credentials),
    stop: () => servers.stop(),
  };
}
