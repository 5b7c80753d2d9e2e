import type { ToolCallResult, ToolDefinition } from '@agenthost/protocol';
import { approved, denied, resultJudged, turnCancelled, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type FixtureOptions, SESSION, startHost } from './host-fixture.ts';
import { chatOf, codeOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

const LOOK: ToolDefinition = { name: 'look', title: 'Look around' };
const SEEN: ToolCallResult = {
  success: true,
  pastTenseMessage: 'Looked around',
  content: [{ type: 'text', text: 'a window' }],
};

/** A turn `t1` whose agent may call a tool that client `tv` offers, while `watch` is subscribed. */
async function offered({ tool = LOOK, ...options }: FixtureOptions & { tool?: ToolDefinition } = {}) {
  const host = await startHost(options);
  const watch = await host.client('watch');
  const { session, chat } = await host.session(watch);
  const tv = await host.client('tv');
  await tv.subscribe(session);
  const activeClient = { clientId: 'tv', displayName: 'the TV', tools: [tool] };
  await tv.act(session, { type: 'session/activeClientSet', activeClient });
  await watch.act(chat, turnStarted('t1'));
  await host.run();
  const { output } = host.agent.turn;
  let settled: ToolCallResult | undefined;
  const call = async (
    toolCallId = 'c1',
    more: { clientId?: string; asksFirst?: boolean } = {},
    withdrawn?: AbortSignal,
  ) => {
    const given = { clientId: 'tv', toolName: tool.name, toolCallId, toolInput: '{"far":true}', ...more };
    void output.clientTool(given, withdrawn).then((result) => {
      settled = result;
    });
    await host.run();
  };
  const callOf = async (id = 'c1') => {
    const state = await chatOf(watch, chat);
    return [...state.turns, ...(state.activeTurn === undefined ? [] : [state.activeTurn])]
      .flatMap(({ responseParts }) => responseParts)
      .flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []))
      .find(({ toolCallId }) => toolCallId === id);
  };
  const complete = (result: ToolCallResult = SEEN, more: object = {}) => ({
    type: 'chat/toolCallComplete',
    turnId: 't1',
    toolCallId: 'c1',
    result,
    ...more,
  });
  return { host, watch, tv, session, chat, output, call, callOf, complete, result: () => settled };
}

async function inputNeeded(client: RawClient): Promise<unknown[]> {
  const { state } = await client.subscribe(SESSION);
  return 'activeClients' in state ? (state.inputNeeded ?? []) : [];
}

