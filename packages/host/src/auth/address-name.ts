const LOOPBACK = '127.0.0.1';
/** Whether {@link addressName} returned the name of loopback. */
export const isLoopbackName = (name: string): boolean => name === LOOPBACK;

/**
 * The name under which limits count an address. A user of IPv6 has a whole /64, so the name of an IPv6 address is its first half. All
 * loopback addresses have one name.
 */
export function addressName(address = ''): string {
  const plain = address.replace(/^::ffff:(?=\d)/i, '').replace(/%.*$/, '');
  if (plain === '::1' || plain.startsWith('127.')) return LOOPBACK;
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const behind = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...behind].slice(0, 4).join(':');
}
