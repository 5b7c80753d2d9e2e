import { turnStarted } from '@agenthost/testkit';
import { describe, expect, it, vi } from 'vitest';
import { type HostFixture, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';
import { TurnSupervisor } from '../supervisor.ts';

async function setUp(turnCount = 0) {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  for (let index = 0; index < turnCount; index += 1) await runTurn(host, client, chat, `t${index}`);
  return { host, client, chat };
}

async function runTurn(host: HostFixture, client: RawClient, chat: string, turnId: string): Promise<void> {
  await client.act(chat, turnStarted(turnId));
  host.agent.turn.complete();
  await host.run();
}

/** Number of notices that a client received. */
const noticeCount = (client: RawClient, chat: string): number =>
  client
    .envelopes(chat)
    .filter(({ action }) => action.type === 'chat/responsePart' && action.part.kind === 'systemNotification')
    .length;

describe('the memory of an agent about a truncated chat', () => {
  it('[CHAT-6] is deleted in the tick of the truncation, whenever the host is killed', async () => {
    const { host, client, chat } = await setUp(1);
    host.agent.opened[0]?.host.saveMemory('of everything');
    await host.run();
    // Killed before the agent is told to forget.
    vi.spyOn(TurnSupervisor.prototype, 'forget').mockImplementationOnce(() => undefined);
    await client.act(chat, { type: 'chat/truncated' });
    await host.restart();
    const again = await host.client();
    await again.act(chat, turnStarted('b'));
    await host.run();
    expect(host.agent.opened.at(-1)?.memory).toBeUndefined();
  });

  it('[CHAT-6] stays when no turn was removed', async () => {
    const { host, client, chat } = await setUp(2);
    host.agent.opened[0]?.host.saveMemory('of everything');
    for (const turnId of ['t1', 'nobody']) await client.act(chat, { type: 'chat/truncated', turnId });
    await runTurn(host, client, chat, 't2');
    expect([host.agent.opened.length, host.agent.closeCount]).toStrictEqual([1, 0]);
  });

  it('[CHAT-6] is deleted by a truncation outside of the window too, and the remaining turns are handed over', async () => {
    const { host, client, chat } = await setUp(60);
    host.agent.opened[0]?.host.saveMemory('of everything');
    await client.act(chat, { type: 'chat/truncated', turnId: 't3' });
    await client.act(chat, turnStarted('again'));
    await host.run();
    expect([host.agent.closeCount, host.agent.opened.at(-1)?.memory]).toStrictEqual([1, undefined]);
    const history = await host.agent.opened.at(-1)?.history();
    expect(history?.map(({ id }) => id)).toStrictEqual(['t0', 't1', 't2', 't3']);
  });

  it('[CHAT-6] is rebuilt from the last 50 turns of a long chat, without a notice if that works', async () => {
    const { host, client, chat } = await setUp(60);
    await client.act(chat, { type: 'chat/truncated', turnId: 't57' });
    await client.act(chat, turnStarted('again'));
    await host.run();
    expect(noticeCount(client, chat)).toBe(0);
    const history = await host.agent.opened.at(-1)?.history();
    expect([history?.length, history?.[0]?.id, history?.at(-1)?.id]).toStrictEqual([50, 't8', 't57']);
  });

  it('[CHAT-6] cannot be rebuilt for some agents: people get one notice if turns remain', async () => {
    const { host, client, chat } = await setUp();
    host.agent.takesHistory = false;
    for (const turnId of ['a', 'b']) await runTurn(host, client, chat, turnId);
    expect(noticeCount(client, chat)).toBe(0);
    await client.act(chat, { type: 'chat/truncated', turnId: 'a' });
    for (const turnId of ['c', 'd']) await runTurn(host, client, chat, turnId);
    expect(noticeCount(client, chat)).toBe(1);
    await client.act(chat, { type: 'chat/truncated' });
    await runTurn(host, client, chat, 'e');
    expect(noticeCount(client, chat)).toBe(1);
  });
});

it('[CHAT-6] a turn right after the truncation is accepted while the agent unwinds, and late output is dropped', async () => {
  const { host, client, chat } = await setUp();
  await client.act(chat, turnStarted('a'));
  const first = host.agent.turn;
  client.dispatch(chat, { type: 'chat/truncated' });
  expect((await client.act(chat, turnStarted('b')))?.rejectionReason).toBeUndefined();
  await first.output.markdown('too late');
  await host.run();
  expect([first.signal.aborted, host.agent.turns.length]).toStrictEqual([true, 1]);
  first.complete();
  await host.run();
  expect(host.agent.turn.input.turnId).toBe('b');
  expect(host.agent.opened).toHaveLength(2);
  expect(client.types(chat)).toStrictEqual(['chat/turnStarted', 'chat/truncated', 'chat/turnStarted']);
});
