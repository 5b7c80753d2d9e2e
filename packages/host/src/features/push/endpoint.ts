import { BlockList, isIP } from 'node:net';

/** Addresses outside of the public internet (IANA special-purpose registries), and multicast. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** Parts of 2000::/3 that are special: protocol assignments with Teredo, documentation, and 6to4, which holds an IPv4 address. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [net, prefix] of SPECIAL_IPV4) special.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of SPECIAL_IPV6) special.addSubnet(net, prefix, 'ipv6');

/** All public unicast addresses of IPv6 are here. */
const unicast = new BlockList();
unicast.addSubnet('2000::', 3, 'ipv6');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether pushes may go to loopback, also without TLS. */
export interface EndpointPolicy {
  readonly allowLoopback: boolean;
}

/** Whether the host may connect to an IP address for a push. */
export function isAllowedAddress(address: string, { allowLoopback }: EndpointPolicy): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (loopback.check(address, family)) return allowLoopback;
  return !special.check(address, family) && (version === 4 || unicast.check(address, family));
}

/** Why the host sends nothing to this URL; `undefined`: it may. The addresses of a name are checked when a push is sent. */
export function endpointProblem(endpoint: string, policy: EndpointPolicy): string | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined) return 'expected the URL of a push service';
  if (url.username !== '' || url.password !== '') return 'expected a URL without user name and password';
  const host = hostOf(url);
  const isLoopback = host === 'localhost' || isLoopbackAddress(host);
  if (isLoopback && policy.allowLoopback)
    return url.protocol === 'https:' || url.protocol === 'http:' ? undefined : 'expected an https: URL';
  if (url.protocol !== 'https:') return 'expected an https: URL';
  if (isLoopback || (isIP(host) !== 0 && !isAllowedAddress(host, policy)))
    return 'the address is private: a push service is on the public internet';
  return undefined;
}

/** The host of a URL, without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const isLoopbackAddress = (host: string): boolean => {
  const version = isIP(host);
  return version !== 0 && loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
};
