import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const LOOPBACK = ['localhost', '127.0.0.1', '::1'] as const;

/** An IP address as systems write it, without brackets; anything else in lower case. */
function canonicalName(name: string): string {
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 6 ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare.toLowerCase();
}

/** Whether only this machine can reach what listens there. Names other than `localhost` may stand for anything. */
export function isLoopback(host: string): boolean {
  const name = canonicalName(host);
  if (isIP(name) === 4) return name.startsWith('127.');
  // `::ffff:127.0.0.1`, as canonical.
  return name === 'localhost' || name === '::1' || /^::ffff:7f[0-9a-f]{2}:/.test(name);
}

/**
 * Names and addresses under which a host that listens on `host` is reached: for a wildcard all of this machine's, addresses of one
 * link aside. `also` are `Host` values that are accepted besides, with a port or without.
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
