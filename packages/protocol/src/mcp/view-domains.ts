/** Origins outside of the host that a view of an MCP server may reach, such as `https://api.example.org` [MCP-2]. */
export interface ViewDomains {
  /** For requests and WebSockets: `https` and `wss`. */
  readonly connect: readonly string[];
  /** For scripts, styles, images, fonts and media: `https`. */
  readonly resource: readonly string[];
}

/** Maximum origins of each list. */
const MAX_DOMAINS = 16;

/** A scheme, a name with a dot whose last label begins with a letter, and a port. No address, path or account. */
const ORIGIN =
  /^(https|wss):\/\/((?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)(?::([1-9]\d{0,4}))?\/?$/;

/** Names that mean a machine of the network where the browser is. */
const LOCAL = /\.(?:localhost|local|internal|lan|intranet|home|corp|home\.arpa|test|invalid)$/;

/** Longest name of the domain name system with its scheme and port. */
const MAX_LENGTH = 253 + 'https://:65535/'.length;

/**
 * The domains in `_meta.ui.csp` of a view (MCP Apps), in the form that a content security policy takes. Anything that is no encrypted origin with
 * a public name is left out: other schemes, addresses, names of the local network, paths, `*` other than as the first label. So are the 17th of a
 * list and later ones.
 */
export function viewDomains(csp: unknown): ViewDomains {
  const listOf = (name: string): unknown[] => {
    const list: unknown = typeof csp === 'object' && csp !== null ? Reflect.get(csp, name) : undefined;
    return Array.isArray(list) ? list : [];
  };
  return {
    connect: originsOf(listOf('connectDomains'), ['https', 'wss']),
    resource: originsOf(listOf('resourceDomains'), ['https']),
  };
}

function originsOf(list: readonly unknown[], schemes: readonly string[]): string[] {
  const origins = new Set<string>();
  for (const each of list) {
    if (origins.size === MAX_DOMAINS) break;
    if (typeof each !== 'string' || each.length > MAX_LENGTH) continue;
    const [, scheme = '', name = '', port] = ORIGIN.exec(each.toLowerCase()) ?? [];
    if (!schemes.includes(scheme) || LOCAL.test(name) || Number(port ?? 1) > 65_535) continue;
    origins.add(`${scheme}://${name}${port === undefined ? '' : `:${port}`}`);
  }
  return [...origins];
}
