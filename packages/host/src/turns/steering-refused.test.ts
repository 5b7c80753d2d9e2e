import { turnCancelled, turnStarted } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { chatOf } from '../../test/in-turn.ts';
import type { RawClient } from '../../test/raw-client.ts';
import {
  type Asked,
  finish,
  queued,
  queueOf,
  removed,
  steered,
  steering,
  story,
} from '../../test/steered.ts';

describe('a steering message that the agent cannot take', () => {
  it('[CHAT-12] goes to the head of the queue by three actions, and runs next', async () => {
    const { host, client, chat } = await steered({ takes: false });
    await client.act(chat, queued('q1'));
    await client.act(chat, steering('s1'));
    await host.run();
    expect(story(client, chat)).toStrictEqual([
      'set queued q1',
      'set steering s1',
      'removed steering s1',
      'set queued s1',
      'order s1',
    ]);
    const { steeringMessage, ...state } = await chatOf(client, chat);
    expect([steeringMessage, queueOf(state)]).toStrictEqual([undefined, ['s1', 'q1']]);
    client.clear();
    await finish(host);
    expect(story(client, chat)).toStrictEqual(['turnComplete', 'removed queued s1', 'started s1']);
    expect(host.agent.turn.input.message.text).toBe('steer s1');
  });

  it.each([
    ['says so', (asked: Asked) => asked.last.resolve(false)],
    ['fails', (asked: Asked) => asked.last.reject(new Error('no'))],
  ])('[CHAT-12] because it %s goes there too, in its latest version', async (_, refuse) => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, steering('s1', 'old'));
    await client.act(chat, steering('s1', 'new'));
    refuse(asked);
    await host.run();
    const { steeringMessage, queuedMessages } = await chatOf(client, chat);
    expect(steeringMessage).toBeUndefined();
    expect(queuedMessages).toMatchObject([{ id: 's1', message: { text: 'new' } }]);
  });

  it('[CHAT-11] [CHAT-12] and that was removed or replaced meanwhile is not queued', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, steering('s1'));
    await client.act(chat, removed('s1'));
    asked.last.resolve(false);
    await host.run();
    await client.act(chat, steering('s2'));
    await client.act(chat, steering('s3'));
    asked.last.resolve(false);
    await host.run();
    expect(asked.texts).toStrictEqual(['steer s1', 'steer s2', 'steer s3']);
    const state = await chatOf(client, chat);
    expect([state.steeringMessage?.id, queueOf(state)]).toStrictEqual(['s3', []]);
  });

  it('[CHAT-12] because a person’s command runs instead goes to the queue', async () => {
    const { host, client, chat, asked } = await steered({ idle: true });
    await client.act(chat, turnStarted('c1', '!sleep'));
    await client.act(chat, steering('s1'));
    await host.run();
    expect([asked.texts, queueOf(await chatOf(client, chat))]).toStrictEqual([[], ['s1']]);
  });

  it('[CHAT-12] because it does not answer within 5 s of the turn’s end goes to the queue, and is the next turn', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, steering('s1'));
    client.clear();
    await finish(host);
    await host.advance(4_999);
    expect(story(client, chat)).toStrictEqual([]);
    await host.advance(1);
    const toQueue = ['removed steering s1', 'set queued s1', 'order s1'];
    expect(story(client, chat)).toStrictEqual([
      'turnComplete',
      ...toQueue,
      'removed queued s1',
      'started s1',
    ]);
    // A late answer changes nothing.
    client.clear();
    asked.last.resolve(true);
    await host.run();
    expect(story(client, chat)).toStrictEqual([]);
  });

  it.each([
    ['cancelled', async (client: RawClient, chat: string) => client.act(chat, turnCancelled('t1'))],
    ['cut away', async (client: RawClient, chat: string) => client.act(chat, { type: 'chat/truncated' })],
  ])('[CHAT-12] because the turn is %s waits at the head of the queue', async (_, end) => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, queued('q1'));
    await client.act(chat, steering('s1'));
    await end(client, chat);
    asked.last.resolve(true);
    await finish(host);
    await host.advance(60_000);
    const state = await chatOf(client, chat);
    expect([state.activeTurn, state.steeringMessage, queueOf(state)]).toStrictEqual([
      undefined,
      undefined,
      ['s1', 'q1'],
    ]);
  });

  it('[CHAT-12] [CONN-8] because the host was killed waits at the head of the queue', async () => {
    const { host, client, chat } = await steered();
    await client.act(chat, queued('q1'));
    await client.act(chat, steering('s1'));
    await host.restart();
    const again = await host.client();
    const state = await chatOf(again, chat);
    expect([state.turns.map((turn) => turn.state), queueOf(state)]).toStrictEqual([['error'], ['s1', 'q1']]);
    await host.advance(60_000);
    expect((await chatOf(again, chat)).activeTurn).toBeUndefined();
  });

  it('[CHAT-12] is given to the agent once, even if the answer comes while the journal is down, and is queued when that is up again', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, steering('s1'));
    host.journal.failNextCommits(3);
    await host.agent.turn.output.markdown('nobody can write this down');
    await host.run();
    asked.last.resolve(false);
    await host.run();
    expect(asked.texts).toStrictEqual(['steer s1']);
    await host.advance(5_000);
    expect(asked.texts).toStrictEqual(['steer s1']);
    expect(queueOf(await chatOf(client, chat))).toStrictEqual(['s1']);
    // The next message is handled as usual.
    await client.act(chat, steering('s2'));
    expect(asked.texts).toStrictEqual(['steer s1', 'steer s2']);
  });

  it('[CHAT-12] because the turn failed waits there too', async () => {
    const { host, client, chat } = await steered();
    await client.act(chat, steering('s1'));
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    const state = await chatOf(client, chat);
    expect([state.activeTurn, queueOf(state)]).toStrictEqual([undefined, ['s1']]);
  });
});
