import { turnStarted, userMessage } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { chatOf, codeOf } from '../../test/in-turn.ts';
import { finish, queueOf, removed, steered, steering, story } from '../../test/steered.ts';

describe('a steering message that the agent takes', () => {
  it('[CHAT-12] shows in the running turn, complete, and is removed from the pending messages', async () => {
    const { host, client, chat, asked } = await steered();
    const message = {
      ...userMessage('look at the tests'),
      attachments: [{ type: 'simple' as const, label: 'notes', modelRepresentation: 'n' }],
    };
    await client.act(chat, { ...steering('s1'), message });
    await host.run();
    expect(asked.messages).toStrictEqual([message]);
    expect((await chatOf(client, chat)).steeringMessage?.id).toBe('s1');
    asked.last.resolve(true);
    await host.run();
    const shown = 'part Steering message: look at the tests [notes]';
    expect(story(client, chat)).toStrictEqual(['set steering s1', 'removed steering s1', shown]);
    const { activeTurn, steeringMessage, queuedMessages } = await chatOf(client, chat);
    expect([steeringMessage, queuedMessages]).toStrictEqual([undefined, undefined]);
    const part = activeTurn?.responseParts.find(({ kind }) => kind === 'systemNotification');
    expect(part).toMatchObject({ 'x-steering': { id: 's1', message } });
    await finish(host);
    expect(host.agent.turns).toHaveLength(1);
  });

  it('[CHAT-12] while idle waits for the next turn, and then goes to its agent', async () => {
    const { host, client, chat, asked } = await steered({ idle: true });
    await client.act(chat, steering('s1'));
    await host.advance(60_000);
    expect([asked.texts, story(client, chat)]).toStrictEqual([[], ['set steering s1']]);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    expect(asked.texts).toStrictEqual(['steer s1']);
    asked.last.resolve(true);
    await host.run();
    expect((await chatOf(client, chat)).steeringMessage).toBeUndefined();
  });

  it('[CHAT-12] before the agent has opened goes to the agent with the turn', async () => {
    const { host, client, chat, asked } = await steered({ idle: true });
    await host.restart();
    host.agent.steer = asked.steer;
    const again = await host.client(client.clientId);
    await again.subscribe(chat);
    const opening = Promise.withResolvers<void>();
    host.agent.opening = opening.promise;
    await again.act(chat, turnStarted('t1'));
    await again.act(chat, steering('s1'));
    await host.run();
    expect([asked.texts, queueOf(await chatOf(again, chat))]).toStrictEqual([[], []]);
    opening.resolve();
    await host.run();
    expect(asked.texts).toStrictEqual(['steer s1']);
  });

  it('[CHAT-11] [CHAT-12] edited on its way is given to it again, in its latest version', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, steering('s1', 'old'));
    await client.act(chat, steering('s1', 'new'));
    await host.run();
    expect(asked.texts).toStrictEqual(['old']);
    asked.last.resolve(true);
    await host.run();
    expect(asked.texts).toStrictEqual(['old', 'new']);
    asked.last.resolve(true);
    await host.run();
    expect(story(client, chat)).toStrictEqual([
      'set steering s1',
      'set steering s1',
      'part Steering message: old',
      'removed steering s1',
      'part Steering message: new',
    ]);
  });

  it('[CHAT-11] [CHAT-12] replaced on its way is followed by its replacement', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, steering('s1'));
    await client.act(chat, steering('s2'));
    asked.last.resolve(true);
    await host.run();
    expect(asked.texts).toStrictEqual(['steer s1', 'steer s2']);
    expect((await chatOf(client, chat)).steeringMessage?.id).toBe('s2');
  });

  it('[CHAT-11] [CHAT-12] removed on its way still shows in the turn, since the agent has it', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, steering('s1'));
    expect((await client.act(chat, removed('s1')))?.rejectionReason).toBeUndefined();
    asked.last.resolve(true);
    await host.run();
    expect(story(client, chat)).toStrictEqual([
      'set steering s1',
      'removed steering s1',
      'part Steering message: steer s1',
    ]);
    // It cannot be removed after the agent has taken it.
    expect(codeOf(await client.act(chat, removed('s1')))).toBe('noSuchMessage');
  });

  it('[CHAT-12] at the end of the turn is awaited, and not queued too', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, steering('s1'));
    await finish(host);
    expect((await chatOf(client, chat)).activeTurn?.id).toBe('t1');
    asked.last.resolve(true);
    await host.run();
    expect(story(client, chat)).toStrictEqual([
      'set steering s1',
      'removed steering s1',
      'part Steering message: steer s1',
      'turnComplete',
    ]);
    expect(queueOf(await chatOf(client, chat))).toStrictEqual([]);
  });
});

it('[CHAT-11] a steering message set while idle survives a kill and goes to the next turn', async () => {
  const { host, client, chat, asked } = await steered({ idle: true });
  await client.act(chat, steering('s1'));
  await host.restart();
  host.agent.steer = asked.steer;
  const again = await host.client();
  expect((await chatOf(again, chat)).steeringMessage?.message.text).toBe('steer s1');
  await again.act(chat, turnStarted('t1'));
  await host.run();
  expect(asked.texts).toStrictEqual(['steer s1']);
});
