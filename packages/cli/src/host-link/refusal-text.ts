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
