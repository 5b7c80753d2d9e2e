import type { ActionEnvelope, ChatState, Message } from '@agenthost/protocol';
import { turnCancelled, turnStarted, userMessage } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { type HostFixture, startHost } from '../../test/host-fixture.ts';
import { chatOf, codeOf } from '../../test/in-turn.ts';
import type { RawClient } from '../../test/raw-client.ts';

const steering = (id: string, text = `steer ${id}`) => ({
  type: 'chat/pendingMessageSet',
  kind: 'steering',
  id,
  message: userMessage(text),
});
const queued = (id: string) => ({
  type: 'chat/pendingMessageSet',
  kind: 'queued',
  id,
  message: userMessage(`text of ${id}`),
});
const removed = (id: string) => ({ type: 'chat/pendingMessageRemoved', kind: 'steering', id });

/** What the agent was asked to take, and the answers that a test gives. */
class Asked {
  readonly messages: Message[] = [];
  readonly #answers: PromiseWithResolvers<boolean>[] = [];

  steer = (message: Message): Promise<boolean> => {
    this.messages.push(message);
    const answer = Promise.withResolvers<boolean>();
    this.#answers.push(answer);
    return answer.promise;
  };

  get texts(): string[] {
    return this.messages.map(({ text }) => text);
  }

  get last(): PromiseWithResolvers<boolean> {
    const answer = this.#answers.at(-1);
    if (answer === undefined) throw new Error('nothing was asked');
    return answer;
  }
}

/** A host whose agent takes steering messages as `asked` answers, or none; turn `t1` runs unless `idle`. */
async function setUp({ takes = true, idle = false } = {}) {
  const host = await startHost();
  const asked = new Asked();
  if (takes) host.agent.steer = asked.steer;
  const client = await host.client();
  const { chat } = await host.session(client);
  if (!idle) {
    await client.act(chat, turnStarted('t1'));
    await host.run();
    client.clear();
  }
  return { host, client, chat, asked };
}

/** What a chat's actions did to its pending messages and turns, in short. */
function story(client: RawClient, chat: string): string[] {
  return client.envelopes(chat).flatMap(({ action, rejectionReason }: ActionEnvelope) => {
    if (rejectionReason !== undefined) return [`rejected ${rejectionReason.split(':')[0]}`];
    switch (action.type) {
      case 'chat/pendingMessageSet':
        return [`set ${action.kind} ${action.id}`];
      case 'chat/pendingMessageRemoved':
        return [`removed ${action.kind} ${action.id}`];
      case 'chat/queuedMessagesReordered':
        return [`order ${action.order.join()}`];
      case 'chat/turnStarted':
        return [`started ${action.queuedMessageId ?? action.turnId}`];
      case 'chat/responsePart':
        return action.part.kind === 'systemNotification' ? [`part ${String(action.part.content)}`] : [];
      case 'chat/turnComplete':
      case 'chat/turnCancelled':
      case 'chat/error':
      case 'chat/truncated':
        return [action.type.slice(5)];
      default:
        return [];
    }
  });
}

const queueOf = ({ queuedMessages = [] }: ChatState): string[] => queuedMessages.map(({ id }) => id);

async function finish(host: HostFixture): Promise<void> {
  host.agent.turn.complete();
  await host.run();
}

