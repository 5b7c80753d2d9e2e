import { UnreadableResource } from '@agenthost/host/agent';
import { openChat, type RecordingTurn } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { scriptedAgent, steps, temporaryFolder, toolCall } from './acp-chats.ts';
import type { Offer, Step } from './acp-scripted-agent.ts';

/** Runs one turn with these steps to its end. */
async function run(list: Step[], offer: Offer = {}): Promise<RecordingTurn> {
  const chat = await openChat(scriptedAgent(offer), { workingDirectory: temporaryFolder() });
  const turn = chat.prompt(steps(...list));
  await turn.done;
  expect(turn.output.violations).toEqual([]);
  return turn.output;
}

const text = (words: string, messageId?: string): Step => ({
  update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words }, messageId },
});

describe('output of an agent', () => {
  it('text and thoughts stream in order; the echo of the user message is not shown', async () => {
    const output = await run([
      { update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'echo' } } },
      { update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } } },
      text('one '),
      text(''),
      text('two'),
    ]);
    expect(output.events).toEqual([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'markdown', text: 'one ' },
      { kind: 'markdown', text: 'two' },
    ]);
  });

  it('a message right after another message is a new paragraph', async () => {
    const output = await run([text('a', 'm1'), text('b', 'm1'), text('c', 'm2')]);
    expect(output.text).toBe('ab\n\nc');
  });

  it('links and small images show as Markdown', async () => {
    const chunk = (content: object): Step => ({ update: { sessionUpdate: 'agent_message_chunk', content } });
    const output = await run([
      chunk({ type: 'resource_link', uri: 'file:///a b', name: 'a' }),
      chunk({ type: 'image', mimeType: 'image/png', data: 'AAAA' }),
    ]);
    expect(output.text).toBe('[a](<file:///a b>)![image](data:image/png;base64,AAAA)');
  });

  it('extension notifications, unknown updates and malformed updates are ignored', async () => {
    const output = await run([
      { send: { method: '_vendor/status', params: { x: 1 } } },
      { send: { method: 'session/update', params: { sessionId: 'nobody', update: {} } } },
      { send: { method: 'session/update', params: 'nothing' } },
      { update: { sessionUpdate: 'hologram', data: [1] } },
      { update: { sessionUpdate: 'tool_call', title: 'no id' } },
      { update: { sessionUpdate: 'plan', entries: 'none' } },
      { update: { sessionUpdate: 'agent_message_chunk', content: null } },
      { write: { text: 'a log line on stdout\n{ and one with a brace\n' } },
      { say: 'still here' },
    ]);
    expect(output.events).toEqual([{ kind: 'markdown', text: 'still here' }]);
  });

  it('an unknown request is answered with "method not found"', async () => {
    const output = await run([
      { ask: { method: 'vendor/create', params: { command: 'ls' } } },
      { sayAnswer: true },
    ]);
    expect(JSON.parse(output.text)).toMatchObject({ code: -32601 });
  });

  it('commands and titles reach the host, also between turns', async () => {
    const chat = await openChat(
      scriptedAgent({
        before: {
          'session/new': [
            {
              sessionUpdate: 'available_commands_update',
              availableCommands: [
                { name: '/init', description: 'Start', input: { hint: 'where' } },
                { name: 'go', description: 'Go', input: null },
              ],
            },
            { sessionUpdate: 'session_info_update', title: 'A title' },
          ],
        },
      }),
      { workingDirectory: temporaryFolder() },
    );
    // The updates arrived before the session's id was known.
    await chat.prompt('hi').done;
    expect(chat.host.titles).toContain('A title');
    expect(chat.host.commandList).toEqual([
      { name: 'init', description: 'Start', hint: 'where' },
      { name: 'go', description: 'Go' },
    ]);
  });

  it('a slow host applies backpressure to the agent', async () => {
    const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
    const turn = chat.prompt(steps(text('one'), text('two'), { say: 'three' }));
    let open = (): void => {};
    turn.output.backPressure = () =>
      new Promise((resolve) => {
        open = resolve;
      });
    for (const expected of ['one', 'onetwo', 'onetwothree']) {
      await turn.output.until(() => turn.output.text === expected);
      // Nothing more arrives while the promise is pending.
      await new Promise((resolve) => setImmediate(resolve));
      expect(turn.output.text).toBe(expected);
      open();
    }
    await turn.done;
  });
});

