import type { ToolCallAnswer } from '@agenthost/host/agent';
import { openChat, type RecordingTurn } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { permission, requested, scriptedAgent, steps, temporaryFolder, toolCall } from './acp-chats.ts';
import type { Step } from './acp-scripted-agent.ts';

const usual = ['allow_always:all:Always', 'allow_once:yes:Yes', 'reject_once:no:No'];

/** Runs a turn that asks once. Returns the answer that the agent got. */
async function ask(
  list: Step[],
  answer: (options: readonly { id: string }[]) => ToolCallAnswer,
): Promise<RecordingTurn> {
  const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
  const turn = chat.prompt(steps(...list, { sayAnswer: true }));
  const call = await turn.output.callIn('pending-confirmation');
  call.answer(answer(call.shown?.options ?? []));
  await turn.done;
  expect(turn.output.violations).toEqual([]);
  return turn.output;
}

const selected = (optionId: string): object => ({ outcome: { outcome: 'selected', optionId } });

describe('permission requests', () => {
  it('a request describes its tool, and marks the options that the agent remembers', async () => {
    const questionAbout = async (step: Step) =>
      (await ask([step], () => ({ approved: true }))).calls[0]?.questions[0];
    const run = await questionAbout(permission('t', usual, { kind: 'execute' }));
    expect(run).toMatchObject({ kind: 'execute', alwaysOptions: [run?.options?.[0]?.id] });
    const once = permission('u', ['allow_once:yes', 'reject_always:never'], { kind: 'switch_mode' });
    expect(await questionAbout(once)).toMatchObject({ kind: 'other', alwaysOptions: [] });
  });

  it('[CHAT-7] a request for an unannounced call creates the call and asks', async () => {
    const output = await ask([permission('t', usual, { rawInput: { command: 'ls' } })], () => ({
      approved: true,
    }));
    expect(output.calls[0]?.questions[0]).toMatchObject({
      invocationMessage: 'Do t',
      toolInput: '{"command":"ls"}',
      options: [
        { label: 'Always', kind: 'approve' },
        { label: 'Yes', kind: 'approve' },
        { label: 'No', kind: 'deny' },
      ],
    });
  });

  it('a request for a running call sets it to pending, and approval continues it', async () => {
    const output = await ask(
      [toolCall('t', { title: 'Do t', status: 'in_progress' }), permission('t', usual)],
      () => ({ approved: true }),
    );
    expect(output.events.flatMap((event) => (event.kind === 'call' ? event.status : []))).toEqual([
      'streaming',
      'running',
      'pending-confirmation',
      'running',
    ]);
  });

  it('a plain approval allows once, even when another option comes first', async () => {
    const output = await ask([permission('t', usual)], () => ({ approved: true }));
    expect(JSON.parse(output.text)).toEqual(selected('yes'));
  });

  it('a plain denial rejects once', async () => {
    const options = ['reject_always:never', ...usual];
    const output = await ask([permission('t', options)], () => ({ approved: false, reason: 'denied' }));
    expect(JSON.parse(output.text)).toEqual(selected('no'));
  });

  it('two options of one kind, and even of one id, are distinguished', async () => {
    const options = ['allow_always:a:For this command', 'allow_always:b:For all', 'allow_once:b:Once'];
    const output = await ask([permission('t', options)], (shown) => {
      expect(new Set(shown.map(({ id }) => id)).size).toBe(3);
      return { approved: true, selectedOption: { id: shown[1]?.id ?? '', label: '', kind: 'approve' } };
    });
    expect(JSON.parse(output.text)).toEqual(selected('b'));
  });

  it('an option of an unknown kind never serves as an approval', async () => {
    const output = await ask([permission('t', ['whatever:x', 'reject_once:no'])], () => ({ approved: true }));
    expect(JSON.parse(output.text)).toEqual({ outcome: { outcome: 'cancelled' } });
  });

  it('[CHAT-7] after a denial the call is cancelled and later updates do nothing', async () => {
    const output = await ask(
      [
        permission('t', usual),
        toolCall('t', { status: 'completed', rawOutput: 'did it anyway' }, 'tool_call_update'),
      ],
      () => ({ approved: false, reason: 'denied' }),
    );
    expect(output.calls).toHaveLength(1);
    expect(output.calls[0]?.status).toBe('cancelled');
  });

  it('a cancel while a question is open answers it as cancelled', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const first = chat.prompt(steps(permission('t', usual), { sayAnswer: true }));
    await first.output.callIn('pending-confirmation');
    first.controller.abort();
    // As the host does when a turn is cancelled.
    first.output.end();
    await first.done;
    const second = chat.prompt(steps({ sayAnswer: true }));
    await second.done;
    expect(JSON.parse(second.output.text)).toEqual({ outcome: { outcome: 'cancelled' } });
  });

  it('a call that the agent ends while its question is open ends, and the question is withdrawn', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(
      steps(
        requested('t', usual),
        toolCall('t', { status: 'failed', rawOutput: 'gave up' }, 'tool_call_update'),
        { awaitAnswer: true },
        { sayAnswer: true },
      ),
    );
    await turn.done;
    expect(turn.output.calls[0]?.status).toBe('completed');
    expect(turn.output.calls[0]?.result).toMatchObject({ success: false, error: { message: 'gave up' } });
    expect(JSON.parse(turn.output.text)).toEqual({ outcome: { outcome: 'cancelled' } });
  });

  it('a request and later updates take effect in order, even when they arrive at once', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const session = chat.host.memory as { sessionId: string };
    const lines = [
      {
        id: 'x',
        method: 'session/request_permission',
        params: { ...session, toolCall: { toolCallId: 't' }, options: [] },
      },
      {
        method: 'session/update',
        params: {
          ...session,
          update: { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' },
        },
      },
    ];
    const text = lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join('');
    const turn = chat.prompt(steps({ write: { text } }));
    await turn.done;
    expect(turn.output.calls.map((call) => [call.id, call.questions.length, call.status])).toEqual([
      ['t', 1, 'completed'],
    ]);
  });

  it('two questions about one call are asked one after the other', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(
      steps(
        requested('t', usual),
        requested('t', ['allow_once:second', 'reject_once:no']),
        { say: 'asked ' },
        { awaitAnswer: true },
        { sayAnswer: true },
      ),
    );
    await turn.output.until(() => turn.output.text === 'asked ');
    const call = await turn.output.callIn('pending-confirmation');
    expect(call.questions).toHaveLength(1);
    call.answer({ approved: true });
    await turn.output.until(() => call.questions.length === 2);
    call.answer({ approved: true });
    await turn.done;
    expect(JSON.parse(turn.output.text.slice('asked '.length))).toEqual(selected('second'));
    expect(turn.output.violations).toEqual([]);
  });
});
