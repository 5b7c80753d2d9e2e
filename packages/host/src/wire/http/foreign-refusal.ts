import type { IncomingMessage } from 'node:http';
import type { SettingRefusal } from '@agenthost/protocol';
import { checkHost, checkOrigin, isEditorOrigin, type ListenedAddress } from '../../auth/origin.ts';
import { queryToken } from '../../auth/verify.ts';
import { hasSecondHost, type PlainAnswer } from './plain-http.ts';
import type { RequestView } from './request-view.ts';

/**
 * Refuses a request whose `Host` is not this host's, or whose `Origin` is not allowed; `undefined`: neither. The first check prevents DNS
 * rebinding: a page that reaches the host under a name of its own. `listened`: the addresses that the host listens on.
 */
export function foreignRefusal(
  request: IncomingMessage,
  view: RequestView,
  listened: readonly ListenedAddress[],
  allowed: AllowedNames,
): PlainAnswer | undefined {
  // A proxy in front may have checked the other header (RFC 9112, 3.2).
  if (hasSecondHost(request)) return { status: 400, reason: 'the request has more than one Host header' };
  const { host, origin } = request.headers;
  const { settings = HOST_SETTINGS } = allowed;
  // A page under a foreign name could send forwarded headers itself, so the name of the request counts too.
  for (const name of [host, view.host]) {
    if (!checkHost(name, listened, allowed.allowedHosts))
      return { ...notAllowed('address', settings.hosts), refusal: settingRefusal('allowedHosts', name) };
  }
  const isEditor = isEditorOrigin(origin) && queryToken(request.url) !== undefined;
  const own = view.isHostForwarded ? [`${view.isSecure ? 'https' : 'http'}://${view.host}`] : [];
  return isEditor || checkOrigin(origin, listened, [...allowed.allowedOrigins, ...own])
    ? undefined
    : { ...notAllowed('origin', settings.origins), refusal: settingRefusal('allowedOrigins', origin) };
}

/** Names besides the listened addresses. */
interface AllowedNames {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** The settings that have these names. Default: those of a host. */
  readonly settings?: AddressSettings;
}

/** The settings that allow more addresses and origins, as texts for people. */
interface AddressSettings {
  readonly hosts: string;
  readonly origins: string;
}

const HOST_SETTINGS: AddressSettings = {
  hosts: 'add it to the allowedHosts of the host',
  origins: 'add it to the allowedOrigins of the host',
};

/** The settings of a gateway. */
export const GATEWAY_SETTINGS: AddressSettings = {
  hosts: 'restart the gateway with its name as --allowed-host',
  origins: 'restart the gateway with it as --allowed-origin',
};

const notAllowed = (what: 'address' | 'origin', step: string): PlainAnswer => ({
  status: 403,
  reason: `this ${what} is not allowed: to allow it, ${step}`,
});

/** Characters of a `Host` or `Origin` that an answer repeats. */
const MAX_SHOWN_VALUE = 300;

const settingRefusal = (setting: SettingRefusal['setting'], value = ''): SettingRefusal => ({
  kind: 'setting',
  setting,
  value: value.slice(0, MAX_SHOWN_VALUE),
});