describe('tool calls', () => {
  it('[CHAT-7] a call is announced, runs with partial content, and completes with its output', async () => {
    const found = 'all '.repeat(100);
    const output = await run([
      toolCall('t', { title: 'Search', kind: 'search', status: 'pending', rawInput: {} }),
      toolCall(
        't',
        {
          title: 'Search for x',
          status: 'in_progress',
          rawInput: { q: 'x' },
          locations: [
            { path: '/a.ts', line: 3 },
            { path: 'b.ts', line: null },
          ],
        },
        'tool_call_update',
      ),
      toolCall(
        't',
        { content: [{ type: 'content', content: { type: 'text', text: 'half' } }] },
        'tool_call_update',
      ),
      toolCall(
        't',
        {
          status: 'completed',
          content: [{ type: 'content', content: { type: 'text', text: found } }],
          rawOutput: { count: 2, output: found },
        },
        'tool_call_update',
      ),
    ]);
    const [call] = output.calls;
    expect(call?.start).toMatchObject({ toolCallId: 't', toolName: 'search', displayName: 'Search' });
    expect(call?.shown).toMatchObject({
      invocationMessage: 'Search for x',
      toolInput: '{"q":"x"}',
      meta: {
        toolKind: 'search',
        locations: [{ uri: 'file:///a.ts', line: 3 }, { uri: expect.stringMatching(/b\.ts$/) }],
      },
    });
    expect(call?.contents).toEqual([[{ type: 'text', text: 'half' }]]);
    expect(call?.result).toEqual({
      success: true,
      pastTenseMessage: 'Search for x',
      content: [{ type: 'text', text: found }],
      structuredContent: { count: 2 },
    });
  });

  it('an update creates an unannounced call', async () => {
    const output = await run([
      toolCall('t', { title: 'Late', status: 'completed', rawOutput: 'done' }, 'tool_call_update'),
    ]);
    expect(output.calls[0]?.status).toBe('completed');
    expect(output.calls[0]?.result?.content).toEqual([{ type: 'text', text: 'done' }]);
  });

  it('a failed call has a reason', async () => {
    const output = await run([
      toolCall('t', { title: 'Read', kind: 'read', status: 'in_progress' }),
      toolCall('t', { status: 'failed', rawOutput: { error: 'no such file' } }, 'tool_call_update'),
    ]);
    expect(output.calls[0]?.result).toMatchObject({ success: false, error: { message: 'no such file' } });
  });

  it('a diff becomes one file edit, and a new file has no text before', async () => {
    const diff = { type: 'diff', path: 'new.txt', oldText: null, newText: 'x' };
    const change = { type: 'diff', path: '/w/old.txt', oldText: 'a', newText: 'b' };
    const output = await run([
      toolCall('t', { title: 'Edit', kind: 'edit', status: 'in_progress', content: [diff, change] }),
      toolCall('t', { status: 'completed', content: [diff, change] }, 'tool_call_update'),
    ]);
    expect(output.fileChanges).toEqual([
      { uri: expect.stringMatching(/^file:.*\/new\.txt$/), after: 'x' },
      { uri: 'file:///w/old.txt', before: 'a', after: 'b' },
    ]);
    expect(output.calls[0]?.shown?.edits).toHaveLength(2);
    expect(output.calls[0]?.result?.content?.map(({ type }) => type)).toEqual(['fileEdit', 'fileEdit']);
  });

  it('a terminal of the agent itself shows its reported output', async () => {
    const output = await run([
      toolCall('t', {
        title: 'ls',
        kind: 'execute',
        status: 'in_progress',
        content: [{ type: 'terminal', terminalId: 'theirs' }],
      }),
      toolCall('t', { _meta: { terminal_output_delta: { data: 'a\n' } } }, 'tool_call_update'),
      toolCall('t', { _meta: { terminal_output_delta: { data: 'b\n' } } }, 'tool_call_update'),
      toolCall('t', { status: 'completed', _meta: { terminal_exit: { exit_code: 2 } } }, 'tool_call_update'),
    ]);
    expect(output.calls[0]?.contents.at(-1)).toEqual([{ type: 'text', text: 'a\nb\n' }]);
    expect(output.calls[0]?.result?.content).toEqual([{ type: 'text', text: 'a\nb\n' }]);
  });

  it('updates of an ended call change nothing, but a new announcement with its id is another call', async () => {
    const output = await run([
      toolCall('t', { title: 'One', status: 'completed' }),
      toolCall('t', { title: 'changed', status: 'in_progress' }, 'tool_call_update'),
      toolCall('t', { title: 'Two', status: 'in_progress' }),
      toolCall('t', { status: 'completed' }, 'tool_call_update'),
    ]);
    expect(output.calls.map((call) => [call.id, call.result?.pastTenseMessage])).toEqual([
      ['t', 'One'],
      ['t#2', 'Two'],
    ]);
  });
});

