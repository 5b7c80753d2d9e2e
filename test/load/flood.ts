import { WireClient } from '../../bench/wire.ts';
import type { CrowdedHost } from './crowded-host.ts';

const ROOT = 'ahp-root://';

/** Limits for everybody else during a flood, with room for slow or busy machines. The documented limits are 1 s, 250 ms and 400 MB. */
export const FLOOD_BARS = { getInMs: 5_000, pingMs: 4_000, peakRssBytes: 550_000_000 } as const;

/** Creates a token. Resolves with its id and the URL that contains it. */
export async function tokenFor(
  host: CrowdedHost,
  owner: WireClient,
  { name, scope }: { readonly name: string; readonly scope: 'observe' | 'interact' | 'admin' },
): Promise<{ id: string; url: string }> {
  const { token, secret } = await owner.request<{ token: { id: string }; secret: string }>('x-createToken', {
    channel: ROOT,
    name,
    scope,
  });
  const url = new URL(host.url);
  url.searchParams.set('token', secret);
  return { id: token.id, url: url.href };
}

/** Creates a token that may only read. */
export const observer = (
  host: CrowdedHost,
  owner: WireClient,
  name: string,
): Promise<{ id: string; url: string }> => tokenFor(host, owner, { name, scope: 'observe' });

/** Milliseconds from a new connection to a list of the sessions. */
export async function getIn(url: string, clientId: string): Promise<number> {
  const from = performance.now();
  const client = await WireClient.connect(url, clientId);
  await client.request('listSessions', { channel: ROOT });
  const tookMs = performance.now() - from;
  await client.close();
  return tookMs;
}

/** Rounds figures for a log line. */
export const rounded = (figures: object): string =>
  JSON.stringify(figures, (_, value: unknown) => (typeof value === 'number' ? Math.round(value) : value));
