import { SessionStatus } from '@agenthost/protocol';
import { approved, markdownOf, resultJudged, turnCancelled, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';
import { chatOf, codeOf, DONE, inTurn, READY } from './in-turn.ts';

describe('chats', () => {
  test('[CHAT-1] [CHAT-2] createChat refuses invalid requests, and a new chat is in the catalogue before the answer', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    const create = (params: object): Promise<unknown> =>
      client.raw('createChat', { channel: session, chat: 'ahp-chat:/two', ...params });
    await expect(create({ channel: 'ahp-session:/none' })).rejects.toMatchObject({ code: -32001 });
    await expect(create({ chat })).rejects.toMatchObject({ code: -32010 });
    const agentMessage = { text: 'x', origin: { kind: 'agent' } };
    await expect(create({ initialMessage: agentMessage })).rejects.toMatchObject({ code: -32602 });
    client.clear();
    const id = client.ask('createChat', {
      channel: session,
      chat: 'ahp-chat:/two',
      initialMessage: { text: 'go', origin: { kind: 'user' } },
    });
    await client.answered(id);
    const at = client.frames.findIndex((frame) => frame.id === id);
    const before = client.frames.slice(0, at).flatMap(({ params }) => params?.action ?? []);
    expect(before).toContainEqual(
      expect.objectContaining({
        type: 'session/chatAdded',
        summary: expect.objectContaining({ resource: 'ahp-chat:/two', origin: { kind: 'user' } }),
      }),
    );
    await host.run();
    expect(host.agent.turn.input.message.text).toBe('go');
  });

  test('[CHAT-1] an agent without multipleChats supports one chat per session', async () => {
    const host = await startHost();
    host.agent.capabilities = {};
    const client = await host.client();
    const { session } = await host.session(client);
    await expect(
      client.request('createChat', { channel: session, chat: 'ahp-chat:/two' }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test('[CHAT-1] disposeChat ends the turn of the chat and removes it; the default moves on, and the last chat stays', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await expect(client.request('disposeChat', { channel: chat })).rejects.toMatchObject({ code: -32602 });
    await client.request('createChat', { channel: session, chat: 'ahp-chat:/two' });
    await client.act(chat, turnStarted('t1'));
    await host.run();
    client.clear();
    await client.request('disposeChat', { channel: chat });
    expect(client.types()).toEqual(expect.arrayContaining(['chat/turnCancelled', 'session/chatRemoved']));
    await host.run();
    expect(host.agent.turn.signal.aborted).toBe(true);
    const { state } = await client.subscribe(session);
    expect(state).toMatchObject({ defaultChat: 'ahp-chat:/two', chats: [{ resource: 'ahp-chat:/two' }] });
    await expect(client.subscribe(chat)).rejects.toMatchObject({ code: -32008 });
    await expect(client.request('disposeChat', { channel: chat })).rejects.toMatchObject({ code: -32008 });
  });

  test('[CHAT-4] a client that shows only appended text misses none', async () => {
    const { host, client, chat, output } = await inTurn();
    await output.markdown('One ');
    await output.markdown('two.');
    await output.reasoning('Why? ');
    await output.markdown('Three.');
    await host.run();
    const appended = client
      .envelopes(chat)
      .flatMap(({ action }) =>
        action.type === 'chat/delta' || action.type === 'chat/reasoning' ? [action.content] : [],
      );
    expect(appended).toEqual(['One ', 'two.', 'Why? ', 'Three.']);
    const parts = client
      .envelopes(chat)
      .flatMap(({ action }) => (action.type === 'chat/responsePart' ? [action.part] : []));
    expect(parts).toMatchObject(['markdown', 'reasoning', 'markdown'].map((kind) => ({ kind, content: '' })));
    const { state } = await client.subscribe(chat);
    expect(state).toMatchObject({
      activeTurn: { responseParts: [{ content: 'One two.' }, { content: 'Why? ' }, { content: 'Three.' }] },
    });
  });

  test('[CHAT-2] on a read-only chat, turns, messages and truncation are rejected; answers are not', async () => {
    const { host, client, session, chat, call, callOf } = await inTurn();
    const answer = call('c1').confirm(READY);
    await host.run();
    const { sync } = host.host.core;
    sync.transact('host', (tx) => {
      const channel = sync.registry.getOf('session', session);
      if (channel !== undefined)
        tx.emit(channel, { type: 'session/chatUpdated', chat, changes: { interactivity: 'read-only' } });
    });
    const message = { text: 'x', origin: { kind: 'user' } };
    for (const action of [
      turnStarted('t2'),
      { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q', message },
      { type: 'chat/truncated' },
    ]) {
      expect(codeOf(await client.act(chat, action))).toBe('notInteractive');
    }
    expect(codeOf(await client.act(chat, approved('t1', 'c1')))).toBeUndefined();
    expect(await answer).toMatchObject({ approved: true });
    expect((await callOf('c1'))?.status).toBe('running');
  });
});

describe('turns', () => {
  test('[CHAT-3] a second turn, a known id and a message that is not of a user are rejected, after a restart too', async () => {
    const { host, client, chat } = await inTurn();
    expect(codeOf(await client.act(chat, turnStarted('t2')))).toBe('turnActive');
    host.agent.turn.complete();
    await host.run();
    expect(codeOf(await client.act(chat, turnStarted('t1')))).toBe('turnExists');
    const foreign = { ...turnStarted('t2'), message: { text: 'x', origin: { kind: 'agent' } } };
    expect(codeOf(await client.act(chat, foreign))).toBe('notUserMessage');
    await host.restart();
    const again = await host.client();
    expect(codeOf(await again.act(chat, turnStarted('t1')))).toBe('turnExists');
    expect(codeOf(await again.act(chat, turnStarted('t2')))).toBeUndefined();
  });

  test('[CHAT-3] of two clients that start a turn at once the first wins, and the second gets the reason', async () => {
    const host = await startHost();
    const clients = [await host.client(), await host.client()];
    const { chat } = await host.session(clients[0] ?? (await host.client()));
    const seqs = clients.map((client, index) => client.dispatch(chat, turnStarted(`t${index}`)));
    await host.run();
    expect(clients.map((client, index) => codeOf(client.echoOf(seqs[index] ?? 0)))).toEqual([
      undefined,
      'turnActive',
    ]);
    expect(host.agent.turns.map(({ input }) => input.turnId)).toEqual(['t0']);
  });

  test('[CHAT-5] a turn ends complete, cancelled or in error, and open parts of a provider are closed', async () => {
    const { host, client, chat, output, call, callOf } = await inTurn();
    await output.markdown('text');
    const left = call('left');
    await left.input('{');
    const asked = call('asked').confirm(READY);
    await host.run();
    host.agent.turn.complete();
    await host.run();
    expect(await asked).toEqual({ approved: false, reason: 'skipped' });
    expect(await callOf('left')).toMatchObject({
      status: 'cancelled',
      reason: 'skipped',
      invocationMessage: '',
    });
    expect(await callOf('asked')).toMatchObject({ status: 'cancelled', reason: 'skipped' });
    const state = await chatOf(client, chat);
    expect(state).toMatchObject({ status: SessionStatus.Idle, turns: [{ id: 't1', state: 'complete' }] });
    expect(state).not.toHaveProperty('activeTurn');
    // Late output of a provider changes nothing.
    await output.markdown('late');
    await host.run();
    expect(markdownOf((await chatOf(client, chat)).turns[0])).toBe('text');
  });

  test('[CHAT-5] a failing agent ends its turn in error, under its own errorType or agentError', async () => {
    const { host, client, chat } = await inTurn();
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    const state = await chatOf(client, chat);
    expect(state).toMatchObject({
      status: SessionStatus.Error,
      turns: [
        {
          state: 'error',
          responseParts: [{ kind: 'error', error: { errorType: 'agentError', message: 'broken' } }],
        },
      ],
    });
  });

  test('[CHAT-5] an agent whose process exited ends its turn with agentExited, and the next turn opens another one', async () => {
    const { host, client, chat } = await inTurn();
    host.agent.opened[0]?.host.exited('killed by signal 9');
    await host.run();
    expect((await chatOf(client, chat)).turns).toMatchObject([
      {
        state: 'error',
        responseParts: [
          { kind: 'error', error: { errorType: 'agentExited', message: 'killed by signal 9' } },
        ],
      },
    ]);
    await client.act(chat, turnStarted('t2'));
    await host.run();
    expect(host.agent.opened).toHaveLength(2);
    expect(host.agent.turn.input.turnId).toBe('t2');
  });

  test('[CHAT-5] cancel ends the turn at once and tells the agent; without that turn it is rejected', async () => {
    const { host, client, chat, output } = await inTurn();
    await output.markdown('partial');
    expect(codeOf(await client.act(chat, turnCancelled('other')))).toBe('noSuchTurn');
    expect(codeOf(await client.act(chat, turnCancelled('t1')))).toBeUndefined();
    await host.run();
    expect(host.agent.turn.signal.aborted).toBe(true);
    const state = await chatOf(client, chat);
    expect(state.turns).toMatchObject([{ state: 'cancelled', responseParts: [{ content: 'partial' }] }]);
    expect(codeOf(await client.act(chat, turnCancelled('t1')))).toBe('noSuchTurn');
  });

  test('[CHAT-5] an agent that ignores the cancel for 10 s is ended, and the next turn gets another agent', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, turnCancelled('t1'));
    await client.act(chat, turnStarted('t2'));
    await host.advance(9_900);
    expect([host.agent.terminateCount, host.agent.turns.length]).toEqual([0, 1]);
    await host.advance(200);
    expect(host.agent.terminateCount).toBe(1);
  });

  test('[CHAT-5] after an ignored cancel the waiting turn is given to a new agent session', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, turnCancelled('t1'));
    await client.act(chat, turnStarted('t2'));
    await host.advance(11_000);
    expect(host.agent.turns.map(({ input }) => input.turnId)).toEqual(['t1', 't2']);
    expect(host.agent.opened).toHaveLength(2);
  });

  test('[CHAT-10] a chat’s status shows what it waits for, otherwise its activity', async () => {
    const { host, client, chat, call } = await inTurn();
    const status = async () => (await chatOf(client, chat)).status;
    expect(await status()).toBe(SessionStatus.InProgress);
    const handle = call('c1');
    void handle.confirm(READY);
    await host.run();
    expect(await status()).toBe(SessionStatus.InputNeeded);
    await client.act(chat, approved('t1', 'c1'));
    expect(await status()).toBe(SessionStatus.InProgress);
    void handle.complete(DONE, { requiresResultConfirmation: true });
    await host.run();
    expect(await status()).toBe(SessionStatus.InputNeeded);
    await client.act(chat, resultJudged('t1', 'c1', true));
    expect(await status()).toBe(SessionStatus.InProgress);
    host.agent.turn.fail(new Error('x'));
    await host.run();
    expect(await status()).toBe(SessionStatus.Error);
    await client.act(chat, turnStarted('t2'));
    expect(await status()).toBe(SessionStatus.InProgress);
  });

  test('[CHAT-20] a turn whose start is no time is rejected', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    for (const startedAt of ['soon', '', 'Nov 3 2026', '2026-13-01T00:00:00.000Z']) {
      const answer = await client.act(chat, { ...turnStarted('t1'), startedAt });
      expect(answer?.rejectionReason).toMatch(/^invalidTime: /);
    }
    const offset = '2026-06-01T02:00:00+02:00';
    expect(
      (await client.act(chat, { ...turnStarted('t1'), startedAt: offset }))?.rejectionReason,
    ).toBeUndefined();
  });

  test('[CHAT-23] a turn that has not failed with a resumable error is not resumed', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    const answer = await client.act(chat, { type: 'chat/turnResume', turnId: 't1' });
    expect(answer?.rejectionReason).toMatch(/^notResumable: /);
  });

  test('[CHAT-21] modifiedAt is the start that a turn states, then its end by the host’s clock, and nothing between', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    const modified = async () => (await chatOf(client, chat)).modifiedAt;
    await host.advance(1_000);
    const startedAt = new Date(host.clock.now() - 300).toISOString();
    await client.act(chat, { ...turnStarted('t1'), startedAt });
    expect(await modified()).toBe(startedAt);
    await host.advance(1_000);
    await host.agent.turn.output.markdown('x');
    await client.act(chat, { type: 'chat/draftChanged' });
    await host.run();
    expect(await modified()).toBe(startedAt);
    host.agent.turn.complete();
    await host.run();
    expect(await modified()).toBe(new Date(host.clock.now()).toISOString());
    expect((await chatOf(client, chat)).turns).toMatchObject([{ startedAt, duration: 1_300 }]);
  });
});
