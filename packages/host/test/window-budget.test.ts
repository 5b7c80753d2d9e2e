import type { Snapshot } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { WindowBudget } from '../src/sync/window-budget.ts';
import { type HostFixture, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const CHATS = ['one', 'two', 'three'].map((name) => `ahp-chat:/${name}`);
const TURNS = ['t0', 't1', 't2'];
/** Length of the text of each turn. */
const LENGTH = 1_000;

/** Three chats of three turns, with a budget for two of the chats. */
async function setUp(): Promise<{ host: HostFixture; client: RawClient }> {
  const host = await startHost();
  const client = await host.client();
  await host.session(client);
  const { sync } = host.host.core;
  const budget = new WindowBudget(sync, 7.5 * LENGTH);
  expect(budget).toBeDefined();
  for (const chat of CHATS) {
    await client.request('createChat', { channel: SESSION, chat });
    await client.subscribe(chat, { view: { turns: 1 } });
    for (const turnId of TURNS) await runTurn(host, client, chat, turnId);
    // Windows are dropped by the time of their last use.
    await host.advance(10);
  }
  return { host, client };
}

async function runTurn(host: HostFixture, client: RawClient, chat: string, turnId: string): Promise<void> {
  await client.act(chat, turnStarted(turnId, 'x'.repeat(LENGTH)));
  await host.run();
  host.agent.turn.complete();
  await host.run();
}

const inMemory = ({ host }: HostFixture, chat: string): string[] =>
  host.core.sync.registry.getOf('chat', chat)?.state.turns.map(({ id }) => id) ?? [];

const shown = (state: Snapshot['state']): string[] =>
  ('turns' in state ? state.turns : []).map(({ id }) => id);

const [first = '', , last = ''] = CHATS;

describe('the turns of all chats in memory', () => {
  test('have a bound: those of the least recently used chat are dropped', async () => {
    const { host } = await setUp();
    expect(inMemory(host, first)).toEqual([]);
    expect(inMemory(host, last)).toEqual(TURNS);
  });

  test('[SUB-3] [CHAT-15] are read from disk for a request after they were dropped', async () => {
    const { host } = await setUp();
    const other = await host.client();
    expect(shown((await other.subscribe(first)).state)).toEqual(TURNS);
    const { state } = await other.subscribe(first, { view: { turns: 2 } });
    expect([shown(state), 'turnsNextCursor' in state && state.turnsNextCursor]).toEqual([
      ['t1', 't2'],
      'before-1',
    ]);
    expect(await other.request('fetchTurns', { channel: first, limit: 5 })).toMatchObject({
      turns: TURNS.map((id) => ({ id })),
      hasMore: false,
    });
  });

  test('[CHAT-2] let a turn continue after them, and no id occurs twice', async () => {
    const { host, client } = await setUp();
    const echo = await client.act(first, turnStarted('t1'));
    expect(echo?.rejectionReason).toContain('turnExists');
    await runTurn(host, client, first, 't3');
    const other = await host.client();
    expect(shown((await other.subscribe(first)).state)).toEqual([...TURNS, 't3']);
  });

  test('[CHAT-3] have no duplicate id if a turn ends and is dropped while the disk is searched for its id', async () => {
    const { host, client } = await setUp();
    await client.act(first, turnStarted('t3', 'x'.repeat(8 * LENGTH)));
    await host.run();
    const reading = Promise.withResolvers<void>();
    host.journal.gates.afterRead = () => reading.promise;
    const clientSeq = client.dispatch(first, turnStarted('t3'));
    await host.run();
    host.journal.gates.afterRead = undefined;
    host.agent.turn.complete();
    await host.run();
    expect(inMemory(host, first)).toEqual([]);
    reading.resolve();
    await client.ping();
    expect(client.echoOf(clientSeq)?.rejectionReason).toContain('turnExists');
  });

  for (const [turnId, left] of [
    [undefined, []],
    ['t0', ['t0']],
    ['t2', TURNS],
  ] as const)
    test(`[CHAT-6] a truncation ${turnId === undefined ? 'of everything' : `at ${turnId}`} leaves ${left.length} of them, after a restart too`, async () => {
      const { host, client } = await setUp();
      await client.act(first, { type: 'chat/truncated', ...defined({ turnId }) });
      const read = async (): Promise<string[]> => {
        const other = await host.client();
        return shown((await other.subscribe(first)).state);
      };
      expect(await read()).toEqual(left);
      await host.restart();
      expect(await read()).toEqual(left);
    });

  test('[CHAT-4] allow a fork at one of them, with the turns before it', async () => {
    const { host, client } = await setUp();
    host.agent.capabilities = { multipleChats: { fork: true } };
    const chat = 'ahp-chat:/fork';
    await client.request('createChat', {
      channel: SESSION,
      chat,
      source: { kind: 'fork', chat: first, turnId: 't1' },
    });
    expect(shown((await client.subscribe(chat)).state)).toEqual(['t0', 't1']);
    await runTurn(host, client, chat, 't9');
    expect(shown((await client.subscribe(chat)).state)).toEqual(['t0', 't1', 't9']);
  });

  test('stay if they could not be written', async () => {
    const { host, client } = await setUp();
    await client.act(last, turnStarted('t3', 'x'.repeat(6 * LENGTH)));
    await host.run();
    host.journal.failNextCommits();
    host.agent.turn.complete();
    await host.run();
    await host.advance(2_000);
    const other = await host.client();
    expect(shown((await other.subscribe(last)).state)).toEqual([...TURNS, 't3']);
  });
});
