import type { SessionState, ToolCallRunningState } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { failureOf, Harness, microtasks } from '../../test/harness.ts';
import { DispatchRejected } from '../errors.ts';
import type { SessionHandle } from './session-handle.ts';
import type { OfferedTool, ToolRun } from './tool-run.ts';

const SESSION = 'ahp-session:/s';
const CHAT = 'ahp-chat:/s-main';

const look = (run: OfferedTool['run'] = () => 'a window'): OfferedTool => ({
  name: 'look',
  title: 'Look around',
  inputSchema: { type: 'object' },
  run,
});

async function opened(): Promise<{ it: Harness; session: SessionHandle }> {
  const it = await new Harness().online();
  return { it, session: await it.run(it.client.sessions.create({ uri: SESSION })) };
}

async function offering(tool = look()) {
  const { it, session } = await opened();
  return { it, session, offer: await it.run(session.offerTools([tool])) };
}

const activeClients = (it: Harness): SessionState['activeClients'] => {
  const state = it.host.states.get(SESSION);
  return state !== undefined && 'activeClients' in state ? state.activeClients : [];
};

/** Makes the host ask for a call, as the session's state shows it. */
function ask(
  it: Harness,
  id = 'c1',
  more: { toolName?: string; toolInput?: string; clientId?: string } = {},
) {
  const { toolName = 'look', toolInput = '{"far":true}', clientId = 'c1' } = more;
  const toolCall: ToolCallRunningState = {
    status: 'running',
    toolCallId: id,
    toolName,
    displayName: toolName,
    invocationMessage: 'Run it',
    toolInput,
    confirmed: 'not-needed',
    contributor: { kind: 'client', clientId },
  };
  it.host.emit(SESSION, {
    type: 'session/inputNeededSet',
    request: {
      id: `${CHAT}#${id}`,
      kind: 'toolClientExecution',
      chat: CHAT,
      turnId: 't1',
      clientId,
      toolCall,
    },
  });
}

const over = (it: Harness, id = 'c1'): unknown =>
  it.host.emit(SESSION, { type: 'session/inputNeededRemoved', id: `${CHAT}#${id}` });

/** The client's answers on the chat, oldest first. */
const answers = (it: Harness): unknown[] =>
  it.host.dispatched.filter(({ channel }) => channel === CHAT).map(({ action }) => action);

const target = { turnId: 't1', toolCallId: 'c1' };

