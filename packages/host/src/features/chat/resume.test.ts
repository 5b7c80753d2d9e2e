import { type ChatState, chatReducer, SessionStatus, type Snapshot } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';
import { AgentError } from '../../agents/errors.ts';

const failed = (message: string) => ({
  kind: 'error',
  error: { errorType: 'agentError', message },
  resumable: true,
});
const resumed = (turnId: string) => ({ type: 'chat/turnResume', turnId }) as const;
const started = (turnId: string) =>
  ({
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId,
    message: { text: turnId, origin: { kind: 'user' } },
  }) as const;

async function setUp(config: Parameters<typeof startHost>[0] = {}) {
  const host = await startHost(config);
  host.agent.resumesTurns = true;
  host.agent.capabilities = { multipleChats: { fork: true } };
  const client = await host.client();
  const { chat } = await host.session(client);
  return { host, client, chat };
}

async function begin(host: HostFixture, client: RawClient, chat: string, turnId: string): Promise<void> {
  await client.act(chat, started(turnId));
  await host.run();
}

async function fail(host: HostFixture, client: RawClient, chat: string, turnId: string): Promise<void> {
  await begin(host, client, chat, turnId);
  await host.agent.turn.output.markdown('half');
  host.agent.turn.fail(new Error('broken'));
  await host.run();
}

/** The chat's state as a new client sees it. */
async function stateOf(host: HostFixture, chat: string): Promise<ChatState> {
  const { state } = await (await host.client()).subscribe(chat);
  if (!('turns' in state)) throw new Error('not a chat');
  return state;
}

/** What a client shows: its snapshot with all later actions reduced. */
function shown(client: RawClient, chat: string, { state, fromSeq }: Snapshot): ChatState {
  if (!('turns' in state)) throw new Error('not a chat');
  let present: ChatState = state;
  for (const { action, serverSeq, rejectionReason } of client.envelopes(chat)) {
    if (serverSeq > fromSeq && rejectionReason === undefined) present = chatReducer(present, action);
  }
  return present;
}

