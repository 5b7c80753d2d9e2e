import type { SessionState } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, it, vi } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../test/host-fixture.ts';
import { chatOf } from '../../test/in-turn.ts';
import { PuppetAgent } from '../../test/puppet-agent.ts';
import type { RawClient } from '../../test/raw-client.ts';

const FORK = 'ahp-session:/fork';

async function withTurns(count: number) {
  const host = await startHost();
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

const fork = (client: RawClient, turnId: string, more: object = {}) =>
  client.raw('createSession', { channel: FORK, 'x-fork': { session: SESSION, turnId }, ...more });

async function sessionOf(client: RawClient, uri: string): Promise<SessionState> {
  const { state } = await client.subscribe(uri);
  if (!('activeClients' in state)) throw new Error('no session');
  return state;
}

async function turnsOf(client: RawClient, session: string): Promise<string[]> {
  const { defaultChat = '' } = await sessionOf(client, session);
  return (await chatOf(client, defaultChat)).turns.map(({ id }) => id);
}

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `t${from + index}`);

describe('a forked session', () => {
  it('is searched for in a hundred chats at a time, so that other clients are answered in between', async () => {
    const { host, client, session } = await withTurns(1);
    for (let index = 0; index < 350; index += 1)
      await client.request('createChat', { channel: session, chat: `ahp-chat:/${index}` });
    let inThisTurn = 0;
    let most = 0;
    const { journal, clock } = host;
    const find = journal.findTurn.bind(journal);
    vi.spyOn(journal, 'findTurn').mockImplementation((...which) => {
      inThisTurn += 1;
      most = Math.max(most, inThisTurn);
      return find(...which);
    });
    const immediate = clock.immediate.bind(clock);
    vi.spyOn(clock, 'immediate').mockImplementation((callback) =>
      immediate(() => {
        inThisTurn = 0;
        callback();
      }),
    );
    await expect(fork(client, 'unknown')).rejects.toMatchObject({ code: -32602 });
    expect(most).toBe(100);
  });

  it('[SESS-12] [SESS-2] has the chat with the turns up to the named one, and becomes ready like any session', async () => {
    const { host, client, chat } = await withTurns(4);
    await client.subscribe('ahp-root://');
    const opening = Promise.withResolvers<void>();
    host.agent.opening = opening.promise;
    await fork(client, 't1');
    const state = await sessionOf(client, FORK);
    expect(state.lifecycle).toBe('creating');
    expect(state.chats).toMatchObject([
      { resource: state.defaultChat, origin: { kind: 'fork', chat, turnId: 't1' } },
    ]);
    opening.resolve();
    await host.run();
    expect((await sessionOf(client, FORK)).lifecycle).toBe('ready');
    const copy = await chatOf(client, state.defaultChat ?? '');
    expect(copy.turns).toStrictEqual((await chatOf(client, chat)).turns.slice(0, 2));
    expect(copy.origin).toStrictEqual({ kind: 'fork', chat, turnId: 't1' });
    const opened = host.agent.opened.at(-1);
    expect([opened?.session, opened?.memory]).toStrictEqual([FORK, undefined]);
    expect((await opened?.history())?.map(({ id }) => id)).toStrictEqual(['t0', 't1']);
    const listed = await client.request('listSessions', { channel: 'ahp-root://' });
    expect(listed.items.map(({ resource }) => resource).toSorted()).toStrictEqual([FORK, SESSION]);
  });

  it('[SESS-12] takes over agent, folder, title and config; given values win', async () => {
    const host = await startHost();
    const property = { type: 'string', title: 'K', sessionMutable: true } as const;
    host.agent.resolveConfig = async () => ({
      schema: { type: 'object', properties: { kept: property, given: property } },
      values: { kept: 'default', given: 'default' },
    });
    const client = await host.client();
    const here = `file://${process.cwd()}/packages`;
    await client.request('createSession', {
      channel: SESSION,
      workingDirectories: [here],
      config: { kept: 'mine', given: 'mine', instructions: 'Be brief' },
    });
    const { defaultChat = '' } = await sessionOf(client, SESSION);
    await client.subscribe(defaultChat);
    await runTurn(host, client, defaultChat, 't0');
    await client.act(SESSION, { type: 'session/titleChanged', title: 'A title of mine' });
    await fork(client, 't0', { config: { given: 'theirs' } });
    expect(await sessionOf(client, FORK)).toMatchObject({
      provider: 'puppet',
      title: 'A title of mine (fork)',
      workingDirectories: [here],
      config: { values: { kept: 'mine', given: 'theirs', instructions: 'Be brief' } },
    });
    // A person named it, so the agent does not name it again.
    await host.run();
    host.agent.opened.at(-1)?.host.title('Another title');
    await host.run();
    expect((await sessionOf(client, FORK)).title).toBe('A title of mine (fork)');
    await client.request('createSession', {
      channel: 'ahp-session:/moved',
      workingDirectories: [`file://${process.cwd()}`],
      provider: 'puppet',
      'x-fork': { session: SESSION, turnId: 't0' },
    });
    expect(await sessionOf(client, 'ahp-session:/moved')).toMatchObject({
      workingDirectories: [`file://${process.cwd()}`],
    });
    await expect(
      client.raw('createSession', {
        channel: 'ahp-session:/bad',
        'x-fork': { session: SESSION, turnId: 't0' },
        config: { unknown: 1 },
      }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  it('[SESS-12] whose config no longer fits the agent takes over the valid values', async () => {
    const host = await startHost();
    const config = (values: string[]) => async () => ({
      schema: {
        type: 'object' as const,
        properties: { mode: { type: 'string' as const, title: 'Mode', enum: values } },
      },
      values: { mode: values[0] },
    });
    host.agent.resolveConfig = config(['a', 'b']);
    const client = await host.client();
    await client.request('createSession', { channel: SESSION, config: { mode: 'b' } });
    const { defaultChat = '' } = await sessionOf(client, SESSION);
    await runTurn(host, client, defaultChat, 't0');
    host.agent.resolveConfig = config(['a', 'c']);
    await host.restart();
    const again = await host.client();
    await fork(again, 't0');
    expect((await sessionOf(again, FORK)).config?.values['mode']).toBe('a');
  });

  it('[SESS-12] [CHAT-15] may be made at a turn outside of the window, of a session that is not in memory', async () => {
    const { host } = await withTurns(70);
    await host.restart();
    const client = await host.client();
    await fork(client, 't49');
    expect(await turnsOf(client, FORK)).toStrictEqual(names(0, 50));
    await host.restart();
    expect(await turnsOf(await host.client(), FORK)).toStrictEqual(names(0, 50));
  });

  it('[SESS-12] is independent: later changes on either side do not touch the other', async () => {
    const { host, client, chat } = await withTurns(30);
    await fork(client, 't24');
    const { defaultChat = '' } = await sessionOf(client, FORK);
    await client.subscribe(defaultChat);
    await client.act(chat, { type: 'chat/truncated', turnId: 't2' });
    await runTurn(host, client, chat, 'theirs');
    await runTurn(host, client, defaultChat, 'mine');
    await client.act(FORK, { type: 'session/titleChanged', title: 'Other' });
    expect(await turnsOf(client, SESSION)).toStrictEqual([...names(0, 3), 'theirs']);
    expect(await turnsOf(client, FORK)).toStrictEqual([...names(0, 25), 'mine']);
    expect((await sessionOf(client, SESSION)).title).not.toBe('Other');
    await client.request('disposeSession', { channel: SESSION });
    await host.restart();
    const again = await host.client();
    expect(await turnsOf(again, FORK)).toStrictEqual([...names(0, 25), 'mine']);
    const read = await again.request('fetchTurns', { channel: FORK, before: 't2', limit: 5 });
    expect(read.turns?.map(({ responseParts }) => responseParts[0])).toMatchObject([
      { content: 'answer of t0' },
      { content: 'answer of t1' },
    ]);
  });

  it('[SESS-12] copies the chat with the turn, default or not', async () => {
    const { host, client } = await withTurns(1);
    await client.request('createChat', { channel: SESSION, chat: 'ahp-chat:/second' });
    await runTurn(host, client, 'ahp-chat:/second', 'elsewhere');
    await host.restart();
    const again = await host.client();
    await fork(again, 'elsewhere');
    expect(await turnsOf(again, FORK)).toStrictEqual(['elsewhere']);
    const [entry] = (await sessionOf(again, FORK)).chats;
    expect(entry?.origin).toStrictEqual({ kind: 'fork', chat: 'ahp-chat:/second', turnId: 'elsewhere' });
  });

  it('[SESS-12] may be made while a later turn of its source runs', async () => {
    const { host, client, chat } = await withTurns(1);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    await expect(fork(client, 't1')).rejects.toMatchObject({ code: -32004 });
    await fork(client, 't0');
    expect(await turnsOf(client, FORK)).toStrictEqual(['t0']);
    expect((await chatOf(client, chat)).activeTurn?.id).toBe('t1');
  });

  it('[SESS-12] [SESS-1] is refused', async () => {
    const other = new PuppetAgent('other');
    const agent = new PuppetAgent();
    const host = await startHost({ agents: [() => agent, () => other] });
    const client = await host.client();
    const { chat } = await host.session(client);
    await client.act(chat, turnStarted('t0'));
    agent.turn.complete();
    await host.run();
    await expect(
      client.raw('createSession', {
        channel: FORK,
        'x-fork': { session: 'ahp-session:/none', turnId: 't0' },
      }),
    ).rejects.toMatchObject({ code: -32001 });
    await expect(fork(client, 'none')).rejects.toMatchObject({ code: -32602 });
    await expect(fork(client, 't0', { provider: 'other' })).rejects.toMatchObject({ code: -32602 });
    await expect(fork(client, 't0', { channel: SESSION })).rejects.toMatchObject({ code: -32003 });
    await expect(
      fork(client, 't0', { activeClient: { clientId: 'somebody', displayName: 'x', tools: [] } }),
    ).rejects.toMatchObject({ code: -32602 });
    const listed = await client.request('listSessions', { channel: 'ahp-root://' });
    expect(listed.items).toHaveLength(1);
    await fork(client, 't0', { provider: 'puppet' });
  });

  it('[SESS-12] of two forks with the same URI at once, one gets the error that the URI is in use', async () => {
    const { host, client } = await withTurns(1);
    const second = await host.client();
    const params = { channel: FORK, 'x-fork': { session: SESSION, turnId: 't0' } };
    const asked = [client.ask('createSession', params), second.ask('createSession', params)];
    await host.run();
    const codes = [client, second].map((each, index) => each.answerTo(asked[index] ?? 0)?.error?.code);
    expect(codes.toSorted()).toStrictEqual([-32003, undefined]);
  });

  it('[SESS-12] of a session that is disposed of meanwhile is not made', async () => {
    const { host, client } = await withTurns(1);
    const second = await host.client();
    second.ask('disposeSession', { channel: SESSION });
    const asked = client.ask('createSession', {
      channel: FORK,
      'x-fork': { session: SESSION, turnId: 't0' },
    });
    await host.run();
    expect(client.answerTo(asked)?.error?.code).toBe(-32001);
  });
});
