import { isCellName } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import type { Screen } from '../render/screen.ts';
import {
  type AskGatewayOptions,
  askGateway,
  type GatewayAnswer,
  GatewayRefusal,
  type GatewayTarget,
  NoGateway,
  notGateway,
} from './ask-gateway.ts';

/** The hosts of a gateway. */
export interface GatewayHosts extends Pick<GatewayAnswer, 'fingerprints'> {
  /** In the order of the gateway, which is by name. */
  readonly names: readonly string[];
  /** Machine and process by the name of the host; see `holderName`. Absent in it: no machine holds the cell, or the gateway is of an older version. */
  readonly holders: ReadonlyMap<string, string>;
}

/** Without an answer, `hosts add` tries the address as a host. */
const PROBE_LIMIT_MS = 4_000;

/** The same target at the address of a host behind it. */
export function behindGateway<T extends GatewayTarget>(
  gateway: T,
  host: string,
  { fingerprints }: Pick<GatewayHosts, 'fingerprints'> = {},
): T {
  const url = new URL(`/h/${host}/ahp`, gateway.url).href;
  return { ...gateway, url, name: `${gateway.name}/${host}`, ...defined({ fingerprints }) };
}

/** The hosts of a gateway of the list. Rejects as `askGateway`. */
export async function gatewayHosts(
  context: Context,
  screen: Screen,
  gateway: GatewayTarget,
  options: AskGatewayOptions = {},
): Promise<GatewayHosts> {
  const { value, fingerprints } = await askGateway(context, screen, gateway, { ...options, path: '/hosts' });
  const hosts = hostsIn(value);
  if (hosts === undefined) throw notGateway(gateway.url);
  return { ...hosts, ...defined({ fingerprints }) };
}

/** The hosts of the gateway at an address; `undefined`: none answers there. Rejects with a `GatewayRefusal`. */
export async function gatewayAt(
  context: Context,
  screen: Screen,
  target: GatewayTarget,
  fingerprint: string | undefined,
): Promise<GatewayHosts | undefined> {
  if (target.ssh !== undefined || new URL(target.url).pathname !== '/') return undefined;
  try {
    return await gatewayHosts(context, screen, target, { fingerprint, limitMs: PROBE_LIMIT_MS });
  } catch (error) {
    if (error instanceof NoGateway) return undefined;
    // A host has nothing at this path. Other servers may refuse it too.
    if (error instanceof GatewayRefusal && !/\bgateway\b/.test(error.refusal.reason)) return undefined;
    throw error;
  }
}

/** The hosts in the answer of a gateway; `undefined`: it is another answer. */
function hostsIn(value: object): Pick<GatewayHosts, 'names' | 'holders'> | undefined {
  const items: unknown = Object(value).items;
  if (!Array.isArray(items)) return undefined;
  const names: string[] = [];
  const holders = new Map<string, string>();
  for (const item of items) {
    const { host, holder }: Record<string, unknown> = Object(item);
    if (typeof host !== 'string') return undefined;
    if (!isCellName(host)) continue;
    names.push(host);
    if (typeof holder === 'string') holders.set(host, holder);
  }
  return { names, holders };
}