describe('plans', () => {
  it('a plan is one block that changes in place and stays when the turn ends', async () => {
    const plan = (...entries: [string, string][]): Step => ({
      update: {
        sessionUpdate: 'plan',
        entries: entries.map(([content, status]) => ({ content, status, priority: 'medium' })),
      },
    });
    const output = await run([
      plan(['look', 'in_progress'], ['write', 'pending']),
      plan(['look', 'in_progress'], ['write', 'pending']),
      plan(['look', 'completed'], ['write', 'in_progress']),
    ]);
    expect(output.calls).toHaveLength(1);
    expect(output.calls[0]?.result?.pastTenseMessage).toEqual({ markdown: '- [x] look\n- [ ] ▸ write' });
    expect(output.events).toEqual([
      { kind: 'call', id: 'call-1', status: 'streaming' },
      { kind: 'call', id: 'call-1', status: 'running' },
      { kind: 'activity', text: 'look' },
      { kind: 'call', id: 'call-1', status: 'running' },
      { kind: 'activity', text: 'write' },
      { kind: 'activity', text: undefined },
      { kind: 'call', id: 'call-1', status: 'completed' },
    ]);
  });
});

describe('how turns end', () => {
  it.each([
    ['max_tokens', /limit of output tokens/],
    ['max_turn_requests', /limit of model requests/],
    ['refusal', /refused/],
  ])('%s completes the turn with a notice', async (stopReason, notice) => {
    const output = await run([{ say: 'partial' }, { result: { stopReason } }]);
    expect(output.events.at(-1)).toEqual({ kind: 'notify', content: expect.stringMatching(notice) });
  });

  it('[CHAT-5] an error of the agent ends the turn with its message', async () => {
    const chat = await openChat(
      scriptedAgent({
        errors: {
          'session/prompt': { code: -32603, message: 'Internal error', data: { details: 'no credit' } },
        },
      }),
      { workingDirectory: temporaryFolder() },
    );
    await expect(chat.prompt('hi').done).rejects.toMatchObject({
      errorType: 'agentError',
      message: expect.stringContaining('no credit'),
    });
  });

  it('usage is taken from the result, from its quota, from chunks, and from a notification after the result', async () => {
    const usage = { sessionUpdate: 'usage_update', used: 5, size: 9, cost: { amount: 1, currency: 'USD' } };
    const fromResult = await run([
      { result: { stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 2, cachedReadTokens: 3 } } },
    ]);
    expect(fromResult.lastUsage).toEqual({ inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 });

    const quota = { token_count: { input_tokens: 4, output_tokens: 5 }, model_usage: [{ model: 'm' }] };
    const fromQuota = await run([{ result: { stopReason: 'end_turn', _meta: { quota } } }]);
    expect(fromQuota.lastUsage).toEqual({ inputTokens: 4, outputTokens: 5, model: 'm' });

    const chunk = {
      update: {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: '' },
        _meta: { usage: { inputTokens: 1, outputTokens: 1 } },
      },
    };
    const fromChunks = await run([chunk, chunk]);
    expect(fromChunks.lastUsage).toEqual({ inputTokens: 2, outputTokens: 2 });

    const late = await run([{ result: { stopReason: 'end_turn' } }, { update: usage }]);
    expect(late.lastUsage).toEqual({
      _meta: { contextTokens: 5, contextWindow: 9, cost: { amount: 1, currency: 'USD' } },
    });
  });
});

