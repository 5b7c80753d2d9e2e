import { approved, denied, openCalls, resultJudged, turnCancelled, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type HostFixture, ROOT } from './host-fixture.ts';
import { chatOf, codeOf, DONE, inTurn, READY } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

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

  test('[CHAT-7] denied: cancelled, and the agent gets the reason', async () => {
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

  test('[CHAT-7] the host may complete a call that still waits for approval, which is then recorded as not needed', async () => {
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

  test('[CHAT-8] an answer that does not fit the call’s state is rejected: the first answer wins', async () => {
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

  test('[CHAT-8] edited input needs an editable call, an option must exist and agree with the answer', async () => {
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

  test('[RES-1] long tool output is behind a content URI, with its head and tail in state; the whole survives a restart', async () => {
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

test('a provider’s memory is restored with the chat, after a restart too', async () => {
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
