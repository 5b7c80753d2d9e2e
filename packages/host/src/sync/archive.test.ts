import type { ChatState, Snapshot, Turn } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type HostFixture, startHost } from '../../test/host-fixture.ts';
import type { RawClient } from '../../test/raw-client.ts';
import { WINDOW_BYTES, WINDOW_TURNS } from './window.ts';

/** Runs `count` turns to their end. */
async function runTurns(
  host: HostFixture,
  client: RawClient,
  chat: string,
  { first = 0, count, text = 'x' }: { first?: number; count: number; text?: string },
): Promise<void> {
  for (let index = first; index < first + count; index += 1) {
    const message = { text: `prompt ${index}`, origin: { kind: 'user' as const } };
    await client.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: `t${index}`,
      message,
    });
    await host.run();
    void host.agent.turn.output.markdown(text);
    await host.run();
    host.agent.turn.complete();
    await host.run();
  }
}

function chatOf({ state }: Snapshot): ChatState {
  if (!('turns' in state)) throw new Error('not a chat');
  return state;
}

const idsOf = (turns: readonly Turn[] | undefined): string[] => (turns ?? []).map(({ id }) => id);
const rowsOf = (host: HostFixture, chat: string): string[] =>
  [...(host.journal.disk.turns.get(chat) ?? [])].map(([ordinal, { id }]) => `${ordinal} ${id}`);
const stateOf = (host: HostFixture, chat: string): ChatState => {
  const channel = host.host.core.sync.registry.getOf('chat', chat);
  if (channel === undefined) throw new Error('not in memory');
  return channel.state;
};

describe('the archive', () => {
  it('keeps each completed turn once, by its position, and the last turns in memory', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, { count: 50 });
    expect(rowsOf(host, chat)).toStrictEqual(Array.from({ length: 50 }, (_, index) => `${index} t${index}`));
    expect(stateOf(host, chat).turns.length).toBeGreaterThanOrEqual(WINDOW_TURNS);
    expect(stateOf(host, chat).turns.length).toBeLessThanOrEqual(2 * WINDOW_TURNS);
    expect(idsOf(chatOf(await client.subscribe(chat)).turns)).toHaveLength(50);
  });

  it('keeps fewer large turns in memory, and pages the others from disk', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    const bytesOf = (): number => JSON.stringify(stateOf(host, chat).turns).length;
    for (let round = 0; round < 8; round += 1) {
      await runTurns(host, client, chat, { first: round, count: 1, text: 'x'.repeat(3 * 1024 * 1024) });
      expect(bytesOf()).toBeLessThan(2 * WINDOW_BYTES);
    }
    expect(stateOf(host, chat).turns.length).toBeGreaterThanOrEqual(2);
    expect(rowsOf(host, chat)).toHaveLength(8);
    await runTurns(host, client, chat, { first: 8, count: 1, text: 'x'.repeat(2 * WINDOW_BYTES - 100_000) });
    expect(stateOf(host, chat).turns).toEqual([]);
    const whole = chatOf(await client.subscribe(chat));
    expect(whole.turns.map(({ id }) => id)).toEqual(['t8']);
    // Large turns before a small one: the turns that are read from disk do not exceed the limit of a snapshot.
    await runTurns(host, client, chat, { first: 9, count: 1, text: 'small' });
    const { turns, turnsNextCursor } = chatOf(await client.subscribe(chat));
    expect([turns.length, turnsNextCursor]).toEqual([1, 'before-9']);
    await host.restart();
    const again = await host.client();
    expect(chatOf(await again.subscribe(chat)).turns).toEqual(turns);
    expect(stateOf(host, chat).turns).toEqual(turns);
  });

  it('takes no turn that could not be committed', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, { count: 41 });
    await client.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 'cut',
      message: { text: 'x', origin: { kind: 'user' } },
    });
    host.journal.failNextCommits(2);
    // The 42nd turn, whose tick also cuts the window.
    host.agent.turn.complete();
    await host.run();
    expect(stateOf(host, chat).activeTurn?.id).toBe('cut');
    expect(rowsOf(host, chat)).toHaveLength(41);
    await host.advance(5_000);
    expect(stateOf(host, chat).activeTurn).toBeUndefined();
    expect(rowsOf(host, chat)).toHaveLength(42);
    expect(idsOf(chatOf(await client.subscribe(chat)).turns)).toHaveLength(42);
  });

  it('[CHAT-6] a truncation that cannot be committed changes nothing', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, { count: 50 });
    const small = await host.client();
    await small.subscribe(chat, { view: { turns: 2 } });
    small.clear();
    for (const turnId of ['t45', 't5']) {
      host.journal.gates.beforeCommit = () => {
        throw new Error('full');
      };
      const echo = await client.act(chat, { type: 'chat/truncated', turnId });
      expect(echo?.rejectionReason).toMatch(/^unavailable: /);
      host.journal.gates.beforeCommit = undefined;
      await host.advance(2_000);
      expect(rowsOf(host, chat)).toHaveLength(50);
      expect(small.types(chat)).toStrictEqual([]);
      expect(idsOf(chatOf(await client.subscribe(chat)).turns)).toHaveLength(50);
    }
    // The next truncation can be committed.
    await client.act(chat, { type: 'chat/truncated', turnId: 't5' });
    expect(small.types(chat)).toStrictEqual(['chat/truncated', 'chat/turnsLoaded', 'chat/truncated']);
    expect(rowsOf(host, chat)).toHaveLength(6);
  });

  it('is the source of a loaded chat, with the actions after its last turn', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, { count: 45 });
    await client.act(chat, {
      type: 'chat/draftChanged',
      draft: { text: 'unsent', origin: { kind: 'user' } },
    });
    const before = chatOf(await client.subscribe(chat));
    await host.restart();
    const again = await host.client();
    expect(chatOf(await again.subscribe(chat))).toStrictEqual(before);
    // Unloads the chat and loads it again.
    await again.request('ping', { channel: 'ahp-root://' });
    again.link.cut();
    await host.advance(120_000);
    expect(host.host.core.sync.registry.get(chat)).toBeUndefined();
    const later = await host.client();
    expect(chatOf(await later.subscribe(chat))).toStrictEqual(before);
  });
});

