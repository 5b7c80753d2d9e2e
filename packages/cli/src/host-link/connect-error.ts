import type { Refusal } from '@agenthost/client';
import { parseRefusal, type SettingRefusal } from '@agenthost/protocol';
import { hasCode } from '@agenthost/protocol/values';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';

/** The connection that was refused. */
export interface RefusedConnection {
  /** Without a token. */
  readonly url: string;
  /** The token that was sent. */
  readonly token: string | undefined;
  /** AGENTHOST_TOKEN. */
  readonly envToken: string | undefined;
  /** Default: host. */
  readonly kind?: 'host' | 'gateway';
}

/** Whether the refusal names a setting. Only a host answers so, even one that hides behind another name. */
export const namesSetting = ({ details }: Refusal): boolean => details?.kind === 'setting';

/** A refused connection as a sentence, with the next step. */
export function refusalText(refusal: Refusal, connection: RefusedConnection): string {
  const { status, reason, details } = refusal;
  const { url } = connection;
  const kind = kindOf(refusal, connection);
  const told = reason === '' ? `it answered with status ${status}` : oneLine(reason, 300);
  const why = details?.kind === 'setting' ? SETTING_TEXTS[kind][details.setting] : told;
  return `the ${kind} at ${url} refused the connection: ${why}; ${nextStep(refusal, { ...connection, kind })}`;
}

/**
 * Whether a host or a gateway refused. For a host behind a gateway, the gateway checks the names in the request. It then sends a name that the host
 * accepts.
 */
const kindOf = (refusal: Refusal, { url, kind = 'host' }: RefusedConnection): 'host' | 'gateway' =>
  namesSetting(refusal) && /^\/h\/[^/]+\/ahp$/.test(new URL(url).pathname) ? 'gateway' : kind;

const SETTING_TEXTS = {
  host: {
    allowedHosts: 'this address is not one of its own, and not in its allowedHosts',
    allowedOrigins: 'the request has an Origin that is not in its allowedOrigins',
  },
  gateway: {
    allowedHosts: 'this address is not one of its own, and no --allowed-host names it',
    allowedOrigins: 'the request has an Origin that no --allowed-origin names',
  },
} satisfies Record<'host' | 'gateway', Record<SettingRefusal['setting'], string>>;

function nextStep(
  { status, details }: Refusal,
  { url, token, envToken, kind }: RefusedConnection & { readonly kind: 'host' | 'gateway' },
): string {
  if (status === 401) {
    if (token === undefined) return 'set AGENTHOST_TOKEN to its token';
    if (token !== envToken)
      return 'the token that was sent is not valid there: set AGENTHOST_TOKEN, or save a valid one with `hosts add … --force --token-file`';
    return `AGENTHOST_TOKEN holds no valid token of this ${kind}`;
  }
  if (status === 429) return 'wait, and check that AGENTHOST_TOKEN holds a valid token';
  if (status >= 500) return 'try again later';
  if (details?.kind !== 'setting') return 'check the address and the port';
  if (details.setting === 'allowedOrigins') return 'programs send no Origin, so a proxy in between adds it';
  if (kind === 'gateway') return `restart it with --allowed-host ${oneLine(details.value)}`;
  const entry = withPort(oneLine(details.value), new URL(url).protocol);
  return `add "allowedHosts": [${JSON.stringify(entry)}] to its agenthost.json and restart it, or use the address that it prints`;
}

const withPort = (authority: string, protocol: string): string =>
  /:\d+$/.test(authority) ? authority : `${authority}:${/^(?:https|wss):$/.test(protocol) ? 443 : 80}`;

/** A host of the list without a token, as a sentence. `url`: without a token. */
export const noTokenText = (name: string | undefined, url: string): string =>
  `no token: AGENTHOST_TOKEN is sent only to a host that the command names; \`${commandLine(
    `hosts add ${oneLine(name ?? '')} ${oneLine(url, 200)} --force --token-file FILE`,
  )}\` stores one`;

const PROBE_TIMEOUT_MS = 3_000;

/** Result of a probe of an address. */
export type Answerer = 'host' | 'tls' | 'stranger' | 'nobody';

/** Probes what listens at an address. `url` is `http(s)` or `ws(s)`; its path does not matter. Never rejects. */
export async function whoAnswersAt(url: string): Promise<Answerer> {
  const { protocol, host } = new URL(url);
  try {
    const response = await fetch(`${protocol.replace('ws', 'http')}//${host}/readyz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    if (parseRefusal(response.headers.get('x-refusal'))?.kind === 'tls') {
      await response.body?.cancel();
      return 'tls';
    }
    if (Number(response.headers.get('content-length') ?? 0) > 100) {
      await response.body?.cancel();
      return 'stranger';
    }
    const text = await response.text();
    return /^(?:not )?ready\n$/.test(text) ? 'host' : 'stranger';
  } catch (error) {
    return isOtherProtocol(error) ? 'stranger' : 'nobody';
  }
}

/** Whether a server took the connection and did not speak HTTP. */
function isOtherProtocol(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  return cause.name === 'HTTPParserError' || hasCode(cause, 'UND_ERR_SOCKET', 'ECONNRESET');
}
