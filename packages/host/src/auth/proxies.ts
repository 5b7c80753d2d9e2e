import { BlockList, isIP } from 'node:net';

/** Whether a text is an IP address, or a subnet such as `10.0.0.0/8`. */
export function isProxyAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}

/** The addresses of loopback and of `listed`, which are IP addresses and subnets. Throws for other texts. */
export function trustedProxies(listed: readonly string[]): BlockList {
  const proxies = new BlockList();
  for (const text of ['127.0.0.0/8', '::1', ...listed]) {
    const [address = '', bits] = text.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  return proxies;
}

/** Whether trusted proxies contain an address. */
export function includesAddress(proxies: BlockList, address = ''): boolean {
  const plain = address.replace(/^::ffff:(?=\d)/i, '');
  const family = isIP(plain);
  return family !== 0 && proxies.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}
