import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const LOOPBACK = ['localhost', '127.0.0.1', '::1'] as const;

/** An IP address in canonical form without brackets; other names in lower case. */
function canonicalName(name: string): string {
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 6 ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare.toLowerCase();
}

/** Whether only this machine can connect to this address. False for names other than `localhost`. */
export function isLoopback(host: string): boolean {
  const name = canonicalName(host);
  if (isIP(name) === 4) return name.startsWith('127.');
  // The canonical form of `::ffff:127.0.0.1`.
  return name === 'localhost' || name === '::1' || /^::ffff:7f[0-9a-f]{2}:/.test(name);
}

/**
 * Names and addresses of a host that listens on `host`. For a wildcard these are all addresses of this machine but link-local ones. `also`
 * are further accepted `Host` values, with or without a port.
 */
export function namesOf(host: string, also: readonly string[]): string[] {
  const own = canonicalName(host);
  const isWildcard = own === '0.0.0.0' || own === '::' || own === '';
  const listened = isWildcard
    ? [...LOOPBACK, hostname(), ...addresses()]
    : isLoopback(own)
      ? [...LOOPBACK, own]
      : [own];
  const others = also.map((entry) => URL.parse(`http://${entry}`)?.hostname ?? '');
  return [
    ...new Set(
      [...listened, ...others]
        .map(canonicalName)
        .filter((name) => isIP(name) !== 0 || /^[a-z0-9][a-z0-9.-]*$/.test(name)),
    ),
  ];
}

const addresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    // An address of one link means nothing without the link's name.
    .filter((address) => address.family === 'IPv4' || address.scopeid === 0)
    .map(({ address }) => address);
