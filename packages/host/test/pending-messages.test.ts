import { turnCancelled, turnStarted, userMessage } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { chatOf, codeOf, inTurn } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

const queue = (id: string, text = `text of ${id}`) => ({
  type: 'chat/pendingMessageSet',
  kind: 'queued',
  id,
  message: userMessage(text),
});
const unqueue = (id: string, kind = 'queued') => ({ type: 'chat/pendingMessageRemoved', kind, id });
const reorder = (...order: string[]) => ({ type: 'chat/queuedMessagesReordered', order });

const queueOf = async (client: RawClient, chat: string): Promise<string[]> =>
  ((await chatOf(client, chat)).queuedMessages ?? []).map(({ id }) => id);

/** A running turn, with `q1`, `q2`, `q3` in the queue. */
async function setUp() {
  const fixture = await inTurn();
  const { client, chat } = fixture;
  for (const id of ['q1', 'q2', 'q3']) await client.act(chat, queue(id));
  client.clear();
  return fixture;
}

type Fixture = Awaited<ReturnType<typeof setUp>>;

/** Ends of turn `t1` after which the queue waits. */
const HOLDS: [string, (fixture: Fixture) => Promise<RawClient>][] = [
  [
    'a cancel',
    async ({ client, chat }) => {
      await client.act(chat, turnCancelled('t1'));
      return client;
    },
  ],
  [
    'an error',
    async ({ host, client }) => {
      host.agent.turn.fail(new Error('broken'));
      await host.run();
      return client;
    },
  ],
  [
    'a truncation',
    async ({ client, chat }) => {
      await client.act(chat, { type: 'chat/truncated' });
      return client;
    },
  ],
  [
    'a kill of the host',
    async ({ host, chat }) => {
      await host.restart();
      const again = await host.client();
      await again.subscribe(chat);
      return again;
    },
  ],
];

describe('the queue', () => {
  test('[CHAT-11] is extended, edited in place, shortened and reordered by id', async () => {
    const { client, chat } = await setUp();
    await client.act(chat, queue('q2', 'edited'));
    expect((await chatOf(client, chat)).queuedMessages?.map(({ message }) => message.text)).toEqual([
      'text of q1',
      'edited',
      'text of q3',
    ]);
    await client.act(chat, reorder('q3', 'nobody', 'q3', 'q2'));
    expect(await queueOf(client, chat)).toEqual(['q3', 'q2', 'q1']);
    await client.act(chat, unqueue('q2'));
    expect(await queueOf(client, chat)).toEqual(['q3', 'q1']);
    await client.act(chat, unqueue('q3'));
    await client.act(chat, unqueue('q1'));
    expect(await chatOf(client, chat)).not.toHaveProperty('queuedMessages');
  });

  test('[CHAT-11] rejects the removal of an unknown message or of another kind', async () => {
    const { client, chat } = await setUp();
    expect(codeOf(await client.act(chat, unqueue('nobody')))).toBe('noSuchMessage');
    expect(codeOf(await client.act(chat, unqueue('q1', 'steering')))).toBe('noSuchMessage');
    expect(await queueOf(client, chat)).toEqual(['q1', 'q2', 'q3']);
  });

  test('[CHAT-11] takes 100 messages, and edits do not count', async () => {
    const { host, client, chat } = await setUp();
    for (let number = 4; number <= 100; number += 1) await client.act(chat, queue(`q${number}`));
    const refused = await client.act(chat, queue('q101'));
    expect(refused?.rejectionReason).toBe(
      'queueFull: At most 100 messages can wait in a chat; remove one, or wait until one has started',
    );
    expect(codeOf(await client.act(chat, queue('q100', 'edited')))).toBeUndefined();
    await client.act(chat, unqueue('q1'));
    expect(codeOf(await client.act(chat, queue('q101')))).toBeUndefined();
    // This agent takes no steering messages: the host queues the message, so that it is not lost.
    expect(codeOf(await client.act(chat, { ...queue('s1'), kind: 'steering' }))).toBeUndefined();
    await host.run();
    expect(await queueOf(client, chat)).toHaveLength(101);
  });

  test('[CHAT-11] [CHAT-3] takes messages of people only', async () => {
    const { client, chat } = await setUp();
    for (const kind of ['queued', 'steering']) {
      const message = { text: 'x', origin: { kind: 'agent' } };
      expect(codeOf(await client.act(chat, { ...queue('q4'), kind, message }))).toBe('notUserMessage');
    }
  });

  test('[CHAT-12] starts its head by two actions with no other action between them on any channel', async () => {
    const { host, client } = await setUp();
    host.agent.turn.complete();
    await host.run();
    const envelopes = client.envelopes();
    const at = envelopes.findIndex(({ action }) => action.type === 'chat/pendingMessageRemoved');
    const [removal, start] = envelopes.slice(at);
    expect(removal?.action).toEqual(unqueue('q1'));
    expect(start?.action).toMatchObject({
      type: 'chat/turnStarted',
      queuedMessageId: 'q1',
      message: userMessage('text of q1'),
    });
    expect((start?.serverSeq ?? 0) - (removal?.serverSeq ?? 0)).toBe(1);
    expect(host.agent.turn.input.message.text).toBe('text of q1');
  });

  test('[CHAT-12] starts all its messages, first in, first out', async () => {
    const { host, client, chat } = await setUp();
    for (let turn = 0; turn < 4; turn += 1) {
      host.agent.turn.complete();
      await host.run();
    }
    expect(host.agent.turns.map(({ input }) => input.message.text)).toEqual([
      'prompt of t1',
      'text of q1',
      'text of q2',
      'text of q3',
    ]);
    const state = await chatOf(client, chat);
    expect([state.activeTurn, state.queuedMessages]).toEqual([undefined, undefined]);
  });

  test('[CHAT-12] starts nothing when it is reordered during a turn, and the new head is next', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, reorder('q3'));
    expect(client.types(chat)).toEqual(['chat/queuedMessagesReordered']);
    host.agent.turn.complete();
    await host.run();
    expect(host.agent.turn.input.message.text).toBe('text of q3');
  });

  test('[CHAT-12] starts a message at once that is queued while idle', async () => {
    const { host, client, chat } = await inTurn();
    host.agent.turn.complete();
    await host.run();
    client.clear();
    await client.act(chat, queue('q1'));
    await host.run();
    expect(client.types(chat)).toEqual([
      'chat/pendingMessageSet',
      'chat/pendingMessageRemoved',
      'chat/turnStarted',
    ]);
  });
});

