import { isLoopback } from '../tls/names.ts';

/** Options of previews; see `ListenOptions.previews`. */
export interface PreviewOptions {
  /** The port that previews listen on, or the first of them. Default 0: any free port. */
  readonly port?: number;
  /** The last port, if each preview has a port of its own. Default: `port`. */
  readonly lastPort?: number;
  /** Host names of previews, such as `*.preview.example.org`, with an optional scheme and port. */
  readonly host?: string;
}

/**
 * Where previews are. `names`: each preview has a host name of its own on one port. `ports`: each preview has a port of its own at the names of the
 * host.
 */
export type PreviewPlace =
  | {
      readonly kind: 'names';
      readonly port: number;
      /** The part of the names behind the label, such as `.localhost`. */
      readonly suffix: string;
      /** Absent: that of the listener. */
      readonly scheme?: 'http' | 'https';
      /** The port in addresses; `''`: the default port of the scheme. Absent: that of the listener. */
      readonly publicPort?: string;
    }
  | { readonly kind: 'ports'; readonly from: number; readonly to: number };

/** A pattern of host names: scheme, label, suffix and port. */
const PATTERN = /^(?:(https?):\/\/)?\*(\.[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(\d{1,5}))?$/i;

/** Whether a text is a pattern of host names for previews. */
export const isPreviewHost = (text: string): boolean => PATTERN.test(text);

/** Where the previews of a host are that listens on `host`. `undefined`: there are none. Throws for options that are invalid. */
export function previewPlace(
  host: string,
  options: PreviewOptions | false | undefined,
): PreviewPlace | undefined {
  if (options === false || (options === undefined && !isLoopback(host))) return undefined;
  const { port = 0, lastPort = port, host: pattern } = options ?? {};
  if (!isPort(port) || !isPort(lastPort) || lastPort < port)
    throw new Error(`listen.previews: expected ports from 0 to 65535, got ${port} to ${lastPort}`);
  if (pattern === undefined && !isLoopback(host)) {
    if (port === 0)
      throw new Error('listen.previews.port: expected a port, because other machines connect to it');
    return { kind: 'ports', from: port, to: lastPort };
  }
  const [, scheme, suffix, publicPort] = PATTERN.exec(pattern ?? '*.localhost') ?? [];
  if (suffix === undefined)
    throw new Error(
      `listen.previews.host: expected a pattern such as "*.preview.example.org", got ${JSON.stringify(pattern)}`,
    );
  if (lastPort !== port) throw new Error('listen.previews.lastPort: previews with names share one port');
  return {
    kind: 'names',
    port,
    suffix: suffix.toLowerCase(),
    ...(scheme === undefined ? {} : { scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http' }),
    // Behind a scheme the pattern is a complete address, as of a proxy.
    ...(publicPort === undefined && scheme === undefined ? {} : { publicPort: publicPort ?? '' }),
  };
}

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 0 && port <= 65_535;
