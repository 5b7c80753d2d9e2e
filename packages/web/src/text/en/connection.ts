const silent = (host: string, isOffline: boolean): string =>
  isOffline ? `${host} does not answer. This device is offline.` : `${host} does not answer.`;

/** Texts about the connection to a host. */
export const connection = {
  connecting: 'Connecting…',
  away: (host: string, isOffline: boolean) =>
    `${silent(host, isOffline)} Your changes are kept and sent later.`,
  copy: (host: string, isOffline: boolean) =>
    `${silent(host, isOffline)} You see the last saved state, read-only.`,
  retryIn: (seconds: number) => (seconds <= 1 ? 'Next attempt in 1 s' : `Next attempt in ${seconds} s`),
  retryNow: 'Try now',
  replacedTitle: 'Continued in another tab',
  replaced: 'Another tab took over the connection of this tab. This tab no longer updates.',
  useHere: 'Use it here',
  incompatibleTitle: 'Page and host have different versions',
  incompatible: (reason: string) =>
    `This page and the host have no protocol version in common (${reason}). Reload the page. If that does not help, update the host: npm install -g agenthost`,
  refusedTitle: 'The host refused the connection',
  originRefused: (origin: string) =>
    `The host does not accept pages from ${origin}. Add this origin to "allowedOrigins" in its configuration, or open the address that the host printed.`,
  unreachableTitle: 'The host does not answer',
  unreachable: (host: string) =>
    `Nothing answers at ${host}. Start the host: run "npm start" in its folder, or "agenthost serve". This page connects by itself.`,
};
