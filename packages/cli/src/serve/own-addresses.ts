import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whether other machines can reach what listens on `host`. */
export const isOpen = (host: string): boolean =>
  host !== 'localhost' && host !== '::1' && !(isIP(host) === 4 && host.startsWith('127.'));

/**
 * The addresses to type on other machines for what listens on `host`, as `https://192.168.1.5:4711`: for a wildcard those of this machine's networks,
 * those of one link aside. `url` is how it is reached here.
 */
export function addressesElsewhere(
  host: string,
  url: string,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): string[] {
  if (!isOpen(host)) return [];
  const { protocol, port } = new URL(url);
  const isAll = host === '::';
  const hosts =
    isAll || host === '0.0.0.0'
      ? Object.values(interfaces)
          .flatMap((list) => list ?? [])
          .filter((one) => !one.internal && (one.family === 'IPv4' || (isAll && one.scopeid === 0)))
          .map(({ address }) => address)
      : [host];
  return hosts.map(
    (name) => `${protocol}//${isIP(name) === 6 ? `[${name}]` : name}${port === '' ? '' : `:${port}`}`,
  );
}
