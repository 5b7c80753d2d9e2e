import { turnCancelled, turnStarted, userMessage } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';
import { chatOf, codeOf } from './in-turn.ts';

const models = (...ids: string[]) => ids.map((id) => ({ id, provider: 'puppet', name: id }));
const messageBy = (id: string) => ({ ...userMessage('x'), model: { id } });
const startedBy = (turnId: string, model: string) => ({
  ...turnStarted(turnId),
  message: messageBy(model),
});
const pendingBy = (kind: 'queued' | 'steering', model: string) => ({
  type: 'chat/pendingMessageSet',
  kind,
  id: `${kind}-${model}`,
  message: messageBy(model),
});

async function chatWith(...ids: string[]) {
  const host = await startHost();
  host.agent.models = models(...ids);
  await host.restart();
  const client = await host.client();
  return { host, client, ...(await host.session(client)) };
}

describe('a message that names a model', () => {
  test('[CHAT-3] is rejected if its agent lists others, with the available models in the reason', async () => {
    const { client, chat } = await chatWith('small', 'large');
    const rejected = await client.act(chat, startedBy('t1', 'smal'));
    expect(rejected?.rejectionReason).toBe(
      'unknownModel: Agent puppet has no model "smal"; it has small, large',
    );
    for (const kind of ['queued', 'steering'] as const)
      expect(codeOf(await client.act(chat, pendingBy(kind, 'smal')))).toBe('unknownModel');
    const state = await chatOf(client, chat);
    expect([state.activeTurn, state.queuedMessages, state.steeringMessage]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('[CHAT-3] that the agent has starts its turn, or waits in the queue', async () => {
    const { client, chat, host } = await chatWith('small', 'large');
    expect((await client.act(chat, startedBy('t1', 'large')))?.rejectionReason).toBeUndefined();
    expect((await client.act(chat, pendingBy('queued', 'small')))?.rejectionReason).toBeUndefined();
    await host.run();
    expect(host.agent.turn.input.message.model).toEqual({ id: 'large' });
  });

  test('[CHAT-3] is accepted for an agent that lists none', async () => {
    const { client, chat, host } = await chatWith();
    expect((await client.act(chat, startedBy('t1', 'any')))?.rejectionReason).toBeUndefined();
    await host.run();
    expect(host.agent.turn.input.message.model).toEqual({ id: 'any' });
    await client.act(chat, turnCancelled('t1'));
  });

  test('[CHAT-1] [CHAT-3] that its agent lacks creates no chat', async () => {
    const { client, session } = await chatWith('small');
    const chat = 'ahp-chat:/two';
    await expect(
      client.raw('createChat', { channel: session, chat, initialMessage: messageBy('x') }),
    ).rejects.toMatchObject({
      code: -32602,
      message: 'params.initialMessage.model.id: Agent puppet has no model "x"; it has small',
    });
  });

  test('[CHAT-3] gets the first of many models in the reason, and the beginning of a long name', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `model-${index}`);
    const { client, chat } = await chatWith(...many);
    const { rejectionReason = '' } = (await client.act(chat, startedBy('t1', 'x'.repeat(512)))) ?? {};
    expect(rejectionReason).toContain('model-19 and 40 more');
    expect(rejectionReason.length).toBeLessThan(600);
  });
});
