import { openChat, type RecordingTurn, type RunningTurn } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { permission, scriptedAgent, steps, temporaryFolder, toolCall } from './acp-chats.ts';
import type { Step } from './acp-scripted-agent.ts';

const usual = ['allow_once:yes:Yes', 'reject_once:no:No'];

/** The call with which Claude Code delegates. */
const task = (id: string, meta: object = {}): Step =>
  toolCall(id, {
    title: 'Find the tests',
    kind: 'think',
    status: 'pending',
    rawInput: { description: 'Find the tests', prompt: 'Where are they?', subagent_type: 'Explore' },
    _meta: { claudeCode: { toolName: 'Agent', ...meta } },
  });

const of = (parent: string, toolName = 'Read') => ({
  _meta: { claudeCode: { toolName, parentToolUseId: parent } },
});

const ended = (id: string, status: string, text?: string, meta: object = {}): Step =>
  toolCall(
    id,
    {
      status,
      ...(text === undefined ? {} : { content: [{ type: 'content', content: { type: 'text', text } }] }),
      ...meta,
    },
    'tool_call_update',
  );

async function start(...list: Step[]): Promise<RunningTurn> {
  const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
  return chat.prompt(steps(...list));
}

async function run(...list: Step[]): Promise<RecordingTurn> {
  const turn = await start(...list);
  await turn.done;
  expect(turn.output.violations).toStrictEqual([]);
  return turn.output;
}

const callsOf = (turn: RecordingTurn | undefined) => turn?.calls.map(({ id, status }) => ({ id, status }));