describe('a history whose head was dropped', () => {
  const drop = async (host: HostFixture, chat: string, to: number): Promise<void> => {
    const committed = host.host.core.sync.commitRows([{ op: 'dropTurns', chat, from: 0, to }]);
    await host.run();
    await committed;
  };

  it.each(['in memory', 'loaded again'])('[CHAT-15] ends at its first remaining turn (%s)', async (where) => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, { count: 60 });
    await drop(host, chat, 30);
    if (where === 'loaded again') await host.restart();
    const reader = await host.client('reader');
    const whole = chatOf(await reader.subscribe(chat));
    // Turns in memory are shown until they are unloaded.
    const first = where === 'loaded again' ? 30 : 21;
    expect(idsOf(whole.turns)).toStrictEqual(
      Array.from({ length: 60 - first }, (_, index) => `t${index + first}`),
    );
    expect(whole.turnsNextCursor).toBeUndefined();
    const view = chatOf(await reader.subscribe(chat, { view: { turns: 5 } }));
    expect(view.turnsNextCursor).toBeDefined();
    reader.clear();
    await reader.request('fetchTurns', { channel: chat, cursor: view.turnsNextCursor ?? '' });
    const [loaded] = reader.envelopes(chat);
    expect(loaded?.action).toMatchObject({ type: 'chat/turnsLoaded' });
    expect(loaded?.action).not.toHaveProperty('turnsNextCursor');
    const page = await reader.request('fetchTurns', { channel: chat, before: 't31' });
    expect(page).toMatchObject({ turns: [{ id: 't30' }], hasMore: false });
  });

  it('[CHAT-6] can be truncated, and goes on', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, { count: 60 });
    await drop(host, chat, 30);
    const small = await host.client();
    await small.subscribe(chat, { view: { turns: 2 } });
    await client.act(chat, { type: 'chat/truncated', turnId: 't33' });
    await host.restart();
    const again = await host.client();
    expect(idsOf(chatOf(await again.subscribe(chat)).turns)).toStrictEqual(['t30', 't31', 't32', 't33']);
    await again.act(chat, { type: 'chat/truncated' });
    await runTurns(host, again, chat, { count: 1 });
    expect(idsOf(chatOf(await again.subscribe(chat)).turns)).toStrictEqual(['t0']);
    expect(rowsOf(host, chat)).toStrictEqual(['0 t0']);
  });
});

describe('[SUB-3] a snapshot', () => {
  it('[SUB-3] has the requested number of last turns, and a cursor if there are older ones', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, { count: 45 });
    for (const turns of [0, 1, 20, 30, 44, 45, 100]) {
      const state = chatOf(await client.subscribe(chat, { view: { turns } }));
      expect(idsOf(state.turns)).toStrictEqual(
        Array.from({ length: Math.min(turns, 45) }, (_, index) => `t${45 - Math.min(turns, 45) + index}`),
      );
      expect(state.turnsNextCursor !== undefined).toBe(turns < 45);
    }
  });

  it('[SUB-3] stops at 8 MiB of turns, but always has one turn', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, { count: 5, text: 'x'.repeat(3 * 1024 * 1024) });
    const state = chatOf(await client.subscribe(chat));
    expect(idsOf(state.turns)).toStrictEqual(['t3', 't4']);
    expect(state.turnsNextCursor).toBeDefined();
    await host.restart();
    const again = await host.client();
    expect(idsOf(chatOf(await again.subscribe(chat)).turns)).toStrictEqual(['t3', 't4']);
    await again.request('fetchTurns', { channel: chat, cursor: state.turnsNextCursor ?? '' });
    const loaded = again.envelopes(chat).at(-1)?.action;
    if (loaded?.type !== 'chat/turnsLoaded') throw new Error('nothing was loaded');
    expect(idsOf(loaded.turns)).toStrictEqual(['t1', 't2']);
  });
});
