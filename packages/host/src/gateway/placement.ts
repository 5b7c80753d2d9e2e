import type { FleetCell } from '../journal/postgres/fleet.ts';
import { isReachable } from './reachability.ts';

/** What a new session needs. */
export interface PlacementWish {
  /** The host must announce all of these. */
  readonly labels: readonly string[];
  /** Cells with sessions of the same repository, the preferred first. */
  readonly preferred: readonly string[];
}

/**
 * Chooses the cell of a new session: among those whose host can be reached, does not drain and announces all labels, the first preferred one, else the one with
 * the fewest running turns (ties by a random number from 0 to 1). `undefined` when none fits.
 */
export function placeSession(
  cells: readonly FleetCell[],
  { labels, preferred }: PlacementWish,
  random: () => number,
): string | undefined {
  const fitting = cells
    .filter(isReachable)
    .flatMap(({ name, announcement }) =>
      announcement?.isDraining === false && labels.every((label) => announcement.labels.includes(label))
        ? [{ name, runningTurns: announcement.runningTurns }]
        : [],
    );
  const known = preferred.find((name) => fitting.some((cell) => cell.name === name));
  if (known !== undefined) return known;
  const least = Math.min(...fitting.map(({ runningTurns }) => runningTurns));
  // Loads are some seconds old: gateways that place many sessions at once must not all choose the same cell.
  const idle = fitting.filter(({ runningTurns }) => runningTurns === least);
  return idle[Math.floor(random() * idle.length)]?.name;
}
