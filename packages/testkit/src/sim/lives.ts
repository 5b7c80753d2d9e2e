import { ROOT_URI } from '@agenthost/protocol';
import { SESSION } from '../deeds/act.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimClient } from './sim-client.ts';
import type { World } from './world.ts';

/**
 * Opens several connections with a client's id, one after the other. Each has its own epoch, dispatches one
 * action and is cut. The client itself reconnects afterwards [ACT-5].
 */
export async function letLivesPass(world: World, random: SeededRandom, client: SimClient): Promise<void> {
  if (!world.isUp || !client.resends || client.mayOnlyLook) return;
  const { clientId, credential } = client;
  client.wasReplaced = true;
  for (let left = random.between(1, 12); left > 0 && world.isUp; left -= 1) {
    world.report.count('passingLives');
    const link = world.network.connect(credential);
    const line = world.ledger.follow(clientId, world.newName('life'));
    link.toHost.tap = line.toHost;
    link.toClient.tap = line.toClient;
    link.client.start({ onFrame: () => undefined, onClose: () => undefined });
    const send = (message: object): void => link.client.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const epoch = random.hex(8);
    const who = { channel: ROOT_URI, clientId, protocolVersions: ['1.0.0'], 'x-epoch': epoch };
    send({ id: 1, method: 'initialize', params: who });
    const action = { type: 'session/titleChanged', title: `life ${epoch}` };
    const clientSeq = random.int(2);
    send({ method: 'dispatchAction', params: { channel: SESSION, clientSeq, action } });
    link.toHost.deliver();
    await world.clock.settle();
    link.cut();
  }
}
