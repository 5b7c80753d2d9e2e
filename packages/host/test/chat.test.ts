import { type ChatState, SessionStatus, type ToolCallState } from '@agenthost/protocol';
import {
  approved,
  denied,
  markdownOf,
  openCalls,
  resultJudged,
  turnCancelled,
  turnStarted,
} from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const codeOf = (echo: { rejectionReason?: string } | undefined): string | undefined =>
  echo?.rejectionReason?.split(':')[0];

async function chatOf(client: RawClient, uri: string): Promise<ChatState> {
  const { state } = await client.subscribe(uri);
  if (!('turns' in state)) throw new Error(`${uri} is no chat`);
  return state;
}

/** A host with a session whose agent is in the middle of turn `t1`. */
async function inTurn() {
  const host = await startHost();
  const client = await host.client();
  const { session, chat } = await host.session(client);
  await client.act(chat, turnStarted('t1'));
  await host.run();
  const { output } = host.agent.turn;
  const callOf = async (id: string): Promise<ToolCallState | undefined> => {
    await host.run();
    const state = await chatOf(client, chat);
    const parts = [
      ...state.turns.flatMap((turn) => turn.responseParts),
      ...(state.activeTurn?.responseParts ?? []),
    ];
    return parts
      .flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []))
      .find(({ toolCallId }) => toolCallId === id);
  };
  const call = (toolCallId: string) => output.toolCall({ toolCallId, toolName: 'tool', displayName: 'Tool' });
  return { host, client, session, chat, output, call, callOf };
}

const READY = { invocationMessage: 'does it', toolInput: '{"a":1}' };
const DONE = { success: true, pastTenseMessage: 'did it' };

