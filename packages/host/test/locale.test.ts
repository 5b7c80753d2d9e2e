import { turnCancelled } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { labelsFor } from '../src/approvals/labels.ts';
import { AskingSession } from './approvals-fixture.ts';
import { startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

/** The labels of the session's next question. */
async function labels(session: AskingSession): Promise<string[]> {
  const asked = await session.run(`make ${Math.random()}`);
  const call = await session.stateOf(asked.id);
  return call.status === 'pending-confirmation' ? (call.options ?? []).map(({ label }) => label) : [];
}

const GERMAN = [
  'Erlauben',
  'Genau diesen Befehl in dieser Sitzung immer erlauben',
  'Genau diesen Befehl in diesem Ordner und darunter immer erlauben',
  'Ablehnen',
];
const endTurn = async (session: AskingSession): Promise<void> => {
  session.host.agent.turn.complete();
  await session.host.run();
};
const queue = (client: RawClient, chat: string) =>
  client.act(chat, {
    type: 'chat/pendingMessageSet',
    kind: 'queued',
    id: 'm1',
    message: { text: 'later', origin: { kind: 'user' } },
  });

describe('the language of labels', () => {
  it('[CHAT-19] is that of the client that started the turn, for all subscribers', async () => {
    const host = await startHost();
    const session = await AskingSession.open(host, await host.client('anna', { locale: 'de-AT' }));
    const other = await host.client('bob', { locale: 'fr' });
    await other.subscribe(session.chat);
    await session.turn();
    expect(await labels(session)).toStrictEqual(GERMAN);
    expect(host.agent.turn.input.locale).toBe('de-AT');
    await endTurn(session);
    await session.turn(other);
    expect((await labels(session))[0]).toBe('Autoriser');
  });

  it('[CHAT-19] is English for clients without a language, or with an unsupported one', async () => {
    for (const params of [{}, { locale: 'tlh' }, { locale: 'de\n'.repeat(99) }, { locale: 'constructor' }]) {
      const host = await startHost();
      const session = await AskingSession.open(host, await host.client('c', params));
      await session.turn();
      expect((await labels(session))[0]).toBe('Allow');
    }
  });

  it('[CHAT-19] survives a reconnect and a restart of the host', async () => {
    const host = await startHost();
    const session = await AskingSession.open(host, await host.client('anna', { locale: 'de' }));
    await host.restart();
    const back = host.connect('anna');
    await back.reconnect(0, [session.uri, session.chat]);
    await session.turn(back);
    const { output } = host.agent.turn;
    void output
      .toolCall({ toolCallId: 'q', toolName: 't', displayName: 'T' })
      .confirm({ invocationMessage: 'Do it' });
    await host.run();
    const { state } = await back.subscribe(session.chat);
    const part = 'turns' in state ? state.activeTurn?.responseParts[0] : undefined;
    expect(part).toMatchObject({ toolCall: { options: [{ label: 'Erlauben' }, { label: 'Ablehnen' }] } });
  });

  it('[CHAT-19] is that of the client that queued the message', async () => {
    const host = await startHost();
    const session = await AskingSession.open(host, await host.client('bob', { locale: 'fr' }));
    const anna = await host.client('anna', { locale: 'de' });
    await anna.subscribe(session.chat);
    await session.turn();
    await queue(anna, session.chat);
    await endTurn(session);
    expect(await labels(session)).toStrictEqual(GERMAN);
  });

  it('[CHAT-19] is that of the client that created the chat with a first message', async () => {
    const host = await startHost();
    const session = await AskingSession.open(host, await host.client('anna', { locale: 'de' }));
    const chat = 'ahp-chat:/second';
    const initialMessage = { text: 'go', origin: { kind: 'user' as const } };
    await session.client.request('createChat', { channel: session.uri, chat, initialMessage });
    await host.run();
    const { output, input } = host.agent.turn;
    expect(input.locale).toBe('de');
    const call = output.toolCall({ toolCallId: 'q', toolName: 't', displayName: 'T' });
    void call.confirm({ invocationMessage: 'Do it' });
    await host.run();
    const { activeTurn } = await chatOf(session.client, chat);
    expect(activeTurn?.responseParts).toMatchObject([
      { toolCall: { options: [{ label: 'Erlauben' }, { label: 'Ablehnen' }] } },
    ]);
  });

  it('[CHAT-19] is that of a steering message that no agent took, too', async () => {
    const host = await startHost();
    const session = await AskingSession.open(host, await host.client('bob', { locale: 'fr' }));
    const anna = await host.client('anna', { locale: 'de' });
    await anna.subscribe(session.chat);
    await session.turn();
    const message = { text: 'instead', origin: { kind: 'user' } };
    await anna.act(session.chat, { type: 'chat/pendingMessageSet', kind: 'steering', id: 's1', message });
    await host.run();
    await endTurn(session);
    expect(host.agent.turn.input.message.text).toBe('instead');
    expect(await labels(session)).toStrictEqual(GERMAN);
  });

  it('[CHAT-19] is that of the client that queued the message before the host was killed, too', async () => {
    const host = await startHost();
    const session = await AskingSession.open(host, await host.client('anna', { locale: 'de' }));
    await session.turn();
    await queue(session.client, session.chat);
    await host.restart();
    const bob = await host.client('bob', { locale: 'fr' });
    await bob.subscribe(session.chat);
    await bob.act(session.chat, { type: 'chat/queuedMessagesReordered', order: [] });
    await host.run();
    expect(host.agent.turn.input).toMatchObject({ message: { text: 'later' }, locale: 'de' });
  });

  it('[CHAT-19] is stored for waiting messages only', async () => {
    const host = await startHost();
    const session = await AskingSession.open(host, await host.client('anna', { locale: 'de' }));
    const message = { text: 'x', origin: { kind: 'user' as const } };
    const set = (kind: 'queued' | 'steering', id: string) =>
      session.client.act(session.chat, { type: 'chat/pendingMessageSet', kind, id, message });
    await session.turn();
    for (const id of ['gone', 'stays']) await set('queued', id);
    await session.client.act(session.chat, {
      type: 'chat/pendingMessageRemoved',
      kind: 'queued',
      id: 'gone',
    });
    await session.client.act(session.chat, turnCancelled(session.turnId));
    for (const id of ['replaced', 'steers']) await set('steering', id);
    const stored = await host.journal.readChannel(session.chat);
    expect(JSON.parse(stored?.local ?? '{}')).toMatchObject({ locales: { stays: 'de', steers: 'de' } });
    expect(stored?.local).not.toMatch(/gone|replaced/);
  });

  it('[CHAT-19] a worker has the language of the turn that spawned it', async () => {
    const host = await startHost();
    const session = await AskingSession.open(host, await host.client('anna', { locale: 'de' }));
    await session.turn();
    const { output } = host.agent.turn;
    output
      .toolCall({ toolCallId: 'c', toolName: 't', displayName: 'T' })
      .run({ invocationMessage: 'Delegates' });
    const worker = output.spawnChat({ toolCallId: 'c', title: 'Worker' });
    const call = worker.turn('go').output.toolCall({ toolCallId: 'w', toolName: 't', displayName: 'T' });
    void call.confirm({ invocationMessage: 'Do it' });
    await host.run();
    const { state } = await session.client.subscribe(worker.uri);
    const part = 'turns' in state ? state.activeTurn?.responseParts[0] : undefined;
    expect(part).toMatchObject({ toolCall: { options: [{ label: 'Erlauben' }, { label: 'Ablehnen' }] } });
  });

  it('[CHAT-19] has a translation of each label', () => {
    const spoken = ['en', 'de', 'fr'].map((locale) => {
      const { allow, deny, deniedByPolicy, always } = labelsFor(locale);
      const kinds = [
        { kind: 'command' as const },
        { kind: 'input' as const },
        { kind: 'files' as const, count: 1 },
        { kind: 'files' as const, count: 2 },
        { kind: 'tool' as const, toolName: 'read' },
      ];
      return [
        allow,
        deny,
        deniedByPolicy,
        ...kinds.flatMap((of) => [always(of, 'session'), always(of, 'folder')]),
      ];
    });
    const all = spoken.flat();
    expect(all).toHaveLength(39);
    expect(new Set(all).size).toBe(39);
  });
});
