import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host, type HostOptions } from '@agenthost/host';
import { WireClient } from './wire.ts';

/** A host with the options of `serve`, the demo agent and a journal on disk, on a free port. The caller starts it. */
export const benchHost = (dataDir: string, options: Partial<HostOptions> = {}): Host =>
  createHost({
    dataDir,
    agents: [() => createDemoProvider()],
    listen: { port: 0, token: 'bench-token-of-forty-three-characters-long-x' },
    ...options,
  });

/** Starts a host. Resolves with a URL that contains its token. */
export async function startAt(host: Host): Promise<string> {
  const address = await host.start();
  return `${address?.wsUrl}?token=${address?.token}`;
}

/** Runs `work` with a host in this process and a client over a WebSocket, then closes both. */
export async function withHost<T>(
  host: Host,
  work: (at: { host: Host; client: WireClient; url: string }) => Promise<T>,
): Promise<T> {
  const url = await startAt(host);
  try {
    const client = await WireClient.connect(url, 'bench');
    try {
      return await work({ host, client, url });
    } finally {
      await client.close();
    }
  } finally {
    await host.stop();
  }
}
