import { SESSION } from '../deeds/act.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { SCHEDULED } from './violation.ts';
import type { World } from './world.ts';

/** Reduces a chat to its newest turns, like the retention policy. */
export function dropTurns(world: World, random: SeededRandom): void {
  const keep = random.between(1, 3);
  const chats = droppable(world, keep);
  if (chats.length > 0) dropTurnsOf(world, random.pick(chats), keep);
}

/** The session's chats with more than `keep` turns. Audits compare the chats of copied sessions with their source. */
function droppable({ life, isUp, options }: World, keep: number): string[] {
  if (!options.dropsTurns || !isUp || life === undefined) return [];
  return [...life.host.core.sync.registry.ofSession(SESSION)].flatMap((channel) => {
    if (!channel.is('chat')) return [];
    const { turnCount, keptFrom = 0 } = channel.hostData;
    return turnCount - keptFrom > keep ? [channel.uri] : [];
  });
}

/** Reduces one chat to its newest `keep` turns, if it has more. */
export function dropTurnsOf(world: World, uri: string, keep: number): void {
  const { life, faults, report, trace } = world;
  if (life === undefined || !droppable(world, keep).includes(uri)) return;
  trace.note('host', `keeps ${keep} turns of ${uri}`);
  report.count('turnDrops');
  life.host.core.dropTurns(uri, keep).catch((error: unknown) => {
    // Caused by the disk, or by a host that stops while the disk is full.
    if (!String(error).includes(SCHEDULED) && !String(error).includes('is stopping'))
      faults.note('fault', `turns of ${uri} were not dropped: ${String(error)}`);
  });
}
