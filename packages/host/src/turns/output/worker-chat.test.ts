import { type ChatState, errorOf, type SessionState, SessionStatus } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { SESSION } from '../../../test/host-fixture.ts';
import { chatOf, codeOf, DONE, inTurn, READY } from '../../../test/in-turn.ts';
import type { RawClient } from '../../../test/raw-client.ts';
import { AgentError } from '../../agents/errors.ts';

/** A turn with a running call that has spawned a worker. */
async function withWorker() {
  const at = await inTurn();
  const handle = at.call('c1');
  handle.run(READY);
  const worker = at.output.spawnChat({ toolCallId: 'c1', title: 'Look around', agentName: 'scout' });
  await at.host.run();
  return { ...at, handle, worker, block: blockOf(worker.uri) };
}

const blockOf = (resource: string) => ({
  type: 'subagent',
  resource,
  title: 'Look around',
  agentName: 'scout',
});

async function sessionOf(client: RawClient): Promise<SessionState> {
  const { state } = await client.subscribe(SESSION);
  if (!('activeClients' in state)) throw new Error('no session');
  return state;
}

const textOf = (state: ChatState): string =>
  [...state.turns, ...(state.activeTurn === undefined ? [] : [state.activeTurn])]
    .flatMap(({ responseParts }) => responseParts)
    .map((part) => (part.kind === 'markdown' ? part.content : ''))
    .join('');