describe('calls with a parent call', () => {
  it('[CHAT-2] show in the worker chat of the parent call, and not in the parent chat', async () => {
    const output = await run(
      task('T'),
      toolCall('r', { title: 'Read a.ts', kind: 'read', ...of('T') }),
      ended('r', 'completed', 'the file', of('T')),
      // The later update by a hook does not name the parent.
      toolCall('r', { _meta: { claudeCode: { toolName: 'Read' } } }, 'tool_call_update'),
      ended('T', 'completed', 'They are in test/.', { _meta: { claudeCode: { toolName: 'Agent' } } }),
      { say: 'Found.' },
    );
    expect(callsOf(output)).toStrictEqual([{ id: 'T', status: 'completed' }]);
    expect(output.text).toBe('Found.');
    const [worker] = output.workers;
    expect(output.workers).toHaveLength(1);
    expect(worker?.start).toMatchObject({
      toolCallId: 'T',
      title: 'Find the tests',
      agentName: 'Explore',
      description: 'Find the tests',
    });
    expect(worker?.turns).toMatchObject([{ prompt: 'Where are they?', isEnded: true }]);
    expect(worker?.turns[0]).not.toHaveProperty('error');
    expect(callsOf(worker?.turns[0]?.output)).toStrictEqual([{ id: 'r', status: 'completed' }]);
    // Its text is only in the result of the call.
    expect(worker?.turns[0]?.output.text).toBe('They are in test/.');
  });

  it('[CHAT-2] of several parallel parents show in the worker chat of their parent', async () => {
    const output = await run(
      task('A'),
      task('B'),
      toolCall('b', { title: 'in B', ...of('B') }),
      toolCall('a', { title: 'in A', ...of('A') }),
      ended('a', 'completed', 'x', of('A')),
      ended('b', 'failed', 'y', of('B')),
      ended('B', 'failed', 'Lost.'),
      ended('A', 'completed', 'Found.'),
    );
    const [b, a] = output.workers;
    expect([a?.start.toolCallId, b?.start.toolCallId]).toStrictEqual(['A', 'B']);
    expect(callsOf(a?.turns[0]?.output)).toMatchObject([{ id: 'a' }]);
    expect(callsOf(b?.turns[0]?.output)).toMatchObject([{ id: 'b' }]);
    expect(b?.turns[0]?.error).toMatchObject({ errorType: 'workerFailed', message: 'Lost.' });
    expect(a?.turns[0]?.error).toBeUndefined();
  });

  it('[CHAT-2] may ask: the question shows in the worker chat, and the agent gets the answer', async () => {
    const turn = await start(
      task('T'),
      toolCall('w', { title: 'Write', ...of('T', 'Write') }),
      permission('w', usual),
      { sayAnswer: true },
      ended('w', 'completed', 'written', of('T', 'Write')),
      ended('T', 'completed', 'Done.'),
    );
    const worker = await turn.output.until(() => turn.output.workers[0]?.turns[0]?.output);
    const call = await worker.callIn('pending-confirmation');
    expect(callsOf(turn.output)).toMatchObject([{ id: 'T' }]);
    call.answer({ approved: true });
    await turn.done;
    expect(JSON.parse(turn.output.text)).toMatchObject({ outcome: { optionId: 'yes' } });
    expect(callsOf(worker)).toStrictEqual([{ id: 'w', status: 'completed' }]);
  });

  it('[CHAT-2] nest', async () => {
    const output = await run(
      task('T'),
      task('U', { parentToolUseId: 'T' }),
      toolCall('r', { title: 'Read', ...of('U') }),
      ended('r', 'completed', 'x', of('U')),
      ended('U', 'completed', 'deep', of('T', 'Agent')),
      ended('T', 'completed', 'done'),
    );
    expect(callsOf(output)).toStrictEqual([{ id: 'T', status: 'completed' }]);
    const outer = output.workers[0]?.turns[0]?.output;
    expect(callsOf(outer)).toStrictEqual([{ id: 'U', status: 'completed' }]);
    expect(outer?.workers[0]?.turns[0]?.isEnded).toBe(true);
    expect(callsOf(outer?.workers[0]?.turns[0]?.output)).toStrictEqual([{ id: 'r', status: 'completed' }]);
  });

  it('[CHAT-2] in the format of Qwen Code, with the usage of its sub-agent', async () => {
    const meta = { parentToolCallId: 'T', subagentType: 'reviewer' };
    const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7 };
    const output = await run(
      toolCall('T', {
        title: 'Agent: review',
        rawInput: { prompt: 'Review it' },
        _meta: { toolName: 'agent' },
      }),
      toolCall('g', { title: 'Grep', _meta: { toolName: 'grep', ...meta } }),
      {
        update: {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: '' },
          _meta: { usage, ...meta },
        },
      },
      ended('g', 'completed', 'x', { _meta: { toolName: 'grep', ...meta } }),
      ended('T', 'completed', 'Fine.'),
    );
    const [worker] = output.workers;
    expect(worker?.start).toMatchObject({ agentName: 'reviewer', title: 'Agent: review' });
    expect(worker?.turns[0]?.prompt).toBe('Review it');
    expect(worker?.turns[0]?.output.lastUsage).toMatchObject({ inputTokens: 5, outputTokens: 2 });
    expect(callsOf(worker?.turns[0]?.output)).toStrictEqual([{ id: 'g', status: 'completed' }]);
  });

  it('[CHAT-2] continue in another turn of the worker after the end of the parent call', async () => {
    const output = await run(
      task('T'),
      toolCall('a', { title: 'first', ...of('T') }),
      ended('T', 'completed', 'Goes on in the background.'),
      toolCall('b', { title: 'second', ...of('T') }),
    );
    expect(
      output.workers[0]?.turns.map(({ output: each }) => callsOf(each)?.map(({ id }) => id)),
    ).toStrictEqual([['a'], ['b']]);
  });

  it('show in the chat of their update if the parent call is unknown', async () => {
    const output = await run(
      toolCall('r', { title: 'Read', ...of('gone') }),
      ended('r', 'completed', 'x', of('gone')),
    );
    expect(callsOf(output)).toStrictEqual([{ id: 'r', status: 'completed' }]);
    expect(output.workers).toStrictEqual([]);
  });
});

