import { isCellName } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { FleetCell, FleetPlace, FleetSession } from '../journal/postgres/fleet.ts';
import type { HostFaults } from './host-faults.ts';
import { isReachable } from './reachability.ts';

/** A host in the list of a gateway. */
export interface ListedHost {
  /** Name of its cell. */
  readonly host: string;
  /** Path of its page at the gateway, with a slash at its end. Clients connect by WebSocket at `<path>ahp`. */
  readonly path: string;
  /**
   * `running`; `draining`: starts no new turns; `down`: no machine holds the cell, or its host listens only on another machine; `unreachable`: a connection to
   * its host has just failed.
   */
  readonly state: 'running' | 'draining' | 'down' | 'unreachable';
  readonly runningTurns: number;
  readonly labels: readonly string[];
  /** Machine and process. Absent: no machine holds the cell. */
  readonly holder?: string;
}

/** A session in the list of a gateway. */
export interface ListedSession {
  /** Name of its cell. */
  readonly host: string;
  readonly uri: string;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** Address of the session in the page of its host, below the gateway. */
  readonly page: string;
  /** Its entry in `listSessions` of its host [ROOT-2]. */
  readonly summary: unknown;
}

/** The path of a cell, without a slash at its end. */
export const pathOfCell = (name: string): string => `/h/${name}`;

/** The hosts that a gateway can route to. */
export function listedHosts(cells: readonly FleetCell[], faults: Pick<HostFaults, 'of'>): ListedHost[] {
  return cells
    .filter(({ name }) => isCellName(name))
    .map((cell) => {
      const { name, holder, announcement } = cell;
      return {
        host: name,
        path: `${pathOfCell(name)}/`,
        state: stateOf(cell, faults),
        runningTurns: announcement?.runningTurns ?? 0,
        labels: announcement?.labels ?? [],
        ...defined({ holder }),
      };
    });
}

function stateOf(cell: FleetCell, faults: Pick<HostFaults, 'of'>): ListedHost['state'] {
  if (!isReachable(cell)) return 'down';
  if (faults.of(cell) === 'unreachable') return 'unreachable';
  return cell.announcement?.isDraining === true ? 'draining' : 'running';
}

/** A session of a list. */
export const listedSession = ({ cell, uri, modifiedAt, summary }: FleetSession): ListedSession => ({
  host: cell,
  uri,
  modifiedAt,
  page: `${pathOfCell(cell)}/s/${encodeURIComponent(uri)}`,
  summary: JSON.parse(summary),
});

/** The cursor of the place after a session, as a text for URLs. */
export const cursorOf = ({ modifiedAt, cell, uri }: FleetPlace): string =>
  Buffer.from(JSON.stringify([modifiedAt, cell, uri])).toString('base64url');

/** Reads a cursor. `undefined` for other texts. */
export function parseCursor(text: string): FleetPlace | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const [modifiedAt, cell, uri]: unknown[] = value;
  return typeof modifiedAt === 'string' && typeof cell === 'string' && typeof uri === 'string'
    ? { modifiedAt, cell, uri }
    : undefined;
}
