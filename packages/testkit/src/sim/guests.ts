import { ROOT_URI } from '@agenthost/protocol';
import { SECOND_CHAT, SESSION } from '../deeds/act.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimClient } from './sim-client.ts';
import { TERMINALS } from './terminals.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Lets a client create a token and a guest connect with it. */
export function inviteGuest(world: World, client: SimClient): void {
  if (!client.isOnline || world.guests.length > 1) return;
  const { random } = client;
  const scope = random.pick(['interact', 'interact', 'observe'] as const);
  const lifetime = random.chance(0.2) ? { lifetimeSeconds: random.between(1, 60) } : {};
  const { farewells } = world;
  client.ask('x-createToken', { channel: ROOT_URI, scope, ...lifetime }, ({ token, secret }) => {
    // All guests were disconnected meanwhile.
    if (world.farewells !== farewells) return;
    world.report.count('guests');
    const guest = world.makeClient(world.newName('guest'), {
      credential: secret,
      mayOnlyLook: scope === 'observe',
      isGuest: true,
    });
    world.guests.push({ client: guest, tokenId: token.id, isRevoked: false });
    // Refusals and lost connections are part of the schedule.
    guest.client.connect().catch(() => undefined);
    for (const uri of [SESSION, SECOND_CHAT, TERMINALS[0]]) guest.hold(uri).catch(() => undefined);
  });
}

/** A random guest; `undefined` without guests. */
export function pickGuest(world: World, random: SeededRandom): SimClient | undefined {
  if (world.guests.length === 0) return undefined;
  const { client } = random.pick(world.guests);
  client.random = random;
  return client;
}

/** Revokes a guest's token. After the answer no action of the guest may take effect. */
export function revokeGuest(world: World, client: SimClient): void {
  const guest = world.guests.find(({ isRevoked }) => !isRevoked);
  if (guest === undefined || !client.isOnline) return;
  client.ask('x-revokeToken', { channel: ROOT_URI, id: guest.tokenId }, () => {
    world.report.count('revocations');
    guest.isRevoked = true;
    world.archive.bar(guest.client.clientId);
  });
}

/**
 * Closes all guests, so that their actions have outcomes. Throws a `Violation` when a guest with a revoked
 * token is online.
 */
export function letGuestsGo(world: World): void {
  world.farewells += 1;
  for (const { client, isRevoked } of world.guests) {
    if (isRevoked && client.isOnline)
      throw new Violation('access', `${client.name} has no token any more, and is online`);
    client.client.close();
  }
}