describe('a worker chat', () => {
  it('[CHAT-2] is in the catalogue before the block that names it, and names its call in return', async () => {
    const { client, session, chat, worker, block, callOf } = await withWorker();
    const order = client
      .envelopes()
      .filter(({ action }) => ['session/chatAdded', 'chat/toolCallContentChanged'].includes(action.type));
    expect(order.map(({ channel }) => channel)).toStrictEqual([session, chat]);
    const origin = { kind: 'tool', chat, toolCallId: 'c1' };
    const entry = { resource: worker.uri, title: 'Look around', origin, interactivity: 'read-only' };
    expect((await sessionOf(client)).chats.at(-1)).toMatchObject(entry);
    expect(await chatOf(client, worker.uri)).toMatchObject({
      ...entry,
      status: SessionStatus.Idle,
      turns: [],
    });
    expect(await callOf('c1')).toMatchObject({ content: [block] });
  });

  it.each([{ type: 'chat/truncated' }, { type: 'chat/turnCancelled', turnId: 't1', duration: 0 }])(
    '[CHAT-2] begins no turn between the end of its parent’s turn ($type) and the commit of that end',
    async (action) => {
      const { host, client, chat, worker } = await withWorker();
      const committing = Promise.withResolvers<void>();
      host.journal.gates.beforeCommit = () => committing.promise;
      client.dispatch(chat, action);
      await host.run();
      const turn = worker.turn('late');
      host.journal.gates.beforeCommit = undefined;
      committing.resolve();
      await host.run();
      expect((await chatOf(client, worker.uri)).activeTurn).toBeUndefined();
      expect(turn.signal.aborted).toBe(true);
    },
  );

  it('[CHAT-2] stays in its call, whatever that shows, and in its result', async () => {
    const { host, client, worker, chat, handle, block, callOf } = await withWorker();
    const text = { type: 'text' as const, text: 'half way' };
    handle.content([text]);
    expect(await callOf('c1')).toMatchObject({ content: [block, text] });
    // New fields remove the content.
    handle.run({ invocationMessage: 'does it differently' });
    expect(await callOf('c1')).toMatchObject({ content: [block] });
    const again = handle.confirm(READY);
    await host.run();
    await client.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: 'c1',
      approved: true,
      confirmed: 'user-action',
    });
    await again;
    expect(await callOf('c1')).toMatchObject({ status: 'running', content: [block] });
    await handle.complete({ ...DONE, content: [{ ...block, type: 'subagent' }, text] });
    expect(await callOf('c1')).toMatchObject({ status: 'completed', content: [block, text] });
    expect(worker.uri).toMatch(/^ahp-chat:\//);
  });

  it('[CHAT-2] of a call that does not run yet is named when the call runs', async () => {
    const { output, call, callOf } = await inTurn();
    const handle = call('c1');
    const worker = output.spawnChat({ toolCallId: 'c1', title: 'Look around', agentName: 'scout' });
    expect(await callOf('c1')).toMatchObject({ status: 'streaming' });
    handle.run(READY);
    expect(await callOf('c1')).toMatchObject({ content: [blockOf(worker.uri)] });
  });

  it('[CHAT-2] takes turns of its own, with text, calls and files, while its parent is silent', async () => {
    const { host, client, chat, worker } = await withWorker();
    const turn = worker.turn('look into src');
    await turn.output.markdown('Looking ');
    await turn.output.markdown('around.');
    const call = turn.output.toolCall({ toolCallId: 'w1', toolName: 'read', displayName: 'Read' });
    call.run(READY);
    await call.complete({ ...DONE, content: [{ type: 'text', text: 'x'.repeat(300 * 1024) }] });
    turn.output.usage({ inputTokens: 3 });
    turn.end();
    await host.run();
    const state = await chatOf(client, worker.uri);
    expect(state.turns).toMatchObject([
      {
        state: 'complete',
        message: { text: 'look into src', origin: { kind: 'agent' } },
        usage: { inputTokens: 3 },
      },
    ]);
    expect(textOf(state)).toBe('Looking around.');
    expect(textOf(await chatOf(client, chat))).toBe('');
    const [, part] = state.turns[0]?.responseParts ?? [];
    const content = part?.kind === 'toolCall' && 'content' in part.toolCall ? part.toolCall.content : [];
    const ref = content?.find((block) => block.type === 'resource');
    const read = await client.request('resourceRead', { channel: 'ahp-root://', uri: ref?.uri ?? '' });
    expect(read).toMatchObject({ data: 'x'.repeat(300 * 1024) });
    // The agent does not get it as a turn.
    expect(host.agent.turns).toHaveLength(1);
    worker.turn('and into test').end(new AgentError('lost', 'lost its way'));
    await host.run();
    expect((await chatOf(client, worker.uri)).turns.at(-1)).toMatchObject({
      state: 'error',
      responseParts: [{ kind: 'error', error: { errorType: 'lost', message: 'lost its way' } }],
    });
    expect((await chatOf(client, chat)).activeTurn?.id).toBe('t1');
  });

  it('[CHAT-2] is read-only: user turns, pending messages and truncation are rejected', async () => {
    const { client, worker } = await withWorker();
    const message = { text: 'hello', origin: { kind: 'user' } };
    for (const action of [
      turnStarted('mine'),
      { type: 'chat/pendingMessageSet', kind: 'queued', id: 'm', message },
      { type: 'chat/pendingMessageSet', kind: 'steering', id: 'm', message },
      { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'm' },
      { type: 'chat/queuedMessagesReordered', order: ['m'] },
      { type: 'chat/truncated' },
    ]) {
      expect(codeOf(await client.act(worker.uri, action)), action.type).toBe('notInteractive');
    }
  });

  it('[CHAT-2] [SESS-7] asks on its own channel, shows in the session, and gets the answer', async () => {
    const { host, client, chat, worker } = await withWorker();
    const turn = worker.turn('look');
    const call = turn.output.toolCall({ toolCallId: 'c1', toolName: 'x', displayName: 'X' });
    const answer = call.confirm(READY);
    await host.run();
    const session = await sessionOf(client);
    expect(session.inputNeeded).toMatchObject([
      { kind: 'toolConfirmation', chat: worker.uri, toolCall: { toolCallId: 'c1' } },
    ]);
    expect(session.status & SessionStatus.InputNeeded).toBe(SessionStatus.InputNeeded);
    const { activeTurn } = await chatOf(client, worker.uri);
    // The answer comes from a client without a subscription to the worker's chat.
    const other = await host.client();
    await other.act(worker.uri, {
      type: 'chat/toolCallConfirmed',
      turnId: activeTurn?.id,
      toolCallId: 'c1',
      approved: true,
      confirmed: 'user-action',
    });
    expect(await answer).toMatchObject({ approved: true });
    const completed = call.complete(DONE, { requiresResultConfirmation: true });
    await host.run();
    await other.act(worker.uri, {
      type: 'chat/toolCallResultConfirmed',
      turnId: activeTurn?.id,
      toolCallId: 'c1',
      approved: false,
    });
    expect(await completed).toStrictEqual({ approved: false });
    const asked = turn.output.ask({ requestId: 'q', message: 'Go on?' });
    await host.run();
    expect((await sessionOf(client)).inputNeeded).toMatchObject([{ kind: 'chatInput', chat: worker.uri }]);
    await other.act(worker.uri, {
      type: 'chat/inputCompleted',
      requestId: 'q',
      response: 'accept',
      answers: {},
    });
    expect(await asked).toMatchObject({ response: 'accept' });
    expect((await sessionOf(client)).inputNeeded ?? []).toStrictEqual([]);
    expect((await chatOf(client, chat)).activeTurn?.responseParts).toHaveLength(1);
  });

  it('[CHAT-2] slows its provider while the journal is down', async () => {
    const { host, worker } = await withWorker();
    const turn = worker.turn('look');
    await host.run();
    host.journal.failNextCommits();
    let said = 0;
    const talk = (async () => {
      for (; said < 5_000; said += 1) await turn.output.markdown('x');
    })();
    await host.run();
    expect(said).toBeLessThan(1_000);
    await host.advance(1_000);
    await talk;
    expect(said).toBe(5_000);
  });

  it('[CHAT-2] may spawn workers of its own, which all end with the first worker', async () => {
    const { host, client, chat, worker } = await withWorker();
    const turn = worker.turn('look');
    turn.output.toolCall({ toolCallId: 'n1', toolName: 'x', displayName: 'X' }).run(READY);
    const nested = turn.output.spawnChat({ toolCallId: 'n1', title: 'Deeper' });
    const deep = nested.turn('look closer');
    await host.run();
    const origin = { kind: 'tool', chat: worker.uri, toolCallId: 'n1' };
    expect((await sessionOf(client)).chats.at(-1)).toMatchObject({ resource: nested.uri, origin });
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 0 });
    await host.run();
    for (const uri of [worker.uri, nested.uri])
      expect((await chatOf(client, uri)).turns).toMatchObject([{ state: 'cancelled' }]);
    expect([turn.signal.aborted, deep.signal.aborted]).toStrictEqual([true, true]);
  });

  it('[CHAT-2] gets the cancel of its turn by a person, and continues with another turn', async () => {
    const { host, client, chat, worker } = await withWorker();
    const turn = worker.turn('look');
    const asked = turn.output.toolCall({ toolCallId: 'x', toolName: 'x', displayName: 'X' }).confirm(READY);
    await host.run();
    const { activeTurn } = await chatOf(client, worker.uri);
    await client.act(worker.uri, { type: 'chat/turnCancelled', turnId: activeTurn?.id, duration: 0 });
    expect(await asked).toStrictEqual({ approved: false, reason: 'skipped' });
    expect(turn.signal.aborted).toBe(true);
    await turn.output.markdown('too late');
    const next = worker.turn('look elsewhere');
    await next.output.markdown('found');
    next.end();
    await host.run();
    const state = await chatOf(client, worker.uri);
    expect(state.turns.map((each) => each.state)).toStrictEqual(['cancelled', 'complete']);
    expect(textOf(state)).toBe('found');
    expect(next.signal.aborted).toBe(false);
    expect((await chatOf(client, chat)).activeTurn?.id).toBe('t1');
  });

  it('[CHAT-2] completes its open turn when it begins another one', async () => {
    const { host, client, worker } = await withWorker();
    const first = worker.turn('one');
    const second = worker.turn('two');
    await first.output.markdown('late');
    await second.output.markdown('in time');
    first.end();
    await host.run();
    const state = await chatOf(client, worker.uri);
    expect(state.turns).toMatchObject([{ state: 'complete', message: { text: 'one' } }]);
    expect(state.activeTurn?.message.text).toBe('two');
    expect(textOf(state)).toBe('in time');
  });

  it('needs a call of the running turn', async () => {
    const { output } = await inTurn();
    expect(() => output.spawnChat({ toolCallId: 'none', title: 'Lost' })).toThrow(/no tool call none/);
  });

  it('is refused when the session has 500 worker chats', async () => {
    const { host, client, output, call } = await inTurn();
    call('c1').run(READY);
    for (let index = 0; index < 500; index += 1) output.spawnChat({ toolCallId: 'c1', title: `${index}` });
    await host.run();
    expect(() => output.spawnChat({ toolCallId: 'c1', title: 'one more' })).toThrow(/500 worker chats/);
    expect((await sessionOf(client)).chats).toHaveLength(501);
  });
});

