import type { Link } from '../controlled-network.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimClient } from './sim-client.ts';
import type { World } from './world.ts';

/** Delivers a client's requests, then loses the answer with the connection. */
export async function loseAnswer(world: World, { link }: { readonly link: Link | undefined }): Promise<void> {
  if (link === undefined) return;
  world.report.count('lostAnswers');
  link.toHost.deliver();
  await world.clock.settle();
  link.cut();
}

/** Lets a client ask for a wider window of a chat. Sometimes loses the answer. */
export async function renew(world: World, random: SeededRandom, client: SimClient): Promise<void> {
  const chats = client.mirrors().filter(({ kind }) => kind === 'chat');
  if (chats.length === 0 || !client.isOnline) return;
  const { uri } = random.pick(chats);
  const turns = random.pick([0, random.between(0, 8)]);
  world.report.count('renewals');
  world.trace.note(client.name, `renews ${uri} with ${turns} turns`);
  client.renew(uri, { turns });
  if (random.chance(0.4)) await loseAnswer(world, client);
}
