import type { ChatState, Message } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { type HostFixture, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';

const OTHER = 'ahp-session:/other';

async function start() {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  await client.request('createSession', { channel: OTHER });
  await host.run();
  const { defaultChat: attached } = (await client.subscribe(OTHER)).state as { defaultChat: string };
  await client.subscribe(attached);
  return { host, client, chat, attached };
}

async function runTurn(host: HostFixture, client: RawClient, chat: string, turnId: string): Promise<void> {
  await client.act(chat, turnStarted(turnId, `question ${turnId}`));
  await host.run();
  await host.agent.turn.output.markdown(`answer ${turnId}`);
  host.agent.turn.complete();
  await host.run();
}

const withChat = (resource: string, more: object = {}): Message => ({
  text: 'compare',
  origin: { kind: 'user' },
  attachments: [{ type: 'chat', resource, label: 'Plan', ...more }],
});

describe('an attached chat', () => {
  it('[CHAT-40] is pinned at its last completed turn, and the agent gets its transcript up to there', async () => {
    const { host, client, chat, attached } = await start();
    await runTurn(host, client, attached, 'a');
    await client.act(chat, { ...turnStarted('t'), message: withChat(attached) });
    const state = (await client.subscribe(chat)).state as ChatState;
    expect(state.activeTurn?.message.attachments).toStrictEqual([
      { type: 'chat', resource: attached, label: 'Plan', endTurn: 'a' },
    ]);
    await host.run();
    const [given] = host.agent.turn.input.message.attachments ?? [];
    expect(given).toStrictEqual({
      type: 'simple',
      label: 'Plan',
      modelRepresentation: '<chat name="Plan">\nUser: question a\nAgent: answer a\n</chat>',
    });
    host.agent.turn.complete();
    await host.run();
  });

  it('[CHAT-40] is given up to the turn that the client names, and a waiting message is pinned when it is accepted', async () => {
    const { host, client, chat, attached } = await start();
    await runTurn(host, client, attached, 'a');
    await runTurn(host, client, attached, 'b');
    await client.act(chat, turnStarted('busy'));
    await host.run();
    const queued = (id: string, more: object = {}) =>
      client.act(chat, {
        type: 'chat/pendingMessageSet',
        kind: 'queued',
        id,
        message: withChat(attached, more),
      });
    await queued('q1', { endTurn: 'a' });
    await queued('q2');
    await runTurn(host, client, attached, 'c');
    const state = (await client.subscribe(chat)).state as ChatState;
    expect(state.queuedMessages?.map(({ message }) => message.attachments?.[0])).toMatchObject([
      { endTurn: 'a' },
      { endTurn: 'b' },
    ]);
    host.kill();
  });

  it('[CHAT-40] may be empty, and is refused if it does not exist', async () => {
    const { host, client, chat, attached } = await start();
    const unknown = await client.act(chat, { ...turnStarted('u'), message: withChat('ahp-chat:/none') });
    expect(unknown?.rejectionReason).toMatch(/^unknownChat: /);
    await client.act(chat, { ...turnStarted('t'), message: withChat(attached) });
    await host.run();
    expect(host.agent.turn.input.message.attachments?.[0]).toMatchObject({
      modelRepresentation: '<chat name="Plan">\n\n</chat>',
    });
    host.kill();
  });
});
