import type { SessionState } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../../test/host-fixture.ts';
import { chatOf, READY } from '../../../test/in-turn.ts';
import type { RawClient } from '../../../test/raw-client.ts';

const FORK = 'ahp-chat:/fork';

/** A session whose agent can fork, with completed turns `t0`, `t1` and so on in its default chat. */
async function withTurns(count: number) {
  const host = await startHost();
  host.agent.capabilities = { multipleChats: { fork: true }, multipleWorkingDirectories: {} };
  const client = await host.client();
  const { session, chat } = await host.session(client);
  for (let index = 0; index < count; index += 1) await runTurn(host, client, chat, `t${index}`);
  return { host, client, session, chat };
}

async function runTurn(host: HostFixture, client: RawClient, chat: string, turnId: string): Promise<void> {
  await client.act(chat, turnStarted(turnId));
  await host.run();
  await host.agent.turn.output.markdown(`answer of ${turnId}`);
  host.agent.turn.complete();
  await host.run();
}

const fork = (client: RawClient, source: { chat: string; turnId: string }, more: object = {}) =>
  client.raw('createChat', { channel: SESSION, chat: FORK, source: { kind: 'fork', ...source }, ...more });

const idsOf = async (client: RawClient, chat: string): Promise<string[]> =>
  (await chatOf(client, chat)).turns.map(({ id }) => id);

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `t${from + index}`);

async function entriesOf(client: RawClient): Promise<SessionState['chats']> {
  const { state } = await client.subscribe(SESSION);
  if (!('chats' in state)) throw new Error('no session');
  return state.chats;
}

