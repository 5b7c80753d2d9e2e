import type { ChatState } from '@agenthost/protocol';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Longer than any delay of the host or a library. */
const LONG_MS = 15 * 60_000;

/** Checks that sessions have no active clients long after all clients have disconnected [SESS-8]. */
async function checkNobodyActive({ life, disk, clock }: World): Promise<void> {
  const registry = life?.host.core.sync.registry;
  for (const { uri, kind } of [...disk.channels.values()]) {
    if (kind !== 'session' || registry === undefined) continue;
    const opening = registry.openOf('session', uri);
    await clock.runUntilSettled(opening);
    const active = (await opening)?.state.activeClients ?? [];
    if (active.length > 0)
      throw new Violation(
        'leftover',
        `${uri}: ${active.map(({ clientId }) => clientId).join()} stay active for ever`,
      );
  }
}

/**
 * Stops everything and checks that nothing is left: watchers, timers, links, agents, open turns. Throws a
 * `Violation`.
 */
export async function checkNothingLeft(world: World): Promise<void> {
  for (const { client } of world.clients) client.close();
  for (const foreigner of world.foreigners) foreigner.close();
  for (const link of world.network.links) link.deliverAll();
  await world.clock.settle();
  for (const link of world.network.links) link.cut();
  await world.clock.advance(LONG_MS);
  const { life } = world;
  if (life === undefined) throw new Violation('leftover', 'no host is left');
  const core = life.host.core;
  for (const channel of core.sync.registry.all()) {
    if (channel.subscriptions.size > 0)
      throw new Violation(
        'leftover',
        `${channel.subscriptions.size} subscriptions of nobody to ${channel.uri}`,
      );
  }
  await checkNobodyActive(world);
  await world.stop();
  world.faults.check();
  if (life.agents.open.length > 0)
    throw new Violation('leftover', `agents of a host that has stopped: ${life.agents.open.join()}`);
  if (world.network.links.length > 0) throw new Violation('leftover', 'links that nobody closed');
  await world.clock.settle();
  if (world.clock.timerCount > 0)
    throw new Violation('leftover', `${world.clock.timerCount} timers of clients that have closed`);
  for (const row of world.disk.channels.values()) {
    if (row.kind !== 'chat') continue;
    const state: ChatState = JSON.parse(row.state);
    if (state.activeTurn !== undefined)
      throw new Violation('owner', `${row.uri}: a turn stays open in the journal: ${state.activeTurn.id}`);
  }
}