describe('chats', () => {
  test('[CHAT-1] [CHAT-2] createChat refuses what it must, and a new chat is in the catalogue before the answer', async () => {
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

  test('[CHAT-1] an agent without multipleChats takes one chat a session', async () => {
    const host = await startHost();
    host.agent.capabilities = {};
    const client = await host.client();
    const { session } = await host.session(client);
    await expect(
      client.request('createChat', { channel: session, chat: 'ahp-chat:/two' }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test('[CHAT-1] disposeChat ends its turn and takes it out; the default moves on, and the last one stays', async () => {
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

  test('[CHAT-2] on a chat that is read-only, turns, messages and truncation are rejected; answers are not', async () => {
    const { host, client, session, chat, call, callOf } = await inTurn();
    const answer = call('c1').confirm(READY);
    await host.run();
    const { sync } = host.host.core;
    sync.path.transact('host', () => {
      const channel = sync.registry.getOf('session', session);
      if (channel !== undefined)
        sync.emit(channel, { type: 'session/chatUpdated', chat, changes: { interactivity: 'read-only' } });
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
  test('[CHAT-3] a second turn, a known id and a message that is no user’s are rejected, across a restart too', async () => {
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

  test('[CHAT-3] of two clients that start a turn at once the first wins, and the second is told why', async () => {
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

  test('[CHAT-5] a turn ends complete, cancelled or in error, and what a provider left open is closed', async () => {
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
      turns: [{ state: 'error', error: { errorType: 'agentError', message: 'broken' } }],
    });
  });

  test('[CHAT-5] an agent that has gone ends its turn with agentExited, and the next turn opens another one', async () => {
    const { host, client, chat } = await inTurn();
    host.agent.opened[0]?.host.exited('killed by signal 9');
    await host.run();
    expect((await chatOf(client, chat)).turns).toMatchObject([
      { state: 'error', error: { errorType: 'agentExited', message: 'killed by signal 9' } },
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

  test('[CHAT-5] an agent that ignores the cancel for 10 s is ended, and the next turn goes on with another', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, turnCancelled('t1'));
    await client.act(chat, turnStarted('t2'));
    await host.advance(9_900);
    expect([host.agent.terminateCount, host.agent.turns.length]).toEqual([0, 1]);
    await host.advance(200);
    expect(host.agent.terminateCount).toBe(1);
  });

  test('[CHAT-5] after an ignored cancel the turn that waits is given to a new agent session', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, turnCancelled('t1'));
    await client.act(chat, turnStarted('t2'));
    await host.advance(11_000);
    expect(host.agent.turns.map(({ input }) => input.turnId)).toEqual(['t1', 't2']);
    expect(host.agent.opened).toHaveLength(2);
  });

  test('[CHAT-10] a chat’s status is what it waits for, else what it does', async () => {
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

  test('[CHAT-18] modifiedAt follows the time stamps of what begins and ends turns, and of nothing between', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    const modified = async () => Date.parse((await chatOf(client, chat)).modifiedAt);
    await host.advance(1_000);
    const started = await client.act(chat, turnStarted('t1'));
    expect(await modified()).toBe(started?.['x-time']);
    await host.advance(1_000);
    await host.agent.turn.output.markdown('x');
    await client.act(chat, { type: 'chat/draftChanged' });
    await host.run();
    expect(await modified()).toBe(started?.['x-time']);
    host.agent.turn.complete();
    await host.run();
    expect(await modified()).toBe(host.clock.now());
  });
});

describe('tool calls', () => {
  test('[CHAT-7] streaming, asked, approved with edited input and an option, running, completed', async () => {
    const { host, client, chat, call, callOf } = await inTurn();
    const handle = call('c1');
    await handle.input('{"a"', 'thinking of it');
    await handle.input(':1}');
    expect(await callOf('c1')).toMatchObject({
      status: 'streaming',
      partialInput: '{"a":1}',
      invocationMessage: 'thinking of it',
    });
    const options = [
      { id: 'yes', label: 'Yes', kind: 'approve' as const },
      { id: 'no', label: 'No', kind: 'deny' as const },
    ];
    const answer = handle.confirm({ ...READY, editable: true, options });
    expect(await callOf('c1')).toMatchObject({ status: 'pending-confirmation', editable: true, options });
    await client.act(chat, approved('t1', 'c1', { editedToolInput: '{"a":2}', selectedOptionId: 'yes' }));
    expect(await answer).toEqual({ approved: true, toolInput: '{"a":2}', selectedOption: options[0] });
    expect(await callOf('c1')).toMatchObject({
      status: 'running',
      toolInput: '{"a":2}',
      confirmed: 'user-action',
      selectedOption: options[0],
    });
    handle.content([{ type: 'text', text: 'half' }]);
    expect(await callOf('c1')).toMatchObject({ content: [{ type: 'text', text: 'half' }] });
    await handle.complete(DONE);
    expect(await callOf('c1')).toMatchObject({
      status: 'completed',
      success: true,
      selectedOption: options[0],
    });
    host.agent.turn.complete();
  });

  test('[CHAT-7] denied: cancelled, and the agent hears why', async () => {
    const { host, client, chat, call, callOf } = await inTurn();
    const answer = call('c1').confirm(READY);
    await host.run();
    await client.act(chat, { ...denied('t1', 'c1'), reasonMessage: 'not now' });
    expect(await answer).toEqual({ approved: false, reason: 'denied', message: 'not now' });
    expect(await callOf('c1')).toMatchObject({
      status: 'cancelled',
      reason: 'denied',
      reasonMessage: 'not now',
    });
  });

  test('[CHAT-7] without a question: running by not-needed; asked again while it runs; fields replaced', async () => {
    const { host, client, chat, call, callOf } = await inTurn();
    const handle = call('c1');
    handle.run(READY);
    expect(await callOf('c1')).toMatchObject({ status: 'running', confirmed: 'not-needed' });
    handle.run({ invocationMessage: 'does more' });
    expect(await callOf('c1')).toMatchObject({ status: 'running', invocationMessage: 'does more' });
    const again = handle.confirm({ invocationMessage: 'and this?' });
    expect(await callOf('c1')).toMatchObject({
      status: 'pending-confirmation',
      invocationMessage: 'and this?',
    });
    await client.act(chat, approved('t1', 'c1'));
    expect(await again).toMatchObject({ approved: true });
    await host.run();
    expect((await callOf('c1'))?.status).toBe('running');
  });

  test('[CHAT-7] the host may complete a call that is still asked for, and recorded as not needed', async () => {
    const { host, call, callOf } = await inTurn();
    const handle = call('c1');
    void handle.confirm(READY);
    await host.run();
    await handle.complete(DONE);
    expect(await callOf('c1')).toMatchObject({ status: 'completed', confirmed: 'not-needed' });
  });

  test.each([
    [true, 'completed'],
    [false, 'cancelled'],
  ])('[CHAT-7] a result that waits for approval, judged %s, is %s', async (isApproved, status) => {
    const { client, chat, call, callOf } = await inTurn();
    const handle = call('c1');
    handle.run(READY);
    const judged = handle.complete(DONE, { requiresResultConfirmation: true });
    expect((await callOf('c1'))?.status).toBe('pending-result-confirmation');
    await client.act(chat, resultJudged('t1', 'c1', isApproved));
    expect(await judged).toEqual({ approved: isApproved });
    const call1 = await callOf('c1');
    expect(call1?.status).toBe(status);
    if (call1?.status === 'cancelled') expect(call1.reason).toBe('result-denied');
  });

  test('[CHAT-8] an answer that the call’s state does not take is rejected: the first answer wins', async () => {
    const { host, client, chat, call } = await inTurn();
    const other = await host.client();
    const handle = call('c1');
    await handle.input('x');
    expect(codeOf(await client.act(chat, approved('t1', 'c1')))).toBe('wrongState');
    void handle.confirm(READY);
    await host.run();
    expect(codeOf(await client.act(chat, approved('t1', 'none')))).toBe('noSuchToolCall');
    expect(codeOf(await client.act(chat, approved('t0', 'c1')))).toBe('noSuchTurn');
    expect(codeOf(await client.act(chat, resultJudged('t1', 'c1', true)))).toBe('wrongState');
    const [first, second] = [
      client.dispatch(chat, approved('t1', 'c1')),
      other.dispatch(chat, denied('t1', 'c1')),
    ];
    await host.run();
    expect([codeOf(client.echoOf(first)), codeOf(other.echoOf(second))]).toEqual([undefined, 'wrongState']);
    expect(openCalls(await chatOf(client, chat)).map(({ status }) => status)).toEqual(['running']);
  });

  test('[CHAT-8] edited input needs an editable call, an option must exist and mean what the answer says', async () => {
    const { host, client, chat, call } = await inTurn();
    void call('plain').confirm(READY);
    void call('choice').confirm({
      ...READY,
      editable: true,
      options: [{ id: 'no', label: 'No', kind: 'deny' }],
    });
    await host.run();
    const refused = [
      [approved('t1', 'plain', { editedToolInput: 'x' }), 'notEditable'],
      [approved('t1', 'choice', { selectedOptionId: 'maybe' }), 'unknownOption'],
      [approved('t1', 'choice', { selectedOptionId: 'no' }), 'contradiction'],
      [denied('t1', 'plain', { selectedOptionId: 'no' }), 'unknownOption'],
    ] as const;
    for (const [action, code] of refused) expect(codeOf(await client.act(chat, action))).toBe(code);
    expect(
      codeOf(await client.act(chat, denied('t1', 'choice', { selectedOptionId: 'no' }))),
    ).toBeUndefined();
  });

  test('[CHAT-8] only the client that contributes a tool completes it, and only while it runs', async () => {
    const { host, client, chat, output, callOf } = await inTurn();
    const owner = await host.client('owner');
    const handle = output.toolCall({
      toolCallId: 'c1',
      toolName: 'theirs',
      displayName: 'Theirs',
      contributor: { kind: 'client', clientId: 'owner' },
    });
    await host.run();
    const complete = { type: 'chat/toolCallComplete', turnId: 't1', toolCallId: 'c1', result: DONE };
    const content = { type: 'chat/toolCallContentChanged', turnId: 't1', toolCallId: 'c1', content: [] };
    expect(codeOf(await owner.act(chat, complete))).toBe('wrongState');
    handle.run(READY);
    await host.run();
    expect(codeOf(await client.act(chat, complete))).toBe('notContributor');
    expect(codeOf(await client.act(chat, content))).toBe('notContributor');
    expect(codeOf(await owner.act(chat, content))).toBeUndefined();
    expect(codeOf(await owner.act(chat, complete))).toBeUndefined();
    expect((await callOf('c1'))?.status).toBe('completed');
  });

  test('[RES-1] long tool output is behind a content URI, its head and tail in state; the whole survives a restart', async () => {
    const { host, call, callOf } = await inTurn();
    const text = `head ${'x'.repeat(300 * 1024)} tail`;
    const handle = call('c1');
    handle.run(READY);
    await handle.complete({ ...DONE, content: [{ type: 'text', text }] });
    const done = await callOf('c1');
    const content = done?.status === 'completed' ? (done.content ?? []) : [];
    expect(content.map(({ type }) => type)).toEqual(['text', 'resource', 'text']);
    const [head, whole, tail] = content;
    expect(head?.type === 'text' && head.text.startsWith('head ')).toBe(true);
    expect(tail?.type === 'text' && tail.text.endsWith(' tail')).toBe(true);
    const uri = whole?.type === 'resource' ? whole.uri : '';
    await host.restart();
    const again = await host.client();
    const read = await again.request('resourceRead', { channel: ROOT, uri });
    expect([read.data === text, read.encoding]).toEqual([true, 'utf-8']);
    const unknown = again.request('resourceRead', { channel: ROOT, uri: `${uri}x` });
    await expect(unknown).rejects.toMatchObject({ code: -32006 });
  });
});

test('a provider’s memory comes back with the chat, after a restart too', async () => {
  const { host, client, chat } = await inTurn();
  host.agent.opened[0]?.host.saveMemory({ conversation: 7 });
  host.agent.turn.complete();
  await host.run();
  await host.restart();
  const again = await host.client();
  await again.act(chat, turnStarted('t2'));
  await host.run();
  expect(host.agent.opened.at(-1)?.memory).toEqual({ conversation: 7 });
  const history = await host.agent.opened.at(-1)?.history();
  expect(history?.map(({ id }) => id)).toEqual(['t1']);
  expect(client.closed?.code).toBe(1006);
});

test('[CHAT-12] queued messages run first in, first out, when a turn completes; a cancel starts none', async () => {
  const { host, client, chat } = await inTurn();
  const queue = (id: string) => ({
    type: 'chat/pendingMessageSet',
    kind: 'queued',
    id,
    message: { text: id, origin: { kind: 'user' } },
  });
  for (const id of ['q1', 'q2', 'q3']) await client.act(chat, queue(id));
  client.clear();
  host.agent.turn.complete();
  await host.run();
  const types = client.types(chat);
  const at = types.indexOf('chat/turnComplete');
  expect(types.slice(at, at + 3)).toEqual([
    'chat/turnComplete',
    'chat/pendingMessageRemoved',
    'chat/turnStarted',
  ]);
  expect(host.agent.turn.input.message.text).toBe('q1');
  await cancel(host, client, chat);
  await host.advance(1_000);
  const state = await chatOf(client, chat);
  expect([state.activeTurn, state.queuedMessages?.map(({ id }) => id)]).toEqual([undefined, ['q2', 'q3']]);
  await client.act(chat, { type: 'chat/queuedMessagesReordered', order: ['q3'] });
  await host.run();
  expect((await chatOf(client, chat)).activeTurn?.message.text).toBe('q3');
});

async function cancel(host: HostFixture, client: RawClient, chat: string): Promise<void> {
  await client.act(chat, turnCancelled(host.agent.turn.input.turnId));
  host.agent.turn.complete();
  await host.run();
}