describe('a forked chat', () => {
  it('[CHAT-1] [CHAT-2] has the turns up to and including the named one, and names its source', async () => {
    const { client, session, chat } = await withTurns(5);
    client.clear();
    await fork(client, { chat, turnId: 't2' });
    expect(client.types(session)).toStrictEqual(['session/chatAdded']);
    const origin = { kind: 'fork', chat, turnId: 't2' };
    const entry = (await entriesOf(client)).at(-1);
    expect(entry).toMatchObject({ resource: FORK, origin });
    expect(entry?.title).not.toBe('');
    expect(entry).not.toHaveProperty('interactivity');
    const state = await chatOf(client, FORK);
    expect(state).toMatchObject({ origin, title: entry?.title });
    expect(state).not.toHaveProperty('turnsNextCursor');
    expect(state.turns).toStrictEqual((await chatOf(client, chat)).turns.slice(0, 3));
  });

  it('[CHAT-1] [CHAT-15] at a turn outside of any window has every turn before it, page by page', async () => {
    const { host, client, chat } = await withTurns(60);
    await fork(client, { chat, turnId: 't44' });
    const check = async (by: RawClient): Promise<void> => {
      const { state } = await by.subscribe(FORK, { view: { turns: 3 } });
      if (!('turns' in state)) throw new Error('no chat');
      expect(state.turns.map(({ id }) => id)).toStrictEqual(names(42, 45));
      by.clear();
      const cursor = state.turnsNextCursor ?? '';
      await by.request('fetchTurns', { channel: FORK, cursor });
      const [loaded] = by.envelopes(FORK);
      if (loaded?.action.type !== 'chat/turnsLoaded') throw new Error('no turns came');
      expect(loaded.action.turns.map(({ id }) => id)).toStrictEqual(names(0, 42));
      expect(loaded.action).not.toHaveProperty('turnsNextCursor');
      const page = { channel: FORK, before: 't5', limit: 2 };
      expect(await by.request('fetchTurns', page)).toMatchObject({ turns: [{ id: 't3' }, { id: 't4' }] });
    };
    await check(client);
    await host.restart();
    await check(await host.client());
  });

  it('[CHAT-1] may have a source that is not in memory, and may be made at the first turn', async () => {
    const { host, client, chat } = await withTurns(30);
    await host.restart();
    const again = await host.client();
    await fork(again, { chat, turnId: 't0' });
    expect(await idsOf(again, FORK)).toStrictEqual(['t0']);
    expect(client.closed).toBeDefined();
  });

  it('[CHAT-1] [CHAT-6] is independent: truncations, new turns and disposals on either side do not affect the other', async () => {
    const { host, client, chat } = await withTurns(30);
    await fork(client, { chat, turnId: 't24' });
    await client.act(chat, { type: 'chat/truncated', turnId: 't3' });
    await runTurn(host, client, FORK, 'mine');
    await runTurn(host, client, chat, 'theirs');
    expect(await idsOf(client, chat)).toStrictEqual([...names(0, 4), 'theirs']);
    expect(await idsOf(client, FORK)).toStrictEqual([...names(0, 25), 'mine']);
    await client.act(FORK, { type: 'chat/truncated', turnId: 't1' });
    await client.act(chat, { type: 'chat/truncated', turnId: 't2' });
    await host.restart();
    const again = await host.client();
    expect(await idsOf(again, chat)).toStrictEqual(names(0, 3));
    expect(await idsOf(again, FORK)).toStrictEqual(names(0, 2));
    await again.request('disposeChat', { channel: chat });
    await host.restart();
    expect(await idsOf(await host.client(), FORK)).toStrictEqual(names(0, 2));
  });

  it('[CHAT-1] [RES-1] keeps contents behind content URIs readable when its source is disposed of', async () => {
    const { host, client, chat } = await withTurns(0);
    await client.act(chat, turnStarted('t0'));
    await host.run();
    const call = host.agent.turn.output.toolCall({ toolCallId: 'c', toolName: 'x', displayName: 'X' });
    call.run(READY);
    const text = 'y'.repeat(300 * 1024);
    await call.complete({ success: true, pastTenseMessage: 'did', content: [{ type: 'text', text }] });
    host.agent.turn.complete();
    await host.run();
    await fork(client, { chat, turnId: 't0' });
    await client.request('disposeChat', { channel: chat });
    const [turn] = (await chatOf(client, FORK)).turns;
    const [part] = turn?.responseParts ?? [];
    const content = part?.kind === 'toolCall' && 'content' in part.toolCall ? part.toolCall.content : [];
    const uri = content?.find((block) => block.type === 'resource')?.uri ?? '';
    const read = { channel: 'ahp-root://', uri } as const;
    expect(await client.request('resourceRead', read)).toMatchObject({ data: text });
    await client.act(FORK, { type: 'chat/truncated' });
    await host.run();
    await expect(client.request('resourceRead', read)).rejects.toMatchObject({ code: -32006 });
  });

  it('[CHAT-1] may be made while a later turn of its source runs, and starts with its initial message', async () => {
    const { host, client, chat } = await withTurns(2);
    await client.act(chat, turnStarted('t2'));
    await host.run();
    await fork(
      client,
      { chat, turnId: 't1' },
      { initialMessage: { text: 'go on', origin: { kind: 'user' } } },
    );
    await host.run();
    const state = await chatOf(client, FORK);
    expect(state.turns.map(({ id }) => id)).toStrictEqual(['t0', 't1']);
    expect(state.activeTurn?.message.text).toBe('go on');
    expect((await chatOf(client, chat)).activeTurn?.id).toBe('t2');
  });

  it('[CHAT-1] has an agent without memory, which gets the history', async () => {
    const { host, client, chat } = await withTurns(3);
    host.agent.opened[0]?.host.saveMemory('everything');
    await fork(client, { chat, turnId: 't1' });
    await client.act(FORK, turnStarted('mine'));
    await host.run();
    const opened = host.agent.opened.at(-1);
    expect(opened?.chat).toBe(FORK);
    expect(opened?.memory).toBeUndefined();
    expect((await opened?.history())?.map(({ id }) => id)).toStrictEqual(['t0', 't1']);
  });

  it('[CHAT-1] may be made of a fork, and of a worker chat, whose fork accepts messages of people', async () => {
    const { host, client, chat } = await withTurns(1);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    const { output } = host.agent.turn;
    output.toolCall({ toolCallId: 'c', toolName: 'x', displayName: 'X' }).run(READY);
    const worker = output.spawnChat({ toolCallId: 'c', title: 'Look' });
    const turn = worker.turn('look');
    await turn.output.markdown('found it');
    turn.end();
    host.agent.turn.complete();
    await host.run();
    const [done] = (await chatOf(client, worker.uri)).turns;
    await fork(client, { chat: worker.uri, turnId: done?.id ?? '' });
    await runTurn(host, client, FORK, 'mine');
    const again = {
      channel: SESSION,
      chat: 'ahp-chat:/again',
      source: { kind: 'fork', chat: FORK, turnId: 'mine' },
    };
    await client.raw('createChat', again);
    expect(await idsOf(client, again.chat)).toStrictEqual([done?.id, 'mine']);
  });

  it.each([1, 2, 3])(
    '[CHAT-1] is not made of turns that are truncated while the host reads them (read %i)',
    async (held) => {
      const { host, client, chat } = await withTurns(30);
      const other = await host.client();
      for (const [turnId, code] of [
        ['t20', undefined],
        ['t10', -32602],
      ] as const) {
        const gate = Promise.withResolvers<void>();
        let readCount = 0;
        host.journal.gates.afterRead = () => {
          readCount += 1;
          return readCount >= held ? gate.promise : undefined;
        };
        const source = { kind: 'fork', chat, turnId: 't15' };
        const asked = client.ask('createChat', { channel: SESSION, chat: `ahp-chat:/${turnId}`, source });
        await host.run();
        host.journal.gates.afterRead = undefined;
        other.dispatch(chat, { type: 'chat/truncated', turnId });
        await host.run();
        gate.resolve();
        await host.run();
        // A fork that was made before the truncation stays.
        if (code === undefined || readCount >= held) expect(client.answerTo(asked)?.error?.code).toBe(code);
      }
      expect(await idsOf(client, 'ahp-chat:/t20')).toStrictEqual(names(0, 16));
    },
  );

  it('[CHAT-1] is refused', async () => {
    const { host, client, chat } = await withTurns(2);
    const other = await host.session(client, 'ahp-session:/other');
    await client.act(chat, turnStarted('t2'));
    const refused = async (source: { chat: string; turnId: string }, code: number) =>
      expect(fork(client, source)).rejects.toMatchObject({ code });
    await refused({ chat: 'ahp-chat:/none', turnId: 't0' }, -32008);
    await refused({ chat: SESSION, turnId: 't0' }, -32008);
    await refused({ chat: other.chat, turnId: 't0' }, -32602);
    await refused({ chat, turnId: 'none' }, -32602);
    await refused({ chat, turnId: 't2' }, -32004);
    host.agent.capabilities = { multipleChats: {} };
    await refused({ chat, turnId: 't0' }, -32602);
    host.agent.capabilities = {};
    await refused({ chat, turnId: 't0' }, -32602);
    host.agent.capabilities = { multipleChats: { fork: true }, multipleWorkingDirectories: {} };
    await expect(
      client.raw('createChat', { channel: SESSION, chat, source: { kind: 'fork', chat, turnId: 't0' } }),
    ).rejects.toMatchObject({ code: -32010 });
    expect((await entriesOf(client)).map(({ resource }) => resource)).toStrictEqual([chat]);
  });

  it('[CHAT-1] that cannot be journaled is not made', async () => {
    const { host, client, chat } = await withTurns(2);
    host.journal.failNextCommits();
    await expect(fork(client, { chat, turnId: 't0' })).rejects.toMatchObject({ code: -32603 });
    await host.advance(1_000);
    await fork(client, { chat, turnId: 't0' });
    expect(await idsOf(client, FORK)).toStrictEqual(['t0']);
  });
});

