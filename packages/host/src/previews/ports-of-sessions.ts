import type { FoundPort } from './port-scanner.ts';

/** Addresses in the order in which the host prefers to connect to them. */
const PREFERRED = ['127.0.0.1', '0.0.0.0', '::1', '::'];

/** Ports of one session that are shown. */
const MAX_PORTS = 64;

/** The ports by session, each port once, lowest first. A port may be open on several addresses. */
export function onePerPort(
  found: Iterable<{ readonly port: FoundPort; readonly sessions: readonly string[] }>,
): ReadonlyMap<string, readonly FoundPort[]> {
  const bySession = new Map<string, Map<number, FoundPort>>();
  for (const { port, sessions } of found) {
    for (const session of sessions) {
      const ports = bySession.get(session) ?? new Map<number, FoundPort>();
      bySession.set(session, ports);
      const other = ports.get(port.port);
      if (other === undefined || rankOf(port) < rankOf(other)) ports.set(port.port, port);
    }
  }
  return new Map(
    [...bySession].map(([session, ports]) => [
      session,
      [...ports.values()].toSorted((one, two) => one.port - two.port).slice(0, MAX_PORTS),
    ]),
  );
}

function rankOf({ address }: FoundPort): number {
  const rank = PREFERRED.indexOf(address);
  return rank < 0 ? PREFERRED.length : rank;
}

/** The address to connect to: a program that listens on all addresses is reached on loopback. */
export function reachableAddress({ address }: Pick<FoundPort, 'address'>): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}