describe('prompts', () => {
  const png = { type: 'embeddedResource' as const, label: 'p.png', data: 'AAAA', contentType: 'image/png' };
  const note = { type: 'embeddedResource' as const, label: 'n.txt', data: 'aGk=', contentType: 'text/plain' };
  const simple = { type: 'simple' as const, label: 's', modelRepresentation: 'simply this' };
  const file = { type: 'resource' as const, label: 'a.ts', uri: 'file:///w/a.ts' };

  const picture = {
    type: 'resource' as const,
    label: 'q.png',
    uri: 'file:///w/q.png',
    contentType: 'image/png',
  };
  const gone = { type: 'resource' as const, label: 'gone', uri: 'file:///w/gone' };
  const readResource = async (uri: string) => {
    if (uri === gone.uri) throw new UnreadableResource('missing', uri);
    return uri === picture.uri ? { data: Buffer.from([0]) } : { data: Buffer.from('let a;') };
  };
  const goneText = { type: 'text', text: '[gone (file:///w/gone) is attached, but the file does not exist]' };
  const goneNotice = 'gone did not reach the agent: the file does not exist.';

  async function prompted(offer: Offer): Promise<{ blocks: unknown; notices: unknown }> {
    const chat = await openChat(scriptedAgent(offer), { workingDirectory: temporaryFolder() });
    const attachments = [png, note, simple, file, picture, gone];
    const turn = chat.prompt(steps({ sayPrompt: true }), { attachments, readResource });
    await turn.done;
    const notices = turn.output.events.flatMap((event) => (event.kind === 'notify' ? [event.content] : []));
    return { blocks: JSON.parse(turn.output.text), notices };
  }

  it('attachments are sent in a form that the agent accepts', async () => {
    const promptCapabilities = { image: true, embeddedContext: true };
    const { blocks, notices } = await prompted({ init: { agentCapabilities: { promptCapabilities } } });
    expect(notices).toEqual([goneNotice]);
    expect(blocks).toEqual([
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'attachment:n.txt', text: 'hi', mimeType: 'text/plain' } },
      { type: 'text', text: 'simply this' },
      { type: 'resource', resource: { uri: 'file:///w/a.ts', text: 'let a;', mimeType: 'text/plain' } },
      { type: 'image', data: 'AA==', mimeType: 'image/png', uri: 'file:///w/q.png' },
      goneText,
    ]);
  });

  it('content that an agent does not accept is described as text, and files are named', async () => {
    const { blocks, notices } = await prompted({});
    expect(notices).toEqual([
      'The agent does not accept image/png: it gets only the name of p.png.',
      goneNotice,
    ]);
    expect(blocks).toEqual([
      { type: 'text', text: '[p.png: image/png, which this agent does not accept]' },
      { type: 'text', text: '<attachment name="n.txt">\nhi\n</attachment>' },
      { type: 'text', text: 'simply this' },
      { type: 'resource_link', uri: 'file:///w/a.ts', name: 'a.ts', mimeType: 'text/plain' },
      { type: 'resource_link', uri: 'file:///w/q.png', name: 'q.png', mimeType: 'image/png' },
      goneText,
    ]);
  });
});