describe('client tools', () => {
  test('[CHAT-9] the host runs the call, its client completes it, and the agent gets the result', async () => {
    const { tv, chat, call, callOf, complete, result } = await offered();
    await call();
    expect(await callOf()).toMatchObject({
      status: 'running',
      confirmed: 'not-needed',
      contributor: { kind: 'client', clientId: 'tv' },
      displayName: 'Look around',
      invocationMessage: 'Run Look around on the TV',
      toolInput: '{"far":true}',
    });
    expect(result()).toBeUndefined();
    const content = [{ type: 'text' as const, text: 'looking' }];
    const target = { turnId: 't1', toolCallId: 'c1' };
    await tv.act(chat, { type: 'chat/toolCallContentChanged', ...target, content });
    expect(await callOf()).toMatchObject({ content });
    expect((await tv.act(chat, complete()))?.rejectionReason).toBeUndefined();
    expect(await callOf()).toMatchObject({ status: 'completed', ...SEEN });
    expect(result()).toEqual(SEEN);
  });

  test('[SESS-7] the call is an entry of inputNeeded while its client runs it', async () => {
    const { watch, tv, chat, call, complete } = await offered();
    await call();
    expect(await inputNeeded(watch)).toMatchObject([
      { kind: 'toolClientExecution', chat, turnId: 't1', clientId: 'tv', toolCall: { status: 'running' } },
    ]);
    // The protocol requires no subscription to the chat.
    await tv.act(chat, complete());
    expect(await inputNeeded(watch)).toEqual([]);
  });

  test('[CHAT-8] [CHAT-9] another client cannot answer, and no client can answer twice', async () => {
    const { watch, tv, chat, call, complete } = await offered();
    await call();
    expect(codeOf(await watch.act(chat, complete()))).toBe('notContributor');
    await tv.act(chat, complete());
    expect(codeOf(await tv.act(chat, complete()))).toBe('wrongState');
  });

  test('[CHAT-9] a call without an answer for 5 minutes fails, and a late answer is rejected', async () => {
    const { host, tv, chat, call, callOf, complete, result } = await offered();
    await call();
    await host.advance(299_000);
    expect(result()).toBeUndefined();
    await host.advance(2_000);
    const error = { code: 'clientTimeout', message: 'The client did not answer within 300 s' };
    expect(result()).toMatchObject({ success: false, error });
    expect(await callOf()).toMatchObject({ status: 'completed', success: false, error });
    expect(codeOf(await tv.act(chat, complete()))).toBe('wrongState');
  });

  test('[SESS-8] [CHAT-9] a call fails in the tick in which its client leaves', async () => {
    const { tv, session, call, callOf, result } = await offered();
    await call();
    await tv.act(session, { type: 'session/activeClientRemoved', clientId: 'tv' });
    expect(await callOf()).toMatchObject({ success: false, error: { code: 'clientGone' } });
    expect(result()).toMatchObject({ success: false, error: { code: 'clientGone' } });
  });

  test('[SESS-8] [CHAT-9] a call waits for a disconnected client as long as the grace period', async () => {
    const { host, watch, tv, chat, call, complete, result } = await offered();
    await call();
    tv.link.cut();
    await host.advance(20_000);
    const back = host.connect('tv');
    await back.reconnect(1, [SESSION]);
    await call('c2');
    await back.act(chat, complete());
    expect(result()).toEqual(SEEN);
    back.link.cut();
    await host.advance(31_000);
    expect(result()).toMatchObject({ success: false, error: { code: 'clientGone' } });
    expect(await inputNeeded(watch)).toEqual([]);
  });

  test.each([
    ['runs', {}],
    ['is asked about', { asksFirst: true }],
  ])('[CHAT-9] a call that %s ends for every client when the agent cancels it', async (_, more) => {
    const { host, watch, tv, chat, call, callOf, complete, result } = await offered();
    const calling = new AbortController();
    await call('c1', more, calling.signal);
    expect(result()).toBeUndefined();
    calling.abort();
    await host.run();
    expect(await callOf()).toMatchObject({ status: 'completed', error: { code: 'calledOff' } });
    expect(result()).toMatchObject({ success: false, error: { code: 'calledOff' } });
    expect(await inputNeeded(watch)).toEqual([]);
    expect(codeOf(await tv.act(chat, complete()))).toBe('wrongState');
    await call('c2', {}, calling.signal);
    expect(await callOf('c2')).toBeUndefined();
  });

  test('[CHAT-9] a client that denies its running call does not know the tool: the denial is rejected, and the call fails', async () => {
    const { watch, tv, chat, call, callOf, result } = await offered();
    await call();
    expect(codeOf(await watch.act(chat, denied('t1', 'c1')))).toBe('wrongState');
    expect(result()).toBeUndefined();
    expect(codeOf(await tv.act(chat, approved('t1', 'c1')))).toBe('wrongState');
    expect(result()).toBeUndefined();
    expect(codeOf(await tv.act(chat, denied('t1', 'c1')))).toBe('wrongState');
    expect(await callOf()).toMatchObject({ success: false, error: { code: 'unknownTool' } });
    expect(result()).toMatchObject({ success: false, error: { code: 'unknownTool' } });
  });

  test('[CHAT-9] a call of a tool without a client fails at once, visibly', async () => {
    const { call, callOf, result } = await offered();
    await call('c1', { clientId: 'fridge' });
    expect(result()).toMatchObject({ success: false, error: { code: 'notOffered' } });
    expect(await callOf()).toMatchObject({ status: 'completed', success: false });
  });

  test('[CHAT-9] a call of a destructive tool needs approval first', async () => {
    const tool = { ...LOOK, annotations: { destructiveHint: true } };
    const { host, watch, tv, chat, call, callOf, complete, result } = await offered({ tool });
    await call();
    expect(await callOf()).toMatchObject({ status: 'pending-confirmation' });
    // The time for an approval does not count for the client's time limit.
    await host.advance(600_000);
    await watch.act(chat, approved('t1', 'c1'));
    expect(await callOf()).toMatchObject({ status: 'running', confirmed: 'user-action' });
    await tv.act(chat, complete());
    expect(result()).toEqual(SEEN);
  });

  test('[CHAT-9] a denied call does not run, and a question ends when its client leaves', async () => {
    const { watch, tv, session, chat, call, callOf, result } = await offered();
    await call('c1', { asksFirst: true });
    await watch.act(chat, { ...denied('t1', 'c1'), reasonMessage: 'not here' });
    expect(result()).toMatchObject({
      success: false,
      error: { code: 'denied', message: 'It was denied: not here' },
    });
    await call('c2', { asksFirst: true });
    await tv.act(session, { type: 'session/activeClientRemoved', clientId: 'tv' });
    expect(await callOf('c2')).toMatchObject({ status: 'completed', error: { code: 'clientGone' } });
    expect(result()).toMatchObject({ error: { code: 'clientGone' } });
  });

  test.each([true, false])(
    '[CHAT-9] a result that needs confirmation waits for it, without a time limit: %s',
    async (isApproved) => {
      const { host, watch, tv, chat, call, complete, result } = await offered();
      await call();
      await tv.act(chat, complete(SEEN, { requiresResultConfirmation: true }));
      await host.advance(600_000);
      expect(result()).toBeUndefined();
      await watch.act(chat, resultJudged('t1', 'c1', isApproved));
      expect(result()).toMatchObject(isApproved ? SEEN : { success: false, error: { code: 'denied' } });
    },
  );

  test('[CHAT-5] [CHAT-9] the end of the turn ends the call', async () => {
    const { watch, chat, call, callOf, result } = await offered();
    await call();
    await watch.act(chat, turnCancelled('t1'));
    expect(await callOf()).toMatchObject({ status: 'cancelled', reason: 'skipped' });
    expect(result()).toMatchObject({ success: false, error: { code: 'turnEnded' } });
  });

  test('[CHAT-9] a result above 256 KiB is cut like a result of an agent, with the whole behind a content URI', async () => {
    const { watch, tv, chat, call, callOf, complete } = await offered();
    await call();
    const text = `${'a'.repeat(200_000)}${'b'.repeat(200_000)}`;
    const target = { turnId: 't1', toolCallId: 'c1' };
    const content = [{ type: 'text' as const, text }];
    await tv.act(chat, { type: 'chat/toolCallContentChanged', ...target, content });
    expect(JSON.stringify(await callOf()).length).toBeLessThan(100_000);
    await tv.act(chat, complete({ ...SEEN, content }));
    const done = await callOf();
    expect(JSON.stringify(done).length).toBeLessThan(100_000);
    const blocks = done?.status === 'completed' ? (done.content ?? []) : [];
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'resource', 'text']);
    const whole = blocks.find((block) => block.type === 'resource');
    const read = await watch.request('resourceRead', { channel: 'ahp-root://', uri: whole?.uri ?? '' });
    expect(read.data === text || Buffer.from(read.data, 'base64').toString() === text).toBe(true);
  });

  test('[CONN-8] [CHAT-9] a kill of the host ends the call with its turn', async () => {
    const { host, chat, call } = await offered();
    await call();
    await host.restart();
    const late = await host.client('late');
    const [turn] = (await chatOf(late, chat)).turns;
    expect(turn?.state).toBe('error');
    expect(await inputNeeded(late)).toEqual([]);
  });
});
