import { type ChatState, chatReducer, type Snapshot } from '@agenthost/protocol';
import { describe, expect, it, vi } from 'vitest';
import { type HostFixture, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';

const user = (text: string) => ({ text, origin: { kind: 'user' as const } });

async function runTurns(
  host: HostFixture,
  client: RawClient,
  chat: string,
  [from, to]: [number, number],
): Promise<void> {
  for (let index = from; index < to; index += 1) {
    await client.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: `t${index}`,
      message: user(`prompt ${index}`),
    });
    await host.run();
    host.agent.turn.complete();
    await host.run();
  }
}

/** Ids of the turns that a client shows: its snapshot with all later actions reduced. */
function shown(client: RawClient, chat: string, { state, fromSeq }: Snapshot): string[] {
  if (!('turns' in state)) throw new Error('not a chat');
  let present: ChatState = state;
  for (const { action, serverSeq, rejectionReason } of client.envelopes(chat)) {
    if (serverSeq > fromSeq && rejectionReason === undefined) present = chatReducer(present, action);
  }
  return present.turns.map(({ id }) => id);
}

/** The newest turns, as a new client sees them. */
async function actual(host: HostFixture, chat: string): Promise<string[]> {
  const client = await host.client();
  return shown(client, chat, await client.subscribe(chat));
}

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `t${from + index}`);

describe('[CHAT-6] a truncation', () => {
  it('[CHAT-6] brings windows that lack the turn to the same end', async () => {
    const host = await startHost();
    const writer = await host.client();
    const { chat } = await host.session(writer);
    await runTurns(host, writer, chat, [0, 50]);
    const small = await host.client();
    const smallView = await small.subscribe(chat, { view: { turns: 3 } });
    const large = await host.client();
    const largeView = await large.subscribe(chat);
    await writer.act(chat, { type: 'chat/truncated', turnId: 't10' });
    await host.run();
    expect(shown(small, chat, smallView)).toStrictEqual(names(8, 11));
    expect(shown(large, chat, largeView)).toStrictEqual(names(0, 11));
    expect(await actual(host, chat)).toStrictEqual(names(0, 11));
    await runTurns(host, writer, chat, [50, 52]);
    expect(shown(small, chat, smallView)).toStrictEqual([...names(8, 11), 't50', 't51']);
    await host.restart();
    expect(await actual(host, chat)).toStrictEqual([...names(0, 11), 't50', 't51']);
  });

  it('[CHAT-6] reads no turns when every window has the last one', async () => {
    const host = await startHost();
    const writer = await host.client();
    const { chat } = await host.session(writer);
    await runTurns(host, writer, chat, [0, 50]);
    await writer.subscribe(chat);
    const readTurns = vi.spyOn(host.journal, 'readTurns');
    for (let round = 0; round < 5; round += 1)
      await writer.act(chat, { type: 'chat/truncated', turnId: 't48' });
    await host.run();
    expect(readTurns).not.toHaveBeenCalled();
    expect((await actual(host, chat)).at(-1)).toBe('t48');
  });

  it('[CHAT-6] holds for all when two clients cut at once', async () => {
    const host = await startHost();
    const writer = await host.client();
    const { chat } = await host.session(writer);
    await runTurns(host, writer, chat, [0, 60]);
    const large = await host.client();
    const largeView = await large.subscribe(chat);
    const small = await host.client();
    const smallView = await small.subscribe(chat, { view: { turns: 2 } });
    writer.dispatch(chat, { type: 'chat/truncated', turnId: 't30' });
    large.dispatch(chat, { type: 'chat/truncated', turnId: 't5' });
    await host.run();
    const present = await actual(host, chat);
    expect(present).toStrictEqual(names(0, 6));
    expect(shown(large, chat, largeView)).toStrictEqual(present);
    expect(present.slice(-2)).toStrictEqual(shown(small, chat, smallView));
  });

  it('[CHAT-6] that names a turn that another truncation has just removed changes nothing', async () => {
    const host = await startHost();
    const writer = await host.client();
    const { chat } = await host.session(writer);
    await runTurns(host, writer, chat, [0, 60]);
    const large = await host.client();
    const largeView = await large.subscribe(chat);
    const small = await host.client();
    const smallView = await small.subscribe(chat, { view: { turns: 2 } });
    writer.dispatch(chat, { type: 'chat/truncated', turnId: 't5' });
    large.dispatch(chat, { type: 'chat/truncated', turnId: 't30' });
    await host.run();
    const present = await actual(host, chat);
    expect(present).toStrictEqual(names(0, 6));
    expect(shown(large, chat, largeView)).toStrictEqual(present);
    expect(present.slice(-2)).toStrictEqual(shown(small, chat, smallView));
  });

  it.each([3, 40, undefined])(
    '[CHAT-6] [CONN-2] applies to the window of a snapshot that is still being read (view %s)',
    async (turns) => {
      const host = await startHost();
      const writer = await host.client();
      const { chat } = await host.session(writer);
      await runTurns(host, writer, chat, [0, 50]);
      for (const turnId of ['t44', 't15']) {
        const reader = await host.client();
        const asked = reader.ask('subscribe', {
          channel: chat,
          ...(turns === undefined ? {} : { view: { turns } }),
        });
        const gate = Promise.withResolvers<void>();
        host.journal.gates.afterRead = () => gate.promise;
        await host.run();
        host.journal.gates.afterRead = undefined;
        await writer.act(chat, { type: 'chat/truncated', turnId });
        await host.run();
        gate.resolve();
        const { snapshot } = await reader.answered<{ snapshot: Snapshot }>(asked);
        await host.run();
        const end = Number(turnId.slice(1)) + 1;
        expect(shown(reader, chat, snapshot).at(-1)).toBe(`t${end - 1}`);
        // The host knows the turns in that window.
        await writer.act(chat, { type: 'chat/truncated', turnId: `t${end - 10}` });
        await host.run();
        expect(shown(reader, chat, snapshot).at(-1)).toBe(`t${end - 10}`);
      }
    },
  );

  it('[CHAT-6] of everything empties every window', async () => {
    const host = await startHost();
    const writer = await host.client();
    const { chat } = await host.session(writer);
    await runTurns(host, writer, chat, [0, 45]);
    const small = await host.client();
    const smallView = await small.subscribe(chat, { view: { turns: 3 } });
    await writer.act(chat, { type: 'chat/truncated' });
    await runTurns(host, writer, chat, [45, 47]);
    expect(shown(small, chat, smallView)).toStrictEqual(['t45', 't46']);
    expect(await actual(host, chat)).toStrictEqual(['t45', 't46']);
    await host.restart();
    expect(await actual(host, chat)).toStrictEqual(['t45', 't46']);
  });
});