describe('offered tools', () => {
  test('[SESS-8] an offer joins the session with the definitions, and resolves when the host has them', async () => {
    const { it, session } = await opened();
    const offered = session.offerTools([look()], { displayName: 'a script' });
    expect(await it.run(offered)).toBeDefined();
    expect(activeClients(it)).toEqual([
      {
        clientId: 'c1',
        displayName: 'a script',
        tools: [{ name: 'look', title: 'Look around', inputSchema: { type: 'object' } }],
      },
    ]);
  });

  test('[CHAT-9] a call runs once, and its answer completes it', async () => {
    const inputs: unknown[] = [];
    const { it } = await offering(
      look(async (input) => {
        inputs.push(input);
        return 'a window';
      }),
    );
    ask(it);
    await it.settle();
    expect(inputs).toEqual([{ far: true }]);
    expect(answers(it)).toEqual([
      {
        type: 'chat/toolCallComplete',
        ...target,
        result: {
          success: true,
          pastTenseMessage: 'Ran Look around',
          content: [{ type: 'text', text: 'a window' }],
        },
      },
    ]);
    // The entry stays until the host has processed the answer, and may change meanwhile.
    ask(it);
    over(it);
    await it.settle();
    expect(inputs).toHaveLength(1);
    // The same id in another turn is another call.
    ask(it);
    await it.settle();
    expect(inputs).toHaveLength(2);
  });

  test.each<[string, OfferedTool['run'], object]>([
    ['an object', () => ({ n: 1 }), { success: true, structuredContent: { n: 1 } }],
    [
      'blocks',
      () => [{ type: 'text', text: 'x' }],
      { success: true, content: [{ type: 'text', text: 'x' }] },
    ],
    ['nothing', () => undefined, { success: true }],
    ['an error', () => Promise.reject(new Error('dark')), { success: false, error: { message: 'dark' } }],
  ])('[CHAT-9] a tool may answer %s', async (_, run, result) => {
    const { it } = await offering(look(run));
    ask(it);
    await it.settle();
    expect(answers(it)).toMatchObject([{ type: 'chat/toolCallComplete', result }]);
  });

  test('[CHAT-9] a call with input other than a JSON object fails without running', async () => {
    const { it } = await offering(look(() => 'ran'));
    ask(it, 'c1', { toolInput: '[1]' });
    ask(it, 'c2', { toolInput: 'not JSON' });
    await it.settle();
    expect(answers(it)).toMatchObject([{ result: { success: false } }, { result: { success: false } }]);
  });

  test('[CHAT-9] partial content is sent, and only the newest of several quick ones', async () => {
    const finish = Promise.withResolvers<string>();
    const { it } = await offering(
      look((_, call) => {
        for (const text of ['one', 'two', 'three']) call.show(text);
        return finish.promise;
      }),
    );
    ask(it);
    await it.settle();
    finish.resolve('done');
    await it.settle();
    const shown = (text: string): object => ({ content: [{ type: 'text', text }] });
    expect(answers(it)).toMatchObject([
      { type: 'chat/toolCallContentChanged', ...shown('one') },
      { type: 'chat/toolCallContentChanged', ...shown('three') },
      { type: 'chat/toolCallComplete', result: shown('done') },
    ]);
  });

  test('[CHAT-9] a call of a tool that this client does not have is denied', async () => {
    const { it } = await offering();
    ask(it, 'c1', { toolName: 'listen' });
    await it.settle();
    expect(answers(it)).toMatchObject([
      { type: 'chat/toolCallConfirmed', ...target, approved: false, reason: 'denied' },
    ]);
  });

  test('calls for other clients are ignored', async () => {
    const { it } = await offering();
    ask(it, 'c1', { clientId: 'somebody else' });
    await it.settle();
    expect(answers(it)).toEqual([]);
  });

  test('[CHAT-9] a call that the host ends aborts the signal, and its answer is not sent', async () => {
    const finish = Promise.withResolvers<string>();
    let run: ToolRun | undefined;
    const { it } = await offering(
      look((_, call) => {
        run = call;
        return finish.promise;
      }),
    );
    ask(it);
    await it.settle();
    expect(run?.signal.aborted).toBe(false);
    over(it);
    await it.settle();
    expect(run?.signal.aborted).toBe(true);
    run?.show('too late');
    finish.resolve('too late');
    await it.settle();
    expect(answers(it)).toEqual([]);
  });

  test.each([false, true])(
    '[CHAT-9] a call during a disconnection runs once after the reconnect (by snapshot: %s)',
    async (isSnapshotOnly) => {
      let runCount = 0;
      const { it } = await offering(
        look(() => {
          runCount += 1;
          return 'seen';
        }),
      );
      it.host.isSnapshotOnly = isSnapshotOnly;
      await it.cut();
      ask(it);
      expect(runCount).toBe(0);
      await it.comeBack();
      expect(runCount).toBe(1);
      // The call is not run again after the next reconnect, although the host has not removed it yet.
      await it.cut();
      await it.comeBack();
      expect(runCount).toBe(1);
      expect(answers(it)).toHaveLength(1);
    },
  );

  test('[CHAT-9] a running call continues during a disconnection, and is answered afterwards', async () => {
    const finish = Promise.withResolvers<string>();
    const { it } = await offering(look(() => finish.promise));
    ask(it);
    await it.settle();
    await it.cut();
    finish.resolve('seen');
    await microtasks();
    expect(answers(it)).toEqual([]);
    await it.comeBack();
    expect(answers(it)).toMatchObject([{ type: 'chat/toolCallComplete', result: { success: true } }]);
  });

  test('[SESS-8] a client that was removed while disconnected joins again', async () => {
    const { it } = await offering();
    await it.cut();
    it.host.emit(SESSION, { type: 'session/activeClientRemoved', clientId: 'c1' });
    await it.comeBack();
    expect(activeClients(it)).toMatchObject([{ clientId: 'c1', tools: [{ name: 'look' }] }]);
  });

  test('[SESS-8] several offers add up; disposing one fails its calls, and disposing the last leaves the session', async () => {
    const { it, session, offer } = await offering(look(() => new Promise(() => undefined)));
    const second = await it.run(session.offerTools([{ name: 'listen', run: () => 'birds' }]));
    expect(activeClients(it)[0]?.tools.map(({ name }) => name)).toEqual(['look', 'listen']);
    ask(it);
    await it.settle();
    offer.dispose();
    await it.settle();
    expect(answers(it)).toMatchObject([{ type: 'chat/toolCallComplete', result: { success: false } }]);
    expect(activeClients(it)[0]?.tools.map(({ name }) => name)).toEqual(['listen']);
    second.dispose();
    second.dispose();
    await it.settle();
    expect(activeClients(it)).toEqual([]);
    await it.run(session.offerTools([look()]));
    expect(activeClients(it)[0]?.tools.map(({ name }) => name)).toEqual(['look']);
  });

  test('[SESS-8] disposing the session’s handle withdraws its tools', async () => {
    const { it, session } = await offering();
    session.dispose();
    await it.settle();
    expect(activeClients(it)).toEqual([]);
    expect(it.host.dispatched.at(-1)?.action.type).toBe('session/activeClientRemoved');
  });

  test('[SESS-8] an offer that the host refuses rejects, and keeps the earlier tools', async () => {
    const { it, session } = await offering();
    it.host.judge = ({ action }) =>
      action.type === 'session/activeClientSet' && action.activeClient.tools.length > 1
        ? { reject: 'invalidTools: two tools are named "look"' }
        : undefined;
    const error = await it.run(failureOf(session.offerTools([look()])));
    expect(error).toBeInstanceOf(DispatchRejected);
    await it.settle();
    expect(activeClients(it)[0]?.tools).toHaveLength(1);
  });

  test('[CHAT-9] an answer that the host rejects fails the call, so that the call does not stay open', async () => {
    const { it } = await offering();
    it.host.judge = ({ action }) =>
      action.type === 'chat/toolCallComplete' && action.result.success
        ? { reject: 'invalidAction: result.content: expected blocks' }
        : undefined;
    ask(it);
    await it.settle();
    expect(answers(it)).toMatchObject([
      { result: { success: true } },
      { result: { success: false, error: { message: expect.stringContaining('expected blocks') } } },
    ]);
  });

  test('[CONN-3] [CHAT-9] two tabs with one client id run a call once', async () => {
    const runs: string[] = [];
    const runIn = (tab: string) =>
      look((_, call) => {
        runs.push(tab);
        call.signal.addEventListener('abort', () => runs.push(`${tab} aborted`));
        return new Promise(() => undefined);
      });
    const { it } = await offering(runIn('first'));
    ask(it);
    await it.settle();
    const other = await new Harness({ host: it.host, clientId: 'c1', sharedClock: it.clock }).online();
    await it.settle();
    expect(it.client.status.state).toBe('replaced');
    // The host removes the client, which reconnected without the session, and its calls.
    over(it);
    it.host.emit(SESSION, { type: 'session/activeClientRemoved', clientId: 'c1' });
    const session = await other.run(other.client.sessions.open(SESSION));
    await other.run(session.offerTools([runIn('second')]));
    ask(it, 'c2');
    await other.settle();
    await it.settle();
    expect(runs).toEqual(['first', 'first aborted', 'second']);
    // The first tab reconnects. It does not rerun the call that the second tab began and the host ended.
    over(it, 'c2');
    await other.settle();
    it.client.reconnectNow();
    await it.settle();
    expect(runs).toEqual(['first', 'first aborted', 'second', 'second aborted']);
  });
});

