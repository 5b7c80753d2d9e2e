import { type ChatState, chatReducer, type Snapshot } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';
import { runTurns } from '../../../test/turns.ts';

/** The interval of maintenance, a minute. It drops turns in its first run, and then once an hour. */
const LOOK_MS = 61_000;

const ids = (state: object | undefined): string[] =>
  state !== undefined && 'turns' in state && Array.isArray(state.turns)
    ? state.turns.map(({ id }: { id: string }) => id)
    : [];

/** The state of a client: a snapshot with all later actions applied. */
function shown(client: RawClient, { resource, state, fromSeq }: Snapshot): ChatState {
  if (!('turns' in state)) throw new Error('not a chat');
  let present: ChatState = state;
  for (const { action, serverSeq, rejectionReason } of client.envelopes(resource)) {
    if (serverSeq > fromSeq && rejectionReason === undefined) present = chatReducer(present, action);
  }
  return present;
}

/** The chat as a new client sees it. */
async function actual(host: HostFixture, chat: string, turns?: number): Promise<ChatState> {
  const client = await host.client();
  const snapshot = await client.subscribe(chat, turns === undefined ? {} : { view: { turns } });
  return shown(client, snapshot);
}

/** A chat of six turns, of which the host keeps three, and clients with windows of several sizes. */
async function sixTurns() {
  const host = await startHost({ retention: { turnsPerChat: 3 } });
  const writer = await host.client('writer');
  const { chat } = await host.session(writer);
  await runTurns(host, writer, chat, ['t0', 't1', 't2', 't3', 't4', 't5']);
  const sizes = [undefined, 0, 2, 3, 4];
  const viewers = await Promise.all(
    sizes.map(async (turns) => {
      const client = await host.client(`viewer-${turns}`);
      const snapshot = await client.subscribe(chat, turns === undefined ? {} : { view: { turns } });
      return { client, snapshot, turns };
    }),
  );
  return { host, writer, chat, viewers };
}