it('[CHAT-3] a turn id that is only on disk counts as used until the turn is truncated', async () => {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  await runTurns(host, client, chat, [0, 60]);
  const start = (turnId: string) => ({
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId,
    message: user('again'),
  });
  expect((await client.act(chat, start('t3')))?.rejectionReason).toMatch(/^turnExists: /);
  // Right after the truncation, before it is on disk.
  client.dispatch(chat, { type: 'chat/truncated', turnId: 't40' });
  expect((await client.act(chat, start('t45')))?.rejectionReason).toBeUndefined();
});

it.each([0, 1, 2])(
  '[CHAT-6] [ACT-6] leaves a window of %i turns equal to all others, whatever time passes meanwhile',
  async (turns) => {
    let now = Date.UTC(2026, 5, 1);
    // The clock advances at each read.
    const host = await startHost({ clock: { now: () => (now += 1) } });
    const writer = await host.client();
    const { chat } = await host.session(writer);
    await runTurns(host, writer, chat, [0, 4]);
    const windowed = await host.client();
    let held = (await windowed.subscribe(chat, { view: { turns } })).state;
    await writer.act(chat, { type: 'chat/truncated', turnId: 't1' });
    await host.run();
    for (const { action } of windowed.envelopes(chat)) {
      if ('turns' in held) held = chatReducer(held, action);
    }
    const { state } = await (await host.client()).subscribe(chat, { view: { turns } });
    expect(held).toStrictEqual(state);
  },
);