describe('a held queue', () => {
  test.each(HOLDS)(
    '[CHAT-12] after %s waits with all its messages, and a turn goes before it',
    async (_, hold) => {
      const fixture = await setUp();
      const { host, chat } = fixture;
      const client = await hold(fixture);
      await host.advance(60_000);
      const { activeTurn, queuedMessages } = await chatOf(client, chat);
      expect([activeTurn, queuedMessages?.map(({ message }) => message.text)]).toEqual([
        undefined,
        ['text of q1', 'text of q2', 'text of q3'],
      ]);
      await client.act(chat, turnStarted('t2'));
      await host.run();
      expect(await queueOf(client, chat)).toEqual(['q1', 'q2', 'q3']);
      host.agent.turn.complete();
      await host.run();
      expect((await chatOf(client, chat)).activeTurn?.message.text).toBe('text of q1');
    },
  );

  test.each([
    ['the same order', reorder('q1', 'q2', 'q3'), 'text of q1'],
    ['no order at all', reorder(), 'text of q1'],
    ['another order', reorder('q2'), 'text of q2'],
    ['one more message', queue('q4'), 'text of q1'],
    ['an edit', queue('q1', 'edited'), 'edited'],
  ])('[CHAT-12] is released by %s', async (_, action, first) => {
    const { host, client, chat } = await setUp();
    await client.act(chat, turnCancelled('t1'));
    host.agent.turn.complete();
    await host.run();
    await client.act(chat, action);
    await host.run();
    expect((await chatOf(client, chat)).activeTurn?.message.text).toBe(first);
  });

  test('[CHAT-12] is not released by a removal', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, turnCancelled('t1'));
    await client.act(chat, unqueue('q1'));
    await host.advance(60_000);
    expect((await chatOf(client, chat)).activeTurn).toBeUndefined();
    expect(await queueOf(client, chat)).toEqual(['q2', 'q3']);
  });
});

describe('a draft', () => {
  const draft = (text?: string) => ({
    type: 'chat/draftChanged',
    ...(text === undefined ? {} : { draft: userMessage(text) }),
  });

  test('[CHAT-14] is set and cleared by any client for all, and survives a kill', async () => {
    const { host, client, chat } = await inTurn();
    const other = await host.client();
    await other.subscribe(chat);
    await client.act(chat, draft('half a'));
    await host.run();
    expect(other.envelopes(chat).at(-1)?.action).toEqual(draft('half a'));
    await other.act(chat, draft('half a thought'));
    await host.restart();
    const again = await host.client();
    expect((await chatOf(again, chat)).draft).toEqual(userMessage('half a thought'));
    await again.act(chat, draft());
    expect(await chatOf(again, chat)).not.toHaveProperty('draft');
  });

  test('[CHAT-14] [CHAT-3] is a person’s message', async () => {
    const { client, chat } = await inTurn();
    const foreign = { type: 'chat/draftChanged', draft: { text: 'x', origin: { kind: 'tool' } } };
    expect(codeOf(await client.act(chat, foreign))).toBe('notUserMessage');
  });

  test.each([
    ['a queued message', queue('q1', 'to be sent'), queue('q1', 'else')],
    [
      'a steering message',
      { ...queue('s1', 'to be sent'), kind: 'steering' },
      { ...queue('s1'), kind: 'steering' },
    ],
  ])('[CHAT-14] is cleared when %s has its text, and stays otherwise', async (_, sent, other) => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, draft('to be sent'));
    await client.act(chat, other);
    await host.run();
    expect((await chatOf(client, chat)).draft?.text).toBe('to be sent');
    await client.act(chat, sent);
    await host.run();
    expect(await chatOf(client, chat)).not.toHaveProperty('draft');
    expect(client.types(chat).filter((type) => type === 'chat/draftChanged')).toHaveLength(2);
  });

  test('[CHAT-14] is cleared when a client starts a turn with its text, and stays otherwise', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, queue('q1', 'the same'));
    await client.act(chat, draft('the same'));
    // The host takes the message from the queue: no client has sent the draft.
    host.agent.turn.complete();
    await host.run();
    expect((await chatOf(client, chat)).activeTurn?.message.text).toBe('the same');
    expect((await chatOf(client, chat)).draft?.text).toBe('the same');
    host.agent.turn.complete();
    await host.run();
    await client.act(chat, turnStarted('t2', 'another'));
    expect((await chatOf(client, chat)).draft?.text).toBe('the same');
    host.agent.turn.complete();
    await host.run();
    await client.act(chat, turnStarted('t3', 'the same'));
    expect(await chatOf(client, chat)).not.toHaveProperty('draft');
  });

  test('[CHAT-14] stays when the message with its text is rejected', async () => {
    const { client, chat } = await inTurn();
    await client.act(chat, draft('now'));
    expect(codeOf(await client.act(chat, turnStarted('t2', 'now')))).toBe('turnActive');
    expect((await chatOf(client, chat)).draft?.text).toBe('now');
  });
});
