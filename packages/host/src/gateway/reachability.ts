import { hostname } from 'node:os';
import { isCellName } from '@agenthost/protocol';
import type { FleetCell } from '../journal/postgres/fleet.ts';
import { isLoopback } from '../tls/names.ts';

/** A cell whose host a gateway may connect to. */
export interface ReachableCell extends FleetCell {
  readonly announcement: NonNullable<FleetCell['announcement']>;
}

/**
 * The cell with its announcement; `down`: no host holds it or its host announces nothing; `elsewhere`: its host listens only on another machine. The
 * announcement of a killed host stays until another host takes the lease, and any program may listen at that address meanwhile.
 */
export function reachCell(cell: FleetCell): ReachableCell | 'down' | 'elsewhere' {
  const { announcement, isHeld } = cell;
  if (!isHeld || announcement === undefined) return 'down';
  const name = new URL(announcement.url).hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(name) && !isHeldHere(cell)) return 'elsewhere';
  return { ...cell, announcement };
}

/** Whether gateways on this machine route to a cell. */
export const isReachable = (cell: FleetCell): boolean =>
  isCellName(cell.name) && typeof reachCell(cell) === 'object';

/** Whether the holder of a cell runs on this machine. Only then may a loopback address be the holder's. */
export const isHeldHere = ({ holder = '' }: Pick<FleetCell, 'holder'>): boolean =>
  holder.startsWith(`${hostname()} `);
