import type { Refusal } from '@agenthost/client';
import { oneLine } from '../render/plain-text.ts';

/** How somebody asked to be let in. */
export interface Asked {
  /** Without a token. */
  readonly url: string;
  readonly token: string | undefined;
  /** AGENTHOST_TOKEN. */
  readonly envToken: string | undefined;
}

/** Whether only a host refuses so: it names its own settings. */
export const isOfHost = ({ reason }: Refusal): boolean => /\ballowed(?:Hosts|Origins)\b/.test(reason);

/** A refusal in the host's own words, and what to do about it. */
export function refusalText({ status, reason }: Refusal, asked: Asked): string {
  const why = reason === '' ? `it answers with status ${status}` : oneLine(reason, 300);
  return `the host at ${asked.url} does not let us in: ${why}; ${nextStep(status, reason, asked)}`;
}

function nextStep(status: number, reason: string, { url, token, envToken }: Asked): string {
  const { host, port, protocol } = new URL(url);
  if (status === 401) {
    if (token === undefined) return 'set AGENTHOST_TOKEN to its token';
    if (token !== envToken) return 'set AGENTHOST_TOKEN to one that it takes';
    return 'AGENTHOST_TOKEN is not its token';
  }
  if (status === 429) return 'see that AGENTHOST_TOKEN is its token before the next attempt';
  if (status >= 500) return 'try again in a while';
  if (reason.includes('allowedOrigins'))
    return 'a proxy in between adds an Origin, which programs have none of';
  const authority = port === '' ? `${host}:${/^(?:https|wss):$/.test(protocol) ? 443 : 80}` : host;
  if (reason.includes('allowedHosts'))
    return `"allowedHosts": ["${authority}"] in its agenthost.json does, after a restart; or use the address that it prints`;
  return 'check address and port';
}

const PROBE_TIMEOUT_MS = 3_000;

/** Who answers at an address, as far as a plain request tells. */
export type Answerer = 'host' | 'tls' | 'stranger' | 'nobody';

/** Asks what listens there. `url` is `http(s)` or `ws(s)`; its path does not matter. Never rejects. */
export async function whoAnswersAt(url: string): Promise<Answerer> {
  const { protocol, host } = new URL(url);
  try {
    const response = await fetch(`${protocol.replace('ws', 'http')}//${host}/readyz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    if (Number(response.headers.get('content-length') ?? 0) > 100) {
      await response.body?.cancel();
      return 'stranger';
    }
    const text = await response.text();
    if (text.startsWith('This host speaks TLS here')) return 'tls';
    return /^(?:not )?ready\n$/.test(text) ? 'host' : 'stranger';
  } catch (error) {
    return isOtherProtocol(error) ? 'stranger' : 'nobody';
  }
}

/** Something took the connection and spoke, or hung up; it only was no HTTP. */
function isOtherProtocol(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  const code = 'code' in cause ? cause.code : undefined;
  return cause.name === 'HTTPParserError' || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
}