describe('turns that the retention policy drops', () => {
  it('[CHAT-6] [CHAT-15] leave every window, with the cursor to them, and nothing else changes there', async () => {
    const { host, chat, viewers } = await sixTurns();
    await host.advance(LOOK_MS);
    expect((await host.journal.readTurns(chat, {})).map(({ id }) => id)).toEqual(['t3', 't4', 't5']);
    for (const { client, snapshot, turns } of viewers) {
      const wanted = Math.min(turns ?? 3, 3);
      expect(shown(client, snapshot), `a view of ${turns}`).toStrictEqual(await actual(host, chat, wanted));
    }
    const [two] = viewers.filter(({ turns }) => turns === 2);
    if (two === undefined) throw new Error('no view of two turns');
    expect(shown(two.client, two.snapshot).turnsNextCursor).toBeDefined();
    await two.client.request('fetchTurns', { channel: chat, cursor: 'before-4' });
    expect(ids(shown(two.client, two.snapshot))).toEqual(['t3', 't4', 't5']);
    expect(shown(two.client, two.snapshot).turnsNextCursor).toBeUndefined();
  });

  it('[CHAT-6] leave them while a turn runs, which goes on', async () => {
    const { host, writer, chat, viewers } = await sixTurns();
    await writer.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 't6',
      message: { text: 'go', origin: { kind: 'user' } },
    });
    await host.run();
    await host.advance(LOOK_MS);
    await host.agent.turn.output.markdown('still here');
    host.agent.turn.complete();
    await host.run();
    for (const { client, snapshot, turns } of viewers.slice(0, 1)) {
      expect(shown(client, snapshot), `a view of ${turns}`).toStrictEqual(await actual(host, chat));
      expect(ids(shown(client, snapshot))).toEqual(['t3', 't4', 't5', 't6']);
    }
  });

  it.each(['at once', 'after a restart'])(
    '[CHAT-6] cannot be the place of a truncation, %s, while the remaining turns can',
    async (when) => {
      const { host, chat } = await sixTurns();
      await host.advance(LOOK_MS);
      if (when === 'after a restart') await host.restart();
      const client = await host.client('cutter');
      const snapshot = await client.subscribe(chat);
      const before = await actual(host, chat);
      const refused = await client.act(chat, { type: 'chat/truncated', turnId: 't1' });
      expect(refused?.rejectionReason).toMatch(/^noSuchTurn: .*retention/);
      expect(await actual(host, chat)).toStrictEqual(before);
      await client.act(chat, { type: 'chat/truncated', turnId: 't3' });
      await runTurns(host, client, chat, ['t9']);
      expect(ids(await actual(host, chat))).toEqual(['t3', 't9']);
      expect(shown(client, snapshot)).toStrictEqual(await actual(host, chat));
      await host.restart();
      expect(ids(await actual(host, chat))).toEqual(['t3', 't9']);
    },
  );

  it('[CHAT-6] are forgotten after a truncation of everything, and later turns are dropped in order', async () => {
    const { host, writer, chat, viewers } = await sixTurns();
    await host.advance(LOOK_MS);
    await writer.act(chat, { type: 'chat/truncated' });
    await runTurns(host, writer, chat, ['n0', 'n1', 'n2', 'n3', 'n4']);
    expect(ids(await actual(host, chat))).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
    await host.advance(60 * 60_000 + LOOK_MS);
    for (const { client, snapshot, turns } of viewers) {
      expect(shown(client, snapshot), `a view of ${turns}`).toStrictEqual(await actual(host, chat));
      expect(ids(shown(client, snapshot))).toEqual(['n2', 'n3', 'n4']);
    }
  });

  it('[CHAT-1] [SESS-12] cannot be the place of a fork, and a fork has the turns of its source', async () => {
    const { host, writer, chat } = await sixTurns();
    host.agent.capabilities = { multipleChats: { fork: true } };
    await host.advance(LOOK_MS);
    const fork = (turnId: string, name: string): Promise<unknown> =>
      writer.request('createChat', {
        channel: SESSION,
        chat: `ahp-chat:/${name}`,
        source: { kind: 'fork', chat, turnId },
      });
    await expect(fork('t1', 'none')).rejects.toMatchObject({ code: -32602 });
    await fork('t4', 'fork');
    expect(ids(await actual(host, 'ahp-chat:/fork'))).toEqual(['t3', 't4']);
    const windowed = await actual(host, 'ahp-chat:/fork', 2);
    expect(windowed.turnsNextCursor).toBeUndefined();
    await host.restart();
    expect(await actual(host, 'ahp-chat:/fork', 2)).toStrictEqual(windowed);
  });

  it.each(['away when they go', 'cut off before it hears'])(
    '[CONN-5] are gone for a client that reconnects and was %s',
    async (how) => {
      const { host, writer, chat } = await sixTurns();
      const client = await host.client('gone');
      const { fromSeq } = await client.subscribe(chat);
      if (how === 'away when they go') client.link.cut();
      else client.link.toClient.swallow();
      await host.advance(LOOK_MS);
      client.link.cut();
      await host.run();
      const back = host.connect('gone');
      const result = await back.reconnect(fromSeq, [chat]);
      if (result.type !== 'snapshot') throw new Error('expected snapshots');
      expect(ids(result.snapshots[0]?.state)).toEqual(['t3', 't4', 't5']);
      const seen = result.snapshots[0]?.fromSeq ?? 0;
      back.link.cut();
      await host.run();
      await writer.act(chat, { type: 'chat/draftChanged' });
      const again = await host.connect('gone').reconnect(seen, [chat]);
      expect(again.type, 'it knows').toBe('replay');
    },
  );

  it('[CONN-5] do not force a snapshot on a client that received their removal', async () => {
    const { host, chat } = await sixTurns();
    const client = await host.client('here');
    await client.subscribe(chat);
    await host.advance(LOOK_MS);
    const told = client.envelopes(chat).at(-1);
    expect(told?.action).toEqual({ type: 'chat/turnsLoaded', turns: [], 'x-from': 't3' });
    client.link.cut();
    await host.run();
    const result = await host.connect('here').reconnect(told?.serverSeq ?? 0, [chat]);
    expect(result.type).toBe('replay');
  });

  it('[CHAT-6] leave no chat in memory that was loaded for the drop, and keep those with subscribers', async () => {
    const host = await startHost({ retention: { turnsPerChat: 1 } });
    const writer = await host.client('writer');
    const chats: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { chat } = await host.session(writer, `ahp-session:/s${index}`);
      await runTurns(host, writer, chat, ['t0', 't1', 't2']);
      chats.push(chat);
    }
    await host.restart();
    const [seen = '', ...unseen] = chats;
    await (await host.client('viewer')).subscribe(seen);
    const { registry } = host.host.core.sync;
    await host.advance(LOOK_MS);
    for (const chat of chats) expect(ids({ turns: await host.journal.readTurns(chat, {}) })).toEqual(['t2']);
    expect(unseen.filter((chat) => registry.get(chat) !== undefined)).toEqual([]);
    expect(registry.get(seen)).toBeDefined();
    expect(ids(await actual(host, unseen[0] ?? ''))).toEqual(['t2']);
  });
});
