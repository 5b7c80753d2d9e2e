import { SESSION } from '../deeds/act.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { SCHEDULED } from './scheduled.ts';
import type { World } from './world.ts';

/** Some chat keeps its newest turns and no others, as after the retention policy. */
export function dropTurns(world: World, random: SeededRandom): void {
  const { life, options, faults, report, trace } = world;
  if (!options.dropsTurns || !world.isUp || life === undefined) return;
  const { core } = life.host;
  const keep = random.between(1, 3);
  // Not those of copies, which are compared with what was read of their source.
  const chats = [...core.sync.registry.ofSession(SESSION)].filter(
    (channel) => channel.is('chat') && channel.local.turnCount - (channel.local.keptFrom ?? 0) > keep,
  );
  if (chats.length === 0) return;
  const { uri } = random.pick(chats);
  trace.note('host', `keeps ${keep} turns of ${uri}`);
  report.count('turnDrops');
  core.dropTurns(uri, keep).catch((error: unknown) => {
    // The disk, or a host that stops without one.
    if (!String(error).includes(SCHEDULED) && !String(error).includes('is stopping'))
      faults.note('fault', `turns of ${uri} were not dropped: ${String(error)}`);
  });
}
