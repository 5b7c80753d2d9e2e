import { describe, expect, it } from 'vitest';
import { startHost } from '../../../test/host-fixture.ts';

/** A session with an agent, and the agent's interface outside of turns. */
async function opened() {
  const host = await startHost();
  const client = await host.client();
  const { session, chat } = await host.session(client);
  await client.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 'a',
    message: { text: 'go', origin: { kind: 'user' } },
  });
  await host.run();
  const [agent] = host.agent.opened;
  if (agent === undefined) throw new Error('the agent has no session');
  const shown = async () => {
    await host.run();
    return (await client.subscribe(session)).state;
  };
  return { agent: agent.host, shown };
}

describe('texts of an agent about itself are bounded, since every session and list shows them', () => {
  it('a title is cut to 500 characters, never inside one', async () => {
    const { agent, shown } = await opened();
    agent.title('x'.repeat(500));
    expect(await shown()).toMatchObject({ title: 'x'.repeat(500) });
    agent.title(`${'x'.repeat(499)}🙂 and so on`);
    const title = `${'x'.repeat(499)}…`;
    expect(await shown()).toMatchObject({ title, chats: [{ title }] });
  });

  it('the first thousand commands are kept, without those with long names, and their texts are cut', async () => {
    const { agent, shown } = await opened();
    const command = (name: string) => ({ name, description: 'd', hint: 'h' });
    agent.commands([
      command('x'.repeat(501)),
      { name: 'long', description: 'd'.repeat(1024 * 1024), hint: 'h'.repeat(1024 * 1024) },
      ...Array.from({ length: 2_000 }, (_, index) => command(`c${index}`)),
    ]);
    const cut = (letter: string): string => `${letter.repeat(2_000)}…`;
    expect(await shown()).toMatchObject({
      _meta: {
        'agenthost.commands': [
          { name: 'long', description: cut('d'), hint: cut('h') },
          ...Array.from({ length: 998 }, (_, index) => command(`c${index}`)),
        ],
      },
    });
  });
});
