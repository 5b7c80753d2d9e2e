import { defined } from '@agenthost/protocol/values';

/** What a host writes into the row of its cell, so that gateways find it and place new sessions. */
export interface Announcement {
  /** `http(s)://host:port` at which gateways reach the host. */
  readonly url: string;
  /** SHA-256 of the host's own certificate. Absent: plain HTTP, or a certificate of an authority that the machine trusts. */
  readonly fingerprint?: string;
  /** Free texts for placement, such as `gpu`. */
  readonly labels: readonly string[];
  readonly runningTurns: number;
  /** Whether the host starts no new turns. */
  readonly isDraining: boolean;
}

/** Reads the JSON of an announcement. `undefined` for invalid JSON and for announcements of newer hosts with another form. */
export function parseAnnouncement(json: string): Announcement | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const read = (key: keyof Announcement): unknown => Reflect.get(value, key);
  const [url, fingerprint, labels, runningTurns] = [
    read('url'),
    read('fingerprint'),
    read('labels'),
    read('runningTurns'),
  ];
  if (typeof url !== 'string' || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return undefined;
  return {
    url,
    ...defined({ fingerprint: typeof fingerprint === 'string' ? fingerprint : undefined }),
    labels: Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [],
    runningTurns: typeof runningTurns === 'number' ? runningTurns : 0,
    isDraining: read('isDraining') === true,
  };
}
