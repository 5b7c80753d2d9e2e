/**
 * Origins of editors whose pages are files of the installed program, so that no web page can have them. They are accepted with a token in the address,
 * but not with a cookie, which a browser would send automatically [AUTH-1].
 */
const EDITOR_ORIGINS: ReadonlySet<string> = new Set(['vscode-file://vscode-app']);

/** Whether an `Origin` is that of an editor's page. */
export const isEditorOrigin = (header: string | undefined): boolean =>
  header !== undefined && EDITOR_ORIGINS.has(header.toLowerCase());

/** An address that the host listens on: an IP address without brackets, or the configured name. */
export interface ListenedAddress {
  readonly host: string;
  readonly port: number;
  /** Whether the address uses TLS. Default false. */
  readonly isSecure?: boolean;
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);
const WILDCARD_NAMES = new Set(['0.0.0.0', '[::]']);
const DEFAULT_PORTS = new Set(['80', '443']);

/**
 * The addresses that a connection's `Host` and `Origin` may name. A host that listens on all addresses (`0.0.0.0`, `::`) is named by the
 * address that this connection came to (`socket.localAddress`).
 */
export function addressesOf(
  bound: ListenedAddress,
  localAddress: string | undefined,
): readonly ListenedAddress[] {
  if (!WILDCARD_NAMES.has(hostName(bound.host))) return [bound];
  return localAddress === undefined ? [] : [{ ...bound, host: localAddress.replace(/^::ffff:(?=\d)/i, '') }];
}

/**
 * Whether a request's `Host` names an address that the host listens on, or one of `allowed` (`name` with any port, or
 * `name:port`). This keeps a web page from reaching a local host under a domain of its own (DNS rebinding) [AUTH-1]. On loopback `localhost`,
 * `127.0.0.1` and `[::1]` are equal. The port must match.
 */
export function checkHost(
  header: string | undefined,
  listened: readonly ListenedAddress[],
  allowed: readonly string[],
): boolean {
  const given = header === undefined ? undefined : parseAuthority(header);
  if (given === undefined) return false;
  return (
    listened.some((address) => isAddress(given, address)) || allowed.some((entry) => isListed(given, entry))
  );
}

/**
 * Whether a request's `Origin` is allowed: absent (programs send none), the host's own, or one of `allowed` (such as
 * `https://example.org`) [AUTH-1]. The opaque origin `null` is never allowed.
 */
export function checkOrigin(
  header: string | undefined,
  own: readonly ListenedAddress[],
  allowed: readonly string[],
): boolean {
  if (header === undefined) return true;
  const origin = canonicalOrigin(header);
  if (origin === undefined) return false;
  if (allowed.some((entry) => canonicalOrigin(entry.replace(/\/$/, '')) === origin)) return true;
  // The scheme is part of an origin.
  return own.some((address) => {
    const scheme = address.isSecure === true ? 'https://' : 'http://';
    const authority = origin.startsWith(scheme) ? parseAuthority(origin.slice(scheme.length)) : undefined;
    return authority !== undefined && isAddress(authority, address);
  });
}

/** Name and port of a host. */
interface Authority {
  /** Lower case; IPv6 in brackets. */
  readonly name: string;
  /** '' when the header gave none. */
  readonly port: string;
}

/** Reads a name with an optional port. `undefined` for other texts. */
export function parseAuthority(text: string): Authority | undefined {
  // The header must not have other parts of a URL than name and port.
  if (!/^[^\s/\\?#@]+$/.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  // Reads the port from the text, because `URL` drops the default port of a scheme.
  return { name: new URL(`http://${text}`).hostname, port: /:0*(\d+)$/.exec(text)?.[1] ?? '' };
}

/** Whether a text can be an entry of `allowed` of `checkHost`: a name or an IP address (IPv6 in brackets), with an optional port. */
export const isAllowedHostEntry = (text: string): boolean =>
  parseAuthority(text) !== undefined && !/\*|:$/.test(text);

function isAddress(given: Authority, address: ListenedAddress): boolean {
  const name = hostName(address.host);
  const isSameName = given.name === name || (LOOPBACK_NAMES.has(given.name) && LOOPBACK_NAMES.has(name));
  return isSameName && (given.port || (address.isSecure === true ? '443' : '80')) === String(address.port);
}

function isListed(given: Authority, entry: string): boolean {
  const listed = parseAuthority(entry);
  if (listed === undefined || listed.name !== given.name) return false;
  const port = /:(\d+)$/.exec(entry)?.[1];
  if (port === undefined) return true;
  // A browser omits the default port of its scheme. Behind a proxy, the host does not know the scheme.
  return given.port === '' ? DEFAULT_PORTS.has(port) : given.port === port;
}

/** The name of a listened host in the form that URLs use. */
function hostName(host: string): string {
  const spelled = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return parseAuthority(spelled)?.name ?? spelled.toLowerCase();
}

/** Scheme and host in lower case, without the scheme's default port. Other schemes stay as they are. `undefined` for an invalid origin. */
function canonicalOrigin(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#@]+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin } = new URL(text);
  return origin === 'null' ? text.toLowerCase() : origin;
}