describe('the end of the turn that spawned a worker', () => {
  type At = Awaited<ReturnType<typeof withWorker>>;
  const ends: [string, string, (at: At) => Promise<unknown> | void][] = [
    ['its completion', 'complete', ({ host }) => host.agent.turn.complete()],
    ['its failure', 'error', ({ host }) => host.agent.turn.fail(new AgentError('broken', 'broke'))],
    [
      'a cancel',
      'cancelled',
      ({ client, chat }) => client.act(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 0 }),
    ],
    ['the exit of the agent', 'error', ({ host }) => host.agent.opened[0]?.host.exited('killed')],
    ['a truncation', 'cancelled', ({ client, chat }) => client.act(chat, { type: 'chat/truncated' })],
  ];

  it.each(ends)('[CHAT-2] [CHAT-5] by %s ends the worker: %s', async (_, state, end) => {
    const at = await withWorker();
    const turn = at.worker.turn('look');
    await turn.output.markdown('so far');
    const asked = turn.output.toolCall({ toolCallId: 'x', toolName: 'x', displayName: 'X' }).confirm(READY);
    await at.host.run();
    await end(at);
    await at.host.run();
    expect(await asked).toStrictEqual({ approved: false, reason: 'skipped' });
    expect(turn.signal.aborted).toBe(true);
    const worker = await chatOf(at.client, at.worker.uri);
    expect(worker.turns).toMatchObject([{ state }]);
    const [parent] = (await chatOf(at.client, at.chat)).turns;
    expect(worker.turns.map(errorOf)).toStrictEqual([parent && errorOf(parent)]);
    expect(textOf(worker)).toBe('so far');
    expect((await sessionOf(at.client)).inputNeeded ?? []).toStrictEqual([]);
    // Later output has no effect.
    await turn.output.markdown('more');
    turn.end();
    const late = at.worker.turn('again');
    await at.host.run();
    expect(late.signal.aborted).toBe(true);
    expect((await chatOf(at.client, at.worker.uri)).turns).toHaveLength(1);
  });

  it('[CHAT-1] [CHAT-2] by disposal of its chat cancels the worker, whose chat stays', async () => {
    const { host, client, chat, worker } = await withWorker();
    await client.request('createChat', { channel: SESSION, chat: 'ahp-chat:/other' });
    const turn = worker.turn('look');
    await turn.output.markdown('so far');
    await client.request('disposeChat', { channel: chat });
    await host.run();
    expect(turn.signal.aborted).toBe(true);
    expect((await sessionOf(client)).chats.map(({ resource }) => resource)).toStrictEqual([
      worker.uri,
      'ahp-chat:/other',
    ]);
    const state = await chatOf(client, worker.uri);
    expect(state.turns).toMatchObject([{ state: 'cancelled' }]);
    expect(state.origin).toStrictEqual({ kind: 'tool', chat, toolCallId: 'c1' });
    await host.restart();
    expect(textOf(await chatOf(await host.client(), worker.uri))).toBe('so far');
  });

  it('[CHAT-2] [SESS-3] by disposal of the session removes the worker', async () => {
    const { host, client, worker } = await withWorker();
    const turn = worker.turn('look');
    await client.subscribe(worker.uri);
    await client.request('disposeSession', { channel: SESSION });
    await host.run();
    expect(client.types(worker.uri).at(-1)).toBe('chat/turnCancelled');
    expect(turn.signal.aborted).toBe(true);
    await expect(client.subscribe(worker.uri)).rejects.toMatchObject({ code: -32008 });
  });

  it('[CHAT-2] [CONN-8] by a kill of the host ends the worker at the next start', async () => {
    const { host, worker, chat } = await withWorker();
    const turn = worker.turn('look');
    await turn.output.markdown('so far');
    await host.run();
    await host.restart();
    const client = await host.client();
    for (const uri of [chat, worker.uri]) {
      expect((await chatOf(client, uri)).turns).toMatchObject([{ state: 'error' }]);
      const [turn] = (await chatOf(client, uri)).turns;
      expect(turn?.responseParts.at(-1)).toMatchObject({ error: { errorType: 'hostRestarted' } });
    }
    expect(textOf(await chatOf(client, worker.uri))).toBe('so far');
  });

  it('[CHAT-2] by a stop of the host ends the worker first', async () => {
    const { host, client, worker } = await withWorker();
    await client.subscribe(worker.uri);
    const turn = worker.turn('look');
    await host.stop();
    expect(turn.signal.aborted).toBe(true);
    expect(client.envelopes(worker.uri).at(-1)?.action).toMatchObject({
      type: 'chat/error',
      part: { error: { errorType: 'hostRestarted' } },
    });
  });

  it('[CHAT-2] that could not be journaled leaves the worker running', async () => {
    const { host, client, chat, worker } = await withWorker();
    const turn = worker.turn('look');
    await host.run();
    host.journal.failNextCommits();
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 0 });
    await host.advance(1_000);
    expect(turn.signal.aborted).toBe(false);
    await turn.output.markdown('still here');
    turn.end();
    await host.run();
    expect(textOf(await chatOf(client, worker.uri))).toBe('still here');
  });

  it('[CHAT-2] and disposal of the worker alone: its turn ends, the parent goes on', async () => {
    const { host, client, chat, worker } = await withWorker();
    const turn = worker.turn('look');
    await host.run();
    await client.request('disposeChat', { channel: worker.uri });
    await host.run();
    expect(turn.signal.aborted).toBe(true);
    expect((await chatOf(client, chat)).activeTurn?.id).toBe('t1');
    const again = worker.turn('again');
    await host.run();
    expect(again.signal.aborted).toBe(true);
    await expect(client.subscribe(worker.uri)).rejects.toMatchObject({ code: -32008 });
  });
});

it('[CHAT-2] [CHAT-5] a worker chat keeps its turns when it is unloaded between them', async () => {
  const { host, client, worker } = await withWorker();
  const first = worker.turn('one');
  await first.output.markdown('first ');
  first.end();
  await host.advance(180_000);
  const second = worker.turn('two');
  await second.output.markdown('second');
  second.end();
  await host.run();
  expect(textOf(await chatOf(client, worker.uri))).toBe('first second');
});

it('[SESS-11] a worker names neither its session nor its chat', async () => {
  const { host, client, session, output, call } = await inTurn();
  await client.act(session, { type: 'session/titleChanged', title: '' });
  call('c1').run(READY);
  const worker = output.spawnChat({ toolCallId: 'c1', title: 'Mine' });
  worker.turn('look for the needle');
  await host.run();
  const state = await sessionOf(client);
  expect(state.title).toBe('');
  expect(state.chats.at(-1)?.title).toBe('Mine');
});
