import { describe, expect, it } from 'vitest';
import { type HostFixture, ROOT, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';
import { AgentError } from '../../agents/errors.ts';

const start = (turnId: string) => ({
  type: 'chat/turnStarted',
  startedAt: '2026-06-01T00:00:00.000Z',
  turnId,
  message: { text: 'go', origin: { kind: 'user' } },
});

/**
 * The activities in the states of chat and session, in the session's entry for the chat and in the session list, as a new client sees them.
 */
async function activities(host: HostFixture, session: string, chat: string): Promise<unknown[]> {
  const client = await host.client();
  const { state } = await client.subscribe(session);
  const { state: own } = await client.subscribe(chat);
  if (!('activeClients' in state) || !('turns' in own)) throw new Error('not a session and its chat');
  const { items } = await client.request('listSessions', { channel: ROOT });
  const entry = state.chats.find(({ resource }) => resource === chat);
  return [own.activity, state.activity, entry?.activity, items[0]?.activity];
}

interface Stage {
  readonly host: HostFixture;
  readonly client: RawClient;
  readonly chat: string;
}

const ENDS: Readonly<Record<string, (stage: Stage) => Promise<unknown> | void>> = {
  'its completion': ({ host }) => host.agent.turn.complete(),
  'its failure': ({ host }) => host.agent.turn.fail(new AgentError('agentError', 'It broke')),
  'the exit of its agent': ({ host }) => host.agent.opened.at(-1)?.host.exited('gone'),
  'a cancel': ({ client, chat }) =>
    client.act(chat, { type: 'chat/turnCancelled', turnId: 'b', duration: 0 }),
  'a truncation of everything': ({ client, chat }) => client.act(chat, { type: 'chat/truncated' }),
  'a truncation at the turn before': ({ client, chat }) =>
    client.act(chat, { type: 'chat/truncated', turnId: 'a' }),
  'a kill of the host': ({ host }) => host.restart(),
};

describe('the activity of a turn', () => {
  it.each(Object.entries(ENDS))('[CHAT-6] [SESS-5] ends with the turn: %s', async (_way, end) => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await client.act(chat, start('a'));
    await host.run();
    host.agent.turn.complete();
    await host.run();
    await client.act(chat, start('b'));
    await host.run();
    host.agent.turn.output.activity('Digging');
    await host.run();
    expect(await activities(host, session, chat)).toEqual(['Digging', 'Digging', 'Digging', 'Digging']);
    await end({ host, client, chat });
    await host.run();
    expect(await activities(host, session, chat)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('[ROOT-3] [SESS-5] is removed on every channel that showed it', async () => {
    const host = await startHost();
    const client = await host.client();
    await client.subscribe(ROOT);
    const { session, chat } = await host.session(client);
    await client.act(chat, start('a'));
    await host.run();
    host.agent.turn.output.activity('Digging');
    await host.run();
    await client.act(chat, { type: 'chat/truncated' });
    await host.run();
    expect(client.types(chat).slice(-2)).toEqual(['chat/truncated', 'chat/activityChanged']);
    expect(client.types(session)).toContain('session/activityChanged');
    const changes = client.notifications('root/sessionSummaryChanged');
    expect(changes.at(-1)).toMatchObject({ session, changes: { activity: '' } });
  });
});
