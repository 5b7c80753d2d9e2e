import type { BaseParams, ConnectionParams, Count, URI } from '../wire/basics.ts';
import type { SessionState } from './state.ts';

/** A TCP port that a process of a session listens on, in `_meta.ports` of the session. */
export interface SessionPort {
  port: number;
  /** The address that the process listens on, such as `127.0.0.1`, `0.0.0.0` or `::1`. */
  address: string;
  /** Name of the program, such as `node`. */
  process: string;
  /** Process id on the host's machine. Absent: unknown. */
  pid?: number;
  /** What the program runs, such as `vite`. Absent: unknown, or equal to `process`. */
  title?: string;
  /** The address of the port on the host's machine, for people. */
  url: string;
}

/** `x-listPorts` (extension): the ports of all sessions, or of one, as they are now. */
export interface ListPortsParams extends ConnectionParams {
  /** Absent: all sessions. */
  session?: URI;
}

/** A port and its session. */
export interface ListedPort extends SessionPort {
  session: URI;
}

/** Ports by session and number. */
export interface ListPortsResult {
  items: ListedPort[];
  /** Why the host knows no ports, as a sentence for people. Absent: it knows them. */
  unavailable?: string;
}

/** `x-openPreview` (extension): opens a port of the session in `channel` through the host. */
export interface OpenPreviewParams extends BaseParams {
  /**
   * A port of `_meta.ports`.
   * @maximum 65535
   */
  port: Count;
}

/** The address of a preview. */
export interface OpenPreviewResult {
  /** Signs the first browser in that opens it, and works once. */
  url: string;
  /**
   * True: the preview is at the host name by which the client reaches the host; the client replaces the host name of `url`. Absent:
   * `url` is complete.
   */
  isAtHost?: boolean;
  /** After this time `url` no longer signs in, ISO 8601. */
  expiresAt: string;
}

/** The ports of a session, by number. Empty: there are none, or the host does not know. Entries of a wrong form are left out. */
export function sessionPorts({ _meta }: Pick<SessionState, '_meta'>): SessionPort[] {
  const found = _meta?.['ports'];
  return Array.isArray(found) ? found.flatMap((entry: unknown) => readPort(entry) ?? []) : [];
}

function readPort(entry: unknown): SessionPort | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const values = new Map<string, unknown>(Object.entries(entry));
  const text = (key: string): string | undefined => {
    const value = values.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const number = (key: string): number | undefined => {
    const value = values.get(key);
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  const [port, address, process, url] = [number('port'), text('address'), text('process'), text('url')];
  if (port === undefined || port > 65_535) return undefined;
  if (address === undefined || process === undefined || url === undefined) return undefined;
  const [pid, title] = [number('pid'), text('title')];
  return {
    port,
    address,
    process,
    ...(pid === undefined ? {} : { pid }),
    ...(title === undefined ? {} : { title }),
    url,
  };
}