describe('the working directory of a chat', () => {
  it("[CHAT-38] [CHAT-39] [SESS-23] is one of the session's, is in the catalogue, and is inherited by forks", async () => {
    const { host, client, session, chat } = await withTurns(1);
    const own = `file://${process.cwd()}/packages`;
    await client.act(session, { type: 'session/workingDirectorySet', directory: own });
    const params = { channel: session, chat: 'ahp-chat:/own', workingDirectories: [own] };
    await client.raw('createChat', params);
    expect((await entriesOf(client)).at(-1)).toMatchObject({ workingDirectories: [own] });
    expect((await chatOf(client, 'ahp-chat:/own')).workingDirectories).toStrictEqual([own]);
    await runTurn(host, client, 'ahp-chat:/own', 'a');
    expect(host.agent.opened.at(-1)?.workingDirectory).toBe(`${process.cwd()}/packages`);
    await client.raw('createChat', {
      channel: session,
      chat: FORK,
      source: { kind: 'fork', chat: params.chat, turnId: 'a' },
      workingDirectories: ['file:///ignored'],
    });
    expect((await chatOf(client, FORK)).workingDirectories).toStrictEqual([own]);
    expect((await entriesOf(client))[0]).not.toHaveProperty('workingDirectories');
    const bad = { channel: session, chat: 'ahp-chat:/bad', workingDirectories: [own, 'file:///'] };
    await expect(client.raw('createChat', bad)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('workingDirectories[1]'),
    });
    expect((await chatOf(client, chat)).turns).toHaveLength(1);
  });
});
