import { CHANNEL_LIMITS, type ExportedChatHead, LIST_LIMITS, SessionStatus } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { MAX_OPEN_QUESTIONS } from '../src/turns/output/turn-output.ts';
import { type HostFixture, SESSION, startHost } from './host-fixture.ts';
import { inTurn } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

const head = (index: number): ExportedChatHead => ({
  resource: `ahp-chat:/old-${index}`,
  title: 'Bread',
  status: SessionStatus.Idle,
  modifiedAt: '2026-01-01T00:00:00.000Z',
});

function importChats(client: RawClient, count: number): Promise<unknown> {
  return client.request('x-importSession', {
    channel: SESSION,
    session: {
      resource: 'ahp-session:/old',
      provider: 'puppet',
      title: '',
      status: SessionStatus.Idle,
      lifecycle: 'ready',
    },
    chats: Array.from({ length: count }, (_, index) => head(index)),
  });
}

const endsOf = (client: RawClient, chat: string): unknown[] =>
  client
    .envelopes(chat)
    .flatMap(({ action }) => (action.type === 'chat/error' ? [action.part.error.message] : []));

const inRounds = async (host: HostFixture, count: number, step: () => void): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    step();
    if (index % 500 === 0) await host.run();
  }
  await host.run();
};

test('[CHAT-1] an import of more chats than a session may have is refused', async () => {
  const client = await (await startHost()).client();
  await expect(importChats(client, LIST_LIMITS.chats.max + 1)).rejects.toMatchObject({
    code: -32602,
    message: 'params.chats: at most 16,000 members, got 16,001',
  });
});

test('[CHAT-1] a chat is refused when the entries of all chats of its session are too long', async () => {
  const host = await startHost();
  const client = await host.client();
  const { session } = await host.session(client);
  const create = (index: number): number =>
    client.ask('createChat', { channel: session, chat: `ahp-chat:/${index}${'x'.repeat(490)}` });
  const fitting = Math.floor(CHANNEL_LIMITS.chatsLength.max / 700);
  for (let index = 0; index < fitting; index += 1) {
    create(index);
    if (index % 500 === 0) await host.run();
  }
  await client.answered(create(fitting));
  for (let index = fitting + 1; index < 7_500; index += 1) {
    create(index);
    if (index % 500 === 0) await host.run();
  }
  await expect(client.answered(create(7_500))).rejects.toMatchObject({
    code: -32011,
    message: expect.stringContaining('The entries of all chats of a session: at most 4,194,304 characters'),
  });
});

test('[CHAT-5] [SESS-7] a turn with more open questions than its session can show ends with a reason', async () => {
  const { host, client, chat, output } = await inTurn();
  const ask = (): void => void output.ask({ message: 'And now?', questions: [] });
  await inRounds(host, MAX_OPEN_QUESTIONS, ask);
  expect(endsOf(client, chat)).toEqual([]);
  ask();
  await host.run();
  expect(endsOf(client, chat)).toEqual([
    'The agent was stopped: more than 1000 questions of its session are unanswered',
  ]);
  const { state } = await client.subscribe(SESSION);
  expect(state).not.toHaveProperty('inputNeeded');
});