describe('a steering message that the agent takes', () => {
  it('[CHAT-12] stands in the running turn, whole, and is gone from what waits', async () => {
    const { host, client, chat, asked } = await setUp();
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

  it('[CHAT-12] while idle waits for the next turn, and goes to its agent then', async () => {
    const { host, client, chat, asked } = await setUp({ idle: true });
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

  it('[CHAT-12] before the agent has opened goes to it when it has the turn', async () => {
    const { host, client, chat, asked } = await setUp({ idle: true });
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

  it('[CHAT-11] [CHAT-12] edited on its way is brought to it again, as it is now', async () => {
    const { host, client, chat, asked } = await setUp();
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

  it('[CHAT-11] [CHAT-12] replaced on its way is followed by the other one', async () => {
    const { host, client, chat, asked } = await setUp();
    await client.act(chat, steering('s1'));
    await client.act(chat, steering('s2'));
    asked.last.resolve(true);
    await host.run();
    expect(asked.texts).toStrictEqual(['steer s1', 'steer s2']);
    expect((await chatOf(client, chat)).steeringMessage?.id).toBe('s2');
  });

  it('[CHAT-11] [CHAT-12] removed on its way still stands in the turn, since the agent has it', async () => {
    const { host, client, chat, asked } = await setUp();
    await client.act(chat, steering('s1'));
    expect((await client.act(chat, removed('s1')))?.rejectionReason).toBeUndefined();
    asked.last.resolve(true);
    await host.run();
    expect(story(client, chat)).toStrictEqual([
      'set steering s1',
      'removed steering s1',
      'part Steering message: steer s1',
    ]);
    // Once taken it is too late.
    expect(codeOf(await client.act(chat, removed('s1')))).toBe('noSuchMessage');
  });

  it('[CHAT-12] just as the turn ends is waited for, and not queued as well', async () => {
    const { host, client, chat, asked } = await setUp();
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

describe('a steering message that the agent cannot take', () => {
  it('[CHAT-12] goes to the head of the queue by three actions, and runs next', async () => {
    const { host, client, chat } = await setUp({ takes: false });
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
  ])('[CHAT-12] because it %s goes there too, as it is by then', async (_, refuse) => {
    const { host, client, chat, asked } = await setUp();
    await client.act(chat, steering('s1', 'old'));
    await client.act(chat, steering('s1', 'new'));
    refuse(asked);
    await host.run();
    const { steeringMessage, queuedMessages } = await chatOf(client, chat);
    expect(steeringMessage).toBeUndefined();
    expect(queuedMessages).toMatchObject([{ id: 's1', message: { text: 'new' } }]);
  });

  it('[CHAT-11] [CHAT-12] but was removed or replaced meanwhile is not queued', async () => {
    const { host, client, chat, asked } = await setUp();
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

  it('[CHAT-12] because a person’s command runs in place of it goes to the queue', async () => {
    const { host, client, chat, asked } = await setUp({ idle: true });
    await client.act(chat, turnStarted('c1', '!sleep'));
    await client.act(chat, steering('s1'));
    await host.run();
    expect([asked.texts, queueOf(await chatOf(client, chat))]).toStrictEqual([[], ['s1']]);
  });

  it('[CHAT-12] because it does not answer within 5 s of the turn’s end goes to the queue, and is the next turn', async () => {
    const { host, client, chat, asked } = await setUp();
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
    // An answer that comes now changes nothing.
    client.clear();
    asked.last.resolve(true);
    await host.run();
    expect(story(client, chat)).toStrictEqual([]);
  });

  it.each([
    ['cancelled', async (client: RawClient, chat: string) => client.act(chat, turnCancelled('t1'))],
    ['cut away', async (client: RawClient, chat: string) => client.act(chat, { type: 'chat/truncated' })],
  ])('[CHAT-12] because the turn is %s waits at the head of the queue', async (_, end) => {
    const { host, client, chat, asked } = await setUp();
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
    const { host, client, chat } = await setUp();
    await client.act(chat, queued('q1'));
    await client.act(chat, steering('s1'));
    await host.restart();
    const again = await host.client();
    const state = await chatOf(again, chat);
    expect([state.turns.map((turn) => turn.state), queueOf(state)]).toStrictEqual([['error'], ['s1', 'q1']]);
    await host.advance(60_000);
    expect((await chatOf(again, chat)).activeTurn).toBeUndefined();
  });

  it('[CHAT-12] because the turn failed waits there too', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, steering('s1'));
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    const state = await chatOf(client, chat);
    expect([state.activeTurn, queueOf(state)]).toStrictEqual([undefined, ['s1']]);
  });
});

it('[CHAT-11] a steering message set while idle survives a kill and goes to the next turn', async () => {
  const { host, client, chat, asked } = await setUp({ idle: true });
  await client.act(chat, steering('s1'));
  await host.restart();
  host.agent.steer = asked.steer;
  const again = await host.client();
  expect((await chatOf(again, chat)).steeringMessage?.message.text).toBe('steer s1');
  await again.act(chat, turnStarted('t1'));
  await host.run();
  expect(asked.texts).toStrictEqual(['steer s1']);
});