test('[CUST-2] [CUST-21] a plugin is published beside tools and read from the client, and decisions are an action', async () => {
  const { it, session } = await opened();
  const files = { 'rules/a.md': 'Use tabs.', 'skills/my pdf/SKILL.md': 'Use pdftotext.' };
  const published = session.publishPlugin({ id: 'kit', name: 'Kit', files }, { displayName: 'an editor' });
  // The code is loaded with the first plugin.
  await settledIn(it, published);
  const offer = await published;
  await it.run(session.offerTools([look()]));
  const [own] = activeClients(it);
  const uri = 'client-plugin:/kit/';
  expect(own).toMatchObject({
    displayName: 'an editor',
    tools: [{ name: 'look' }],
    customizations: [{ type: 'plugin', id: 'kit', uri, name: 'Kit', nonce: expect.any(String) }],
  });
  const ask = async (method: 'resourceList' | 'resourceRead' | 'resourceResolve', path: string) => {
    const answer = it.host
      .connectionOf('c1')
      .peer.request(method, { channel: 'ahp-root://', uri: `${uri}${path}` });
    await settledIn(it, answer);
    return answer;
  };
  expect(await ask('resourceResolve', '')).toMatchObject({ type: 'directory' });
  expect(await ask('resourceList', '')).toEqual({
    entries: [
      { name: 'rules', type: 'directory' },
      { name: 'skills', type: 'directory' },
    ],
  });
  expect(await ask('resourceRead', 'skills/my%20pdf/SKILL.md')).toMatchObject({ data: 'Use pdftotext.' });
  await expect(ask('resourceRead', 'rules/b.md')).rejects.toMatchObject({ code: -32008 });
  offer.dispose();
  await it.settle();
  expect(activeClients(it)[0]).toMatchObject({ tools: [{ name: 'look' }], customizations: [] });
  await expect(ask('resourceRead', 'rules/a.md')).rejects.toMatchObject({ code: -32601 });
  void session.toggleCustomization('kit', [{ kind: 'session', enabled: false }]);
  await it.settle();
  expect(it.host.dispatched.at(-1)?.action).toEqual({
    type: 'session/customizationToggled',
    id: 'kit',
    enablement: [{ kind: 'session', enabled: false }],
  });
});

/** Runs both sides until a promise has settled, also when code has to be loaded for it. */
async function settledIn(it: Harness, promise: Promise<unknown>): Promise<void> {
  const settled = new AbortController();
  const settle = (): void => settled.abort();
  promise.then(settle, settle);
  while (!settled.signal.aborted) {
    await it.settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
