import { connect } from '@agenthost/client';
import type { Machine } from './cli-process.ts';

/** Starts a turn of the demo agent that waits for an approval, on the only host of a machine. The caller closes the client. */
export async function askingTurn(machine: Machine) {
  const [host] = machine.hosts();
  if (host === undefined) throw new Error('no host');
  const client = await connect(host.wsUrl, { token: host.token });
  const session = await client.sessions.create({ provider: 'demo' });
  const turn = session.chat.prompt('ask');
  const asked = Promise.withResolvers<() => Promise<unknown>>();
  const events = (async () => {
    for await (const event of turn) if (event.type === 'confirmation') asked.resolve(() => event.approve());
  })();
  // A turn that ends without a question fails the test.
  const approve = await Promise.race([
    asked.promise,
    events.then((): never => {
      throw new Error('the agent asked nothing');
    }),
  ]);
  return {
    client,
    session,
    approveAndEnd: async () => {
      await approve();
      await events;
      return (await turn.result).state;
    },
  };
}
