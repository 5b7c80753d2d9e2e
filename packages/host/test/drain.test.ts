import type { AutomationRunState } from '@agenthost/protocol';
import { turnStarted, userMessage } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import { chatOf, codeOf, inTurn } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

const pending = (id: string, kind = 'queued') => ({
  type: 'chat/pendingMessageSet',
  kind,
  id,
  message: userMessage(`text of ${id}`),
});

/** An admin who drains the host. `answer` is there when the drain was answered. */
async function drain(host: HostFixture, timeoutSeconds = 60) {
  const admin = await host.client();
  const id = admin.ask('x-drainHost', { channel: ROOT, timeoutSeconds });
  await host.run();
  return { admin, answer: () => admin.answerTo(id)?.result };
}

const complete = async (host: HostFixture): Promise<void> => {
  host.agent.turn.complete();
  // The drain looks every 200 ms.
  await host.advance(200);
};

const CHANNEL = 'ahp-automations://';
const NAME = 'ahp-automation:/nightly';
const statusOf = async (client: RawClient, uri: string) =>
  ((await client.subscribe(uri)).state as AutomationRunState).lifecycle.status;

test('a host that drains refuses new turns, runs what runs, and takes turns again without the connection', async () => {
  const { host, client, session, chat } = await inTurn();
  const other = await host.session(client, 'ahp-session:/other');
  const { admin, answer } = await drain(host);
  const refused = await client.act(other.chat, turnStarted('t2'));
  expect(refused?.rejectionReason).toMatch(/^draining: The host finishes its running turns .* queue/);
  await expect(
    client.request('createChat', {
      channel: session,
      chat: 'ahp-chat:/second',
      initialMessage: { text: 'go', origin: { kind: 'user' } },
    }),
  ).rejects.toMatchObject({ code: -32011, message: expect.stringContaining('finishes its running turns') });
  expect(codeOf(await client.act(chat, pending('s1', 'steering')))).toBeUndefined();
  expect(codeOf(await client.act(chat, pending('q1')))).toBeUndefined();
  expect(codeOf(await client.act(other.chat, pending('q2')))).toBeUndefined();
  expect(answer()).toBeUndefined();
  await complete(host);
  expect(answer()).toEqual({ runningTurns: 0 });
  // The agent took no steering message, so it waits in the queue too.
  expect((await chatOf(client, chat)).queuedMessages?.map(({ id }) => id)).toEqual(['s1', 'q1']);
  expect(host.agent.turns).toHaveLength(1);
  admin.link.cut();
  await host.run();
  expect(host.agent.turns.slice(1).map(({ input }) => input.message.text)).toEqual(
    expect.arrayContaining(['text of s1', 'text of q2']),
  );
  expect(host.agent.turns).toHaveLength(3);
});

test.each(['stop', 'kill'] as const)(
  '[CHAT-12] what a drain kept from starting starts with the next host after a %s, and only that',
  async (end) => {
    const { host, client, chat } = await inTurn();
    const other = await host.session(client, 'ahp-session:/other');
    await client.act(other.chat, turnStarted('long'));
    await host.run();
    const [first, long] = host.agent.turns;
    const { answer } = await drain(host, 5);
    await client.act(chat, pending('q1'));
    await client.act(chat, pending('q2'));
    await client.act(other.chat, pending('q3'));
    first?.complete();
    await host.advance(4_900);
    expect(answer()).toBeUndefined();
    await host.advance(200);
    expect(answer()).toEqual({ runningTurns: 1 });
    expect(codeOf(await client.act(chat, turnStarted('t9')))).toBe('draining');
    expect(long?.signal.aborted).toBe(false);
    if (end === 'stop') await host.stop();
    else host.kill();
    await host.start();
    await host.run();
    // The queue behind a turn that was cut off waits, as after any restart.
    expect(host.agent.turns.slice(2).map(({ input }) => input.message.text)).toEqual(['text of q1']);
    const again = await host.client();
    expect((await chatOf(again, other.chat)).queuedMessages?.map(({ id }) => id)).toEqual(['q3']);
    await complete(host);
    expect(host.agent.turn.input.message.text).toBe('text of q2');
    await host.restart();
    await host.run();
    expect(host.agent.turns).toHaveLength(4);
  },
);

test.each(['the end of the drain', 'the next host'])(
  '[AUTO-6] [AUTO-15] runs of automations wait for %s',
  async (way) => {
    const host = await startHost({ automations: {} });
    const client = await host.client();
    await client.subscribe(CHANNEL);
    const every5 = {
      id: 'often',
      kind: 'schedule',
      schedule: { expression: '*/5 * * * *', timeZone: 'UTC' },
    };
    const definition = {
      title: 'Nightly',
      message: { text: 'tidy up', origin: { kind: 'automation' } },
      session: {},
      enabled: true,
      triggers: [every5],
    };
    await client.act(CHANNEL, { type: 'automation/createRequested', resource: NAME, definition });
    const { admin, answer } = await drain(host);
    expect(answer()).toEqual({ runningTurns: 0 });
    const params = { channel: CHANNEL, automation: NAME, requestId: 'r' } as const;
    const { resource } = await client.request('runAutomation', params);
    await host.advance(6 * 60_000);
    expect(await statusOf(client, resource)).toBe('pending');
    expect(host.agent.turns).toHaveLength(0);
    if (way === 'the next host') await host.restart();
    else admin.link.cut();
    await host.advance(0);
    const again = await host.client();
    expect(await statusOf(again, resource)).toBe('running');
    // The other one is the occurrence that was due meanwhile.
    expect(host.agent.turns).toHaveLength(2);
  },
);

test('Host.drain lasts until its signal aborts', async () => {
  const { host, client, chat } = await inTurn();
  const ending = new AbortController();
  const drained = host.host.drain({ timeoutMs: 60_000, signal: ending.signal });
  await client.act(chat, pending('q1'));
  ending.abort();
  await host.clock.runUntilSettled(drained);
  expect(await drained).toBe(1);
  await complete(host);
  expect(host.agent.turn.input.message.text).toBe('text of q1');
});

test('each drain waits for itself: neither another connection nor an earlier request of this one cuts it short', async () => {
  const { host } = await inTurn();
  const { admin, answer } = await drain(host, 0);
  await host.advance(0);
  expect(answer()).toEqual({ runningTurns: 1 });
  let left: number | undefined;
  // As `serve` does at its first signal.
  void host.host.drain({ timeoutMs: 60_000 }).then((count) => {
    left = count;
  });
  const second = admin.ask('x-drainHost', { channel: ROOT, timeoutSeconds: 120 });
  await host.run();
  await host.advance(59_900);
  expect([left, admin.answerTo(second)]).toEqual([undefined, undefined]);
  await host.advance(200);
  expect([left, admin.answerTo(second)]).toEqual([1, undefined]);
  await complete(host);
  expect(admin.answerTo(second)?.result).toEqual({ runningTurns: 0 });
});

test('x-drainHost refuses times that are none', async () => {
  const host = await startHost();
  const client = await host.client();
  for (const timeoutSeconds of [-1, 86_401])
    await expect(client.request('x-drainHost', { channel: ROOT, timeoutSeconds })).rejects.toMatchObject({
      code: -32602,
    });
});
