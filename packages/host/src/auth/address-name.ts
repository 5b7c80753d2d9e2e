const LOOPBACK = '127.0.0.1';
/** Whether that is what {@link addressName} calls this machine. */
export const isLoopbackName = (name: string): boolean => name === LOOPBACK;

/**
 * An address as it is counted. Who has an IPv6 address has as many as they like: the first half of it tells them apart. Whoever is on this
 * machine has all of loopback: those are one.
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
