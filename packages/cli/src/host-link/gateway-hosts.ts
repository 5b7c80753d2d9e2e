import type { IncomingMessage } from 'node:http';
import { CannotConnect, type Refusal } from '@agenthost/client';
import { isCellName, parseRefusal } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { noTokenText, refusalText } from './connect-error.ts';
import { fingerprintsOf } from './host-trust.ts';
import type { ClientTarget } from './open-client.ts';

/** The address of a gateway, or one that may be. */
export interface GatewayTarget extends ClientTarget {
  /** Its name in the list of hosts. */
  readonly name?: string;
  /** No token for it is in the list of hosts, and AGENTHOST_TOKEN is not for it. */
  readonly lacksToken?: boolean;
}

/** Options of a request to a gateway. */
export interface AskGatewayOptions {
  /** `--fingerprint`. */
  readonly fingerprint?: string | undefined;
  /** Default: 10 s. */
  readonly limitMs?: number;
}

/** The hosts of a gateway. */
export interface GatewayHosts {
  /** In the order of the gateway, which is by name. */
  readonly names: readonly string[];
  /** Machine and process by the name of the host; see `holderName`. Absent in it: no machine holds the cell, or the gateway is of an older version. */
  readonly holders: ReadonlyMap<string, string>;
  /** Its certificate or key has one of these. Absent for a certificate of a trusted authority, and without TLS. */
  readonly fingerprints?: readonly string[];
}

/** The answer of a gateway that refuses the list of its hosts. It may still route to them. */
export class GatewayRefusal extends CliError {}

const LIMIT_MS = 10_000;
/** Without an answer, `hosts add` tries the address as a host. */
const PROBE_LIMIT_MS = 4_000;
/** Far more than a list of 1,000 hosts. */
const MAX_ANSWER_LENGTH = 4_000_000;

/** The same target at the address of a host behind it. */
export function behindGateway<T extends GatewayTarget>(
  gateway: T,
  host: string,
  { fingerprints }: Pick<GatewayHosts, 'fingerprints'> = {},
): T {
  const url = new URL(`/h/${host}/ahp`, gateway.url).href;
  return { ...gateway, url, name: `${gateway.name}/${host}`, ...defined({ fingerprints }) };
}

/** The hosts of a gateway of the list. Rejects with a `CliError` that has the reason; with a `GatewayRefusal` if the gateway answers. */
export async function gatewayHosts(
  context: Context,
  screen: Screen,
  gateway: GatewayTarget,
  options: AskGatewayOptions = {},
): Promise<GatewayHosts> {
  const answer = await ask(context, screen, gateway, options);
  if (answer === undefined)
    throw new CliError(
      EXIT.cannotConnect,
      `no gateway answers at ${listOf(gateway.url).origin}: check the address, and whether it runs`,
    );
  if ('status' in answer) throw refused(context, gateway, answer);
  return answer;
}

/** The hosts of the gateway at an address; `undefined`: none answers there. Rejects with a `GatewayRefusal`. */
export async function gatewayAt(
  context: Context,
  screen: Screen,
  target: GatewayTarget,
  fingerprint: string | undefined,
): Promise<GatewayHosts | undefined> {
  if (target.ssh !== undefined || new URL(target.url).pathname !== '/') return undefined;
  const answer = await ask(context, screen, target, { fingerprint, limitMs: PROBE_LIMIT_MS });
  if (answer === undefined || !('status' in answer)) return answer;
  // A host has nothing at this path. Other servers may refuse it too.
  if (/\bgateway\b/.test(answer.reason)) throw refused(context, target, answer);
  return undefined;
}

function refused(
  { env }: Context,
  { url, name, token, lacksToken }: GatewayTarget,
  refusal: Refusal,
): GatewayRefusal {
  const { origin } = listOf(url);
  const isForToken = refusal.status === 401;
  const told = isForToken ? { ...refusal, reason: 'it requires the token of the gateway' } : refusal;
  const envToken = env['AGENTHOST_TOKEN'] || undefined;
  const message =
    isForToken && lacksToken === true
      ? noTokenText(name, origin)
      : refusalText(told, { url: origin, token, envToken, kind: 'gateway' });
  return new GatewayRefusal(EXIT.cannotConnect, message);
}

/** The URL of a gateway's list of hosts. */
function listOf(url: string): URL {
  const list = new URL('/hosts', url);
  list.protocol = list.protocol.replace('ws', 'http');
  return list;
}

/** Requests the list of hosts at an address. `undefined`: there was no answer, or an answer that is not from a gateway. */
async function ask(
  context: Context,
  screen: Screen,
  { url, token, fingerprints: known }: GatewayTarget,
  { fingerprint, limitMs = LIMIT_MS }: AskGatewayOptions,
): Promise<GatewayHosts | Refusal | undefined> {
  const signal = AbortSignal.timeout(limitMs);
  const list = listOf(url);
  let fingerprints: readonly string[] | undefined;
  try {
    const target = { url: list.href, ...defined({ fingerprints: known }) };
    fingerprints = await fingerprintsOf(context, screen, target, { given: fingerprint, signal });
  } catch (error) {
    if (error instanceof CliError && error.cause instanceof CannotConnect) return undefined;
    throw error;
  }
  try {
    const response = await get(list, { token, fingerprints, signal });
    const text = await textOf(response);
    const { statusCode: status = 0, headers } = response;
    const isText = headers['content-type']?.startsWith('text/plain') === true;
    const details = parseRefusal([headers['x-refusal']].flat()[0]);
    if (status >= 400 && status !== 404)
      return { status, reason: isText ? oneLine(text.trim(), 300) : '', ...defined({ details }) };
    const hosts = status === 200 ? hostsIn(text) : undefined;
    return hosts === undefined ? undefined : { ...hosts, ...defined({ fingerprints }) };
  } catch {
    // No answer, a late one, or another protocol: the caller reports that no gateway answers.
    return undefined;
  }
}

interface Asked {
  readonly token: string | undefined;
  readonly fingerprints: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** Sends a GET request. No other server gets the token: the certificate is checked first, and redirects are not followed. */
async function get(list: URL, { token, fingerprints, signal }: Asked): Promise<IncomingMessage> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { request } = list.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const pinned =
    fingerprints === undefined
      ? undefined
      : await (await import('@agenthost/client/pinned')).connectPinnedTls(
          { url: list.href, signal },
          fingerprints,
        );
  const connection = pinned === undefined ? { agent: false } : { createConnection: () => pinned };
  return new Promise((resolve, reject) => {
    request(list, { headers, signal, ...connection })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) {
    text += String(part);
    if (text.length > MAX_ANSWER_LENGTH) break;
  }
  return text;
}

/** The hosts in the answer of a gateway; `undefined`: it is another answer. */
function hostsIn(text: string): Pick<GatewayHosts, 'names' | 'holders'> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
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