describe('child sessions', () => {
  const announce = (more: object): Step => ({
    update: { sessionUpdate: 'subagent_update', sessionId: 'child', ...more },
  });
  const child = (update: object, sessionId = 'child'): Step => ({
    send: { method: 'session/update', params: { sessionId, update } },
  });
  const text = (words: string): object => ({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: words },
  });
  const running = { state: { state: 'running' } };
  const idle = (stopReason: string) => ({ state: { state: 'idle', stopReason } });

  it('[CHAT-2] a user cancels one child session without its parent', async () => {
    const turn = await start(
      announce({ title: 'scout' }),
      announce(running),
      child(text('looking')),
      { awaitCall: 'session/cancel' },
      { sayCalls: 'session/cancel' },
    );
    await expect.poll(() => turn.output.workers[0]?.turns[0]?.output.text).toBe('looking');
    turn.output.workers[0]?.turns[0]?.cancel();
    await turn.done;
    expect(JSON.parse(turn.output.text)).toEqual([{ sessionId: 'child' }]);
  });

  it('[CHAT-2] each have a call and a worker chat with their updates', async () => {
    const output = await run(
      announce({ title: 'scout', description: 'Look around', capabilities: {} }),
      announce(running),
      child(text('I look ')),
      child({ sessionUpdate: 'tool_call', toolCallId: 'l', title: 'List', status: 'completed' }),
      child(text('and found.')),
      announce(idle('end_turn')),
      { say: 'It found it.' },
    );
    expect(output.text).toBe('It found it.');
    expect(output.calls).toMatchObject([
      { status: 'completed', start: { toolName: 'subagent', intention: 'Look around' } },
    ]);
    const [worker] = output.workers;
    expect(worker?.start).toMatchObject({ title: 'scout', description: 'Look around' });
    expect(worker?.turns).toMatchObject([{ prompt: 'Look around', isEnded: true }]);
    expect(worker?.turns[0]?.output.text).toBe('I look and found.');
    expect(callsOf(worker?.turns[0]?.output)).toStrictEqual([{ id: 'l', status: 'completed' }]);
  });

  it('[CHAT-2] ask in their own worker chat', async () => {
    const turn = await start(
      announce({ title: 'scout' }),
      announce(running),
      {
        ask: {
          ...requestOf(permission('w', usual)),
          params: { ...requestOf(permission('w', usual)).params, sessionId: 'child' },
        },
      },
      { sayAnswer: true },
      announce(idle('end_turn')),
    );
    const worker = await turn.output.until(() => turn.output.workers[0]?.turns[0]?.output);
    const call = await worker.callIn('pending-confirmation');
    call.answer({ approved: true });
    await turn.done;
    expect(JSON.parse(turn.output.text)).toMatchObject({ outcome: { optionId: 'yes' } });
  });

  it('[CHAT-2] can fail, and are reused in a later turn with the same title', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const error = { ...idle('error').state, message: 'No more tokens' };
    const first = chat.prompt(
      steps(announce({ title: 'scout' }), announce(running), announce({ state: error })),
    );
    await first.done;
    expect(first.output.workers[0]?.turns[0]?.error).toMatchObject({ errorType: 'workerFailed' });
    expect(first.output.calls[0]?.result).toMatchObject({ success: false });
    const second = chat.prompt(
      steps(
        announce({ capabilities: {} }),
        announce(running),
        child(text('again')),
        announce(idle('end_turn')),
      ),
    );
    await second.done;
    expect(second.output.workers).toHaveLength(1);
    expect(second.output.workers[0]?.start.title).toBe('scout');
    expect(second.output.workers[0]?.turns[0]?.output.text).toBe('again');
    expect(first.output.workers[0]?.turns[0]?.output.text).toBe('');
  });

  it('[CHAT-2] nest: a child of a child shows in the chat of its parent', async () => {
    const output = await run(
      announce({ title: 'scout' }),
      announce(running),
      child({ sessionUpdate: 'subagent_update', sessionId: 'grandchild', title: 'sub-scout', ...running }),
      child(text('deep down'), 'grandchild'),
      announce(idle('end_turn')),
    );
    const outer = output.workers[0]?.turns[0]?.output;
    expect(outer?.workers[0]?.start.title).toBe('sub-scout');
    expect(outer?.workers[0]?.turns[0]?.output.text).toBe('deep down');
  });
});

function requestOf(step: Step): { method: string; params: object } {
  if (!('ask' in step)) throw new Error('not a request');
  return step.ask;
}

it('[CHAT-1] two chats of one agent process run at once, each in its own session', async () => {
  const provider = scriptedAgent();
  expect(provider.describe().capabilities?.multipleChats).toStrictEqual({ fork: true, sideChat: true });
  const [first, second] = [
    await openChat(provider, { workingDirectory: temporaryFolder() }),
    await openChat(provider, { workingDirectory: temporaryFolder() }),
  ];
  const waiting = first.prompt(steps({ saySession: true }, permission('a', usual), { say: ' first' }));
  const call = await waiting.output.callIn('pending-confirmation');
  const other = second.prompt(steps({ saySession: true }, { say: ' second' }));
  await other.done;
  call.answer({ approved: true });
  await waiting.done;
  const [pid, session] = waiting.output.text.split(' ');
  const [otherPid, otherSession] = other.output.text.split(' ');
  expect(pid).toBe(otherPid);
  expect(session).not.toBe(otherSession);
  expect([waiting.output.text, other.output.text].map((said) => said.split(' ').at(-1))).toStrictEqual([
    'first',
    'second',
  ]);
});
