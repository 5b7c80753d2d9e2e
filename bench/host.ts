import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host, type HostOptions } from '@agenthost/host';
import { WireClient } from './wire.ts';

/** A host as `serve` makes it, with the demo agent and its journal on disk, that listens on a free port. Whoever makes it starts it. */
export const benchHost = (dataDir: string, options: Partial<HostOptions> = {}): Host =>
  createHost({
    dataDir,
    agents: [() => createDemoProvider()],
    listen: { port: 0, token: 'bench-token-of-forty-three-characters-long-x' },
    ...options,
  });

/** Starts a host; the URL that lets its clients in. */
export async function startAt(host: Host): Promise<string> {
  const address = await host.start();
  return `${address?.wsUrl}?token=${address?.token}`;
}

/** Runs `work` with a host and a client of it, in this process and over a WebSocket; both are gone afterwards. */
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
