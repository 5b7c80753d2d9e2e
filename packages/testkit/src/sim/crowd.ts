import { ROOT_URI } from '@agenthost/protocol';
import { SESSION } from '../deeds/act.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { CROWD } from './credentials.ts';
import { channelsOf } from './places.ts';
import type { World } from './world.ts';

/** Largest number of crowd clients, except while earlier ones are being closed. */
const MOST = 8;

/**
 * Adds clients with observing tokens that send many requests and read at the network's pace. They must not
 * affect other clients, which the audits check.
 */
export function crowdComes(world: World, random: SeededRandom): void {
  if (!world.isUp) return;
  const here = world.network.links.filter(({ credential }) => CROWD.some((each) => each === credential));
  if (here.length >= MOST || random.chance(0.3)) for (const link of here) link.cut();
  const uris = [ROOT_URI, SESSION, ...channelsOf(world)];
  for (let count = random.between(1, 4); count > 0; count -= 1) {
    const link = world.network.connect(random.pick(CROWD));
    link.client.start({ onFrame: () => undefined, onClose: () => undefined });
    let id = 0;
    const ask = (method: string, params: object): void => {
      id += 1;
      link.client.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    };
    ask('initialize', {
      channel: ROOT_URI,
      protocolVersions: ['1.0.0'],
      clientId: world.newName('passer-by'),
      initialSubscriptions: uris.filter(() => random.chance(0.5)),
    });
    for (let asked = random.between(0, 5); asked > 0; asked -= 1)
      if (random.chance(0.5)) ask('subscribe', { channel: random.pick(uris) });
      else ask('listSessions', { channel: ROOT_URI });
    world.report.count('passersBy');
  }
}