describe('a failed turn', () => {
  it('[CHAT-22] [CHAT-23] is continued by its agent, with all its parts, and can fail and continue again', async () => {
    const { host, client, chat } = await setUp();
    await fail(host, client, chat, 't1');
    expect((await stateOf(host, chat)).turns[0]?.responseParts.at(-1)).toEqual(failed('broken'));
    await client.act(chat, resumed('t1'));
    await host.run();
    expect(host.agent.turns).toMatchObject([
      { isResumed: false },
      { isResumed: true, input: { turnId: 't1' } },
    ]);
    host.agent.turn.fail(new Error('again'));
    await host.run();
    await client.act(chat, resumed('t1'));
    await host.run();
    await host.agent.turn.output.markdown('whole');
    host.agent.turn.complete();
    await host.run();
    const { turns, activeTurn } = await stateOf(host, chat);
    expect(activeTurn).toBeUndefined();
    expect(turns).toMatchObject([
      {
        id: 't1',
        state: 'complete',
        responseParts: [{ content: 'half' }, failed('broken'), failed('again'), { content: 'whole' }],
      },
    ]);
    expect((await client.act(chat, resumed('t1')))?.rejectionReason).toMatch(/^notResumable: /);
  });

  it('[CHAT-23] is not ended by the earlier run of an agent that has exited', async () => {
    const { host, client, chat } = await setUp();
    await begin(host, client, chat, 't1');
    const [first] = host.agent.turns;
    host.agent.opened[0]?.host.exited('gone');
    await host.run();
    await client.act(chat, resumed('t1'));
    await host.run();
    expect(host.agent.turns).toHaveLength(2);
    first?.fail(new Error('late'));
    await first?.output.markdown('late');
    await host.run();
    const { activeTurn } = await stateOf(host, chat);
    expect(activeTurn?.responseParts).toMatchObject([{ kind: 'error', error: { errorType: 'agentExited' } }]);
  });

  it('[CHAT-23] [CHAT-29] has no open questions when it is resumed', async () => {
    const { host, client, chat } = await setUp();
    await begin(host, client, chat, 't1');
    void host.agent.turn.output.ask({ requestId: 'q', message: 'Which?' });
    await host.run();
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    await client.act(chat, resumed('t1'));
    await host.run();
    const state = await stateOf(host, chat);
    expect(state.status & SessionStatus.InputNeeded).not.toBe(SessionStatus.InputNeeded);
    expect(state.activeTurn?.responseParts[0]).toMatchObject({ kind: 'inputRequest', response: 'cancel' });
  });

  it('[CHAT-23] [RES-1] keeps its contents, which go when the resumed turn is cut', async () => {
    const { host, client, chat } = await setUp();
    await begin(host, client, chat, 't1');
    host.agent.turn.output.fileEdit({ uri: 'file:///a', after: 'kept' });
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    await client.act(chat, resumed('t1'));
    await host.run();
    expect(host.journal.disk.contents.size).toBe(1);
    await client.act(chat, { type: 'chat/truncated' });
    expect(host.journal.disk.contents.size).toBe(0);
  });

  it('[CHAT-23] gives a call with the id of an earlier call another id', async () => {
    const { host, client, chat } = await setUp();
    await begin(host, client, chat, 't1');
    const call = { toolCallId: 'c', toolName: 'look', displayName: 'Look' };
    host.agent.turn.output.toolCall(call);
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    await client.act(chat, resumed('t1'));
    await host.run();
    expect(host.agent.turn.output.toolCall(call).id).not.toBe('c');
  });

  it('[CHAT-23] is resumed in windows that lack it or the turn before it', async () => {
    const { host, client, chat } = await setUp();
    for (let index = 0; index < 50; index += 1) {
      await begin(host, client, chat, `t${index}`);
      host.agent.turn.complete();
      await host.run();
    }
    await fail(host, client, chat, 'last');
    const none = await host.client();
    const noneView = await none.subscribe(chat, { view: { turns: 0 } });
    const one = await host.client();
    const oneView = await one.subscribe(chat, { view: { turns: 1 } });
    const answer = await client.act(chat, resumed('last'));
    expect(answer?.rejectionReason).toBeUndefined();
    await host.run();
    for (const present of [shown(none, chat, noneView), shown(one, chat, oneView)]) {
      expect(present.turns.map(({ id }) => id)).toEqual(['t49']);
      expect(present.turnsNextCursor).toBeDefined();
      expect(present.activeTurn?.id).toBe('last');
    }
  });

  it('[CHAT-23] is resumed in a window without turns when it is the only turn of the chat', async () => {
    const { host, client, chat } = await setUp();
    await fail(host, client, chat, 'only');
    const none = await host.client();
    const noneView = await none.subscribe(chat, { view: { turns: 0 } });
    await client.act(chat, resumed('only'));
    await host.run();
    expect(shown(none, chat, noneView).activeTurn?.id).toBe('only');
  });

  it('[CHAT-23] [CHAT-24] is cut when it is the only turn that the retention policy has kept', async () => {
    const { host, client, chat } = await setUp({ retention: { turnsPerChat: 1 } });
    for (const turnId of ['t0', 't1', 'last']) await fail(host, client, chat, turnId);
    // Maintenance drops turns in its first minute.
    await host.advance(61_000);
    await client.act(chat, resumed('last'));
    await host.run();
    await client.act(chat, { type: 'chat/truncated' });
    await host.run();
    const { hostData } = host.host.core.sync.registry.getOf('chat', chat) ?? {};
    expect(hostData).toMatchObject({ turnCount: 0 });
    expect(hostData).not.toHaveProperty('keptFrom');
  });

  it('[CONN-22] that a killed host left open can be resumed by the next one if its agent can continue', async () => {
    const { host, client, chat } = await setUp();
    await begin(host, client, chat, 't1');
    await host.restart();
    const { turns } = await stateOf(host, chat);
    expect(turns[0]?.responseParts.at(-1)).toMatchObject({
      error: { errorType: 'hostRestarted' },
      resumable: true,
    });
    const next = await host.client();
    await next.subscribe(chat);
    await next.act(chat, resumed('t1'));
    await host.run();
    expect(host.agent.turn).toMatchObject({ isResumed: true, input: { turnId: 't1' } });
    // The resumption itself survives a kill.
    await host.restart();
    const again = await stateOf(host, chat);
    expect(again.turns[0]?.responseParts).toMatchObject([
      { kind: 'error' },
      { kind: 'error', resumable: true },
    ]);
  });

  it.each(['agentMissing', 'authRequired'])(
    '[CHAT-22] is not resumable if a person must act first: %s',
    async (errorType) => {
      const { host, client, chat } = await setUp();
      await begin(host, client, chat, 't1');
      host.agent.turn.fail(new AgentError(errorType, 'Log in first'));
      await host.run();
      expect((await stateOf(host, chat)).turns[0]?.responseParts.at(-1)).not.toHaveProperty('resumable');
    },
  );

  it('[CHAT-23] is not resumed in a fork whose agent cannot continue it', async () => {
    const { host, client, chat } = await setUp();
    await fail(host, client, chat, 't1');
    const source = { kind: 'fork', chat, turnId: 't1' } as const;
    const forks = ['ahp-chat:/fork-1', 'ahp-chat:/fork-2'] as const;
    for (const fork of forks) {
      await client.request('createChat', { channel: SESSION, chat: fork, source });
      await client.subscribe(fork);
    }
    expect((await client.act(forks[0], resumed('t1')))?.rejectionReason).toBeUndefined();
    host.agent.resumesOnlyWithMemory = true;
    expect((await client.act(forks[1], resumed('t1')))?.rejectionReason).toContain('notResumable');
  });

  it('[CONN-22] [CHAT-22] is not resumable if its agent cannot continue', async () => {
    const { host, client, chat } = await setUp();
    host.agent.resumesTurns = false;
    await begin(host, client, chat, 't1');
    await host.restart();
    expect((await stateOf(host, chat)).turns[0]?.responseParts.at(-1)).not.toHaveProperty('resumable');
  });
});
