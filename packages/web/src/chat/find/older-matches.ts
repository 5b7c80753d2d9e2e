import type { ChatMatch } from '@agenthost/client';

/** A turn that is not loaded, with the number of matches in it. */
export interface OlderTurn {
  readonly turnId: string;
  readonly count: number;
}

/** The turns of matches that are not loaded, newest first. `matches`: newest turn first. */
export function olderTurnsOf(
  matches: readonly ChatMatch[],
  isLoaded: (turnId: string) => boolean,
): OlderTurn[] {
  const counts = new Map<string, number>();
  for (const { turnId, count } of matches)
    if (!isLoaded(turnId)) counts.set(turnId, (counts.get(turnId) ?? 0) + count);
  return Array.from(counts, ([turnId, count]) => ({ turnId, count }));
}

/** The turn with the match of a number, counted from the newest one, from 0. A negative number is that of a match in a loaded turn. */
export function turnOfMatch(turns: readonly OlderTurn[], number: number): string | undefined {
  if (number < 0) return undefined;
  let before = 0;
  for (const { turnId, count } of turns) {
    before += count;
    if (number < before) return turnId;
  }
  return undefined;
}
