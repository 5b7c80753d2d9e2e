import type { ChatState, SessionState } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';

const SIDE = 'ahp-chat:/side';

async function start() {
  const host = await startHost();
  host.agent.capabilities = { multipleChats: { fork: true, sideChat: true } };
  const client = await host.client();
  const { chat } = await host.session(client);
  return { host, client, chat };
}

async function runTurn(host: HostFixture, client: RawClient, chat: string, turnId: string): Promise<void> {
  await client.act(chat, turnStarted(turnId));
  await host.run();
  await host.agent.turn.output.markdown(`answer of ${turnId}`);
  host.agent.turn.complete();
  await host.run();
}

const stateOf = async (client: RawClient, chat: string): Promise<ChatState> =>
  (await client.subscribe(chat)).state as ChatState;

/** Starts a side chat. */
const aside = (client: RawClient, source: object, chat = SIDE) =>
  client.raw('createChat', { channel: SESSION, chat, source: { kind: 'sideChat', ...source } });

/** The turns that the agent of the newest session was given. */
async function historyOf(host: HostFixture): Promise<string[]> {
  const turns = (await host.agent.opened.at(-1)?.history()) ?? [];
  return turns.map(({ id, responseParts }) => {
    const text = responseParts.map((part) => (part.kind === 'markdown' ? part.content : part.kind));
    return `${id}: ${text.join(' ')}`;
  });
}

describe('a side chat', () => {
  it('[CHAT-39] [CHAT-38] is empty, and its agent knows the source up to and including the turn', async () => {
    const { host, client, chat } = await start();
    for (const id of ['t0', 't1', 't2']) await runTurn(host, client, chat, id);
    const selection = { text: ' **of** t1', responsePartId: 'p' };
    await aside(client, { chat, turnId: 't1', selection });
    const state = await stateOf(client, SIDE);
    const origin = { kind: 'sideChat', chat, turnId: 't1', selection };
    expect(state).toMatchObject({ turns: [], origin });
    const session = (await client.subscribe(SESSION)).state as SessionState;
    expect(session.chats.at(-1)).toMatchObject({ resource: SIDE, origin });
    await client.act(SIDE, turnStarted('q'));
    await host.run();
    expect(await historyOf(host)).toStrictEqual(['t0: answer of t0', 't1: answer of t1']);
    expect(host.agent.turn.input.context?.join('\n')).toContain(selection.text);
    host.agent.turn.complete();
    await host.run();
    await client.act(SIDE, turnStarted('r'));
    await host.run();
    expect(host.agent.turn.input.context?.join('\n') ?? '').not.toContain(selection.text);
  });

  it('[CHAT-39] may begin at the active turn, as far as it has come, and does not change with its source', async () => {
    const { host, client, chat } = await start();
    await runTurn(host, client, chat, 't0');
    await client.act(chat, turnStarted('now'));
    await host.run();
    await host.agent.turn.output.markdown('half');
    await host.run();
    await aside(client, { chat, turnId: 'now' });
    await host.agent.turn.output.markdown(' done');
    host.agent.turn.complete();
    await host.run();
    await client.act(chat, { type: 'chat/truncated' });
    await client.act(SIDE, turnStarted('q'));
    await host.run();
    expect(await historyOf(host)).toStrictEqual(['t0: answer of t0', 'now: half']);
  });

  it('[CHAT-39] keeps its context over a restart and in forks, after the source was disposed of', async () => {
    const { host, client, chat } = await start();
    await runTurn(host, client, chat, 't0');
    await aside(client, { chat, turnId: 't0' });
    await runTurn(host, client, SIDE, 'q');
    await client.raw('disposeChat', { channel: chat });
    const source = { kind: 'fork', chat: SIDE, turnId: 'q' };
    await client.raw('createChat', { channel: SESSION, chat: 'ahp-chat:/fork', source });
    await client.raw('disposeChat', { channel: SIDE });
    await host.restart();
    const later = await host.client('later');
    await later.act('ahp-chat:/fork', turnStarted('r'));
    await host.run();
    expect((await historyOf(host)).slice(0, 2)).toStrictEqual(['t0: answer of t0', 'q: answer of q']);
  });

  it('[CHAT-38] is refused for an unknown chat or turn, an empty selection, an unknown kind, or a missing capability', async () => {
    const { host, client, chat } = await start();
    await runTurn(host, client, chat, 't0');
    const refused = (source: object, code: number) =>
      expect(aside(client, source)).rejects.toMatchObject({ code });
    await refused({ chat, turnId: 'none' }, -32602);
    await refused({ chat: SIDE, turnId: 't0' }, -32008);
    await refused({ chat, turnId: 't0', selection: { text: '' } }, -32602);
    await refused({ chat, turnId: 't0', kind: 'other' }, -32602);
    await refused({ chat, turnId: 't0', kind: undefined }, -32602);
    host.agent.capabilities = { multipleChats: { fork: true } };
    await refused({ chat, turnId: 't0' }, -32602);
    host.kill();
  });
});
