import type { IncomingMessage } from 'node:http';
import { CannotConnect, type Refusal } from '@agenthost/client';
import { parseRefusal } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { noTokenText, refusalText } from './connect-error.ts';
import { fingerprintsOf, isNoTls } from './host-trust.ts';
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
  /** Default: 15 s. */
  readonly limitMs?: number;
}

/** The answer of a gateway. */
export interface GatewayAnswer {
  /** The JSON of its body. */
  readonly value: object;
  /** Its certificate or key has one of these. Absent for a certificate of a trusted authority, and without TLS. */
  readonly fingerprints?: readonly string[];
}

/** The answer of a gateway that refuses a request. It may still route to its hosts. */
export class GatewayRefusal extends CliError {
  readonly refusal: Refusal;

  constructor(message: string, refusal: Refusal) {
    super(EXIT.cannotConnect, message);
    this.refusal = refusal;
  }
}

/** There was no complete answer, or the answer is not from a gateway. */
export class NoGateway extends CliError {
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT.cannotConnect, message, options);
  }
}

/** The gateway itself waits 10 s for its database. */
const LIMIT_MS = 15_000;
/** Far more than a list of 1,000 sessions. */
const MAX_ANSWER_LENGTH = 64_000_000;

/** Requests JSON from a gateway. Rejects with a `GatewayRefusal`, a `NoGateway`, or another `CliError` if its certificate is not the expected one. */
export async function askGateway(
  context: Context,
  screen: Screen,
  target: GatewayTarget,
  { path, fingerprint, limitMs = LIMIT_MS }: AskGatewayOptions & { readonly path: string },
): Promise<GatewayAnswer> {
  const { token, fingerprints: known } = target;
  const url = new URL(path, target.url);
  url.protocol = url.protocol.replace('ws', 'http');
  const signal = AbortSignal.timeout(limitMs);
  const noAnswer = (cause: unknown, why = 'check the address, and whether it runs'): NoGateway => {
    const told = signal.aborted ? `it did not answer within ${limitMs / 1_000} s` : why;
    return new NoGateway(`no gateway answers at ${url.origin}: ${told}`, { cause });
  };
  let fingerprints: readonly string[] | undefined;
  try {
    const tls = { url: url.href, ...defined({ fingerprints: known }) };
    fingerprints = await fingerprintsOf(context, screen, tls, { given: fingerprint, signal });
  } catch (error) {
    if (!(error instanceof CliError && error.cause instanceof CannotConnect)) throw error;
    throw isNoTls(error.cause.cause) ? new NoGateway(error.message, { cause: error }) : noAnswer(error);
  }
  const response = await get(url, { token, fingerprints, signal }).catch((cause: unknown) => {
    throw noAnswer(cause);
  });
  const text = await textOf(response).catch((cause: unknown) => {
    throw noAnswer(cause, 'the connection ended before the end of its answer');
  });
  const { statusCode: status = 0, headers } = response;
  if (status >= 400 && status !== 404) {
    const isText = headers['content-type']?.startsWith('text/plain') === true;
    const details = parseRefusal([headers['x-refusal']].flat()[0]);
    throw refused(context, target, {
      status,
      reason: isText ? oneLine(text.trim(), 300) : '',
      ...defined({ details }),
    });
  }
  const value = status === 200 ? objectIn(text) : undefined;
  if (value === undefined) throw notGateway(target.url);
  return { value, ...defined({ fingerprints }) };
}

/** A server that answers as no gateway does. */
export const notGateway = (url: string): NoGateway =>
  new NoGateway(`a server answers at ${oneLine(new URL(url).host)}, but it is not a gateway`);

function refused(
  { env }: Context,
  { url, name, token, lacksToken }: GatewayTarget,
  refusal: Refusal,
): GatewayRefusal {
  const origin = new URL(url).origin.replace(/^ws/, 'http');
  const isForToken = refusal.status === 401;
  const told = isForToken ? { ...refusal, reason: 'it requires the token of the gateway' } : refusal;
  const envToken = env['AGENTHOST_TOKEN'] || undefined;
  const message =
    isForToken && lacksToken === true
      ? noTokenText(name, origin)
      : refusalText(told, { url: origin, token, envToken, kind: 'gateway' });
  return new GatewayRefusal(message, refusal);
}

interface Asked {
  readonly token: string | undefined;
  readonly fingerprints: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** Sends a GET request. No other server gets the token: the certificate is checked first, and redirects are not followed. */
async function get(url: URL, { token, fingerprints, signal }: Asked): Promise<IncomingMessage> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const pinned =
    fingerprints === undefined
      ? undefined
      : await (await import('@agenthost/client/pinned')).connectPinnedTls(
          { url: url.href, signal },
          fingerprints,
        );
  const connection = pinned === undefined ? { agent: false } : { createConnection: () => pinned };
  return new Promise((resolve, reject) => {
    request(url, { headers, signal, ...connection })
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

/** The JSON object in a text; `undefined`: it has none. */
function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
