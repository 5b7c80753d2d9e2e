import { describe, expect, test } from 'vitest';
import { mcpStage, SESSION, testServer, textOf } from './mcp-fixture.ts';

describe('an MCP server of the host', () => {
  test('[MCP-1] starts with the session, and its tools get names with the server’s name', async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer() } });
    await stage.inState('ready');
    expect(await stage.servers()).toMatchObject([
      { id: 'mcp-host-test', name: 'test', uri: 'x-agenthost-config:/mcpServers/test' },
    ]);
    expect(stage.tools()).toContain('test__echo');
    expect(stage.host.agent.toolsChangedCount).toBeGreaterThan(0);
  });

  test('[MCP-21] a turn waits for a server that holds messages, until a client sends it to the background', async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer({}, '--silent') } });
    expect(await stage.inState('starting')).toStrictEqual({ kind: 'starting', blocking: true });
    const begun = stage.turn();
    await stage.until(async () => (await stage.lastTurn()) !== undefined);
    expect(stage.host.agent.turns).toHaveLength(0);
    await stage.client.act(SESSION, { type: 'session/mcpServerBackgroundRequested', id: 'mcp-host-test' });
    await begun;
    expect(await stage.inState('starting')).toStrictEqual({ kind: 'starting', blocking: false });
  });

  test('[MCP-1] a client stops it and starts it again', async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer() } });
    await stage.inState('ready');
    await stage.client.act(SESSION, { type: 'session/mcpServerStopRequested', id: 'mcp-host-test' });
    await stage.inState('stopped');
    await stage.until(() => stage.tools().length === 0);
    await stage.turn();
    expect(await stage.inState('stopped')).toEqual({ kind: 'stopped' });
    await stage.client.act(SESSION, { type: 'session/mcpServerStartRequested', id: 'mcp-host-test' });
    await stage.inState('ready');
    expect(textOf(await stage.call('test__echo', { a: 1 }))).toBe('echo {"a":1}');
  });

  test('[MCP-1] a request for a server that the session does not show is rejected', async () => {
    const stage = await mcpStage();
    expect(
      await stage.client.act(SESSION, { type: 'session/mcpServerStartRequested', id: 'other' }),
    ).toMatchObject({ rejectionReason: expect.stringContaining('unknownServer') });
  });

  test('[CUST-20] a disabled one is stopped, and no turn starts it', async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer() } });
    await stage.inState('ready');
    const toggle = (enabled: boolean) =>
      stage.client.act(SESSION, {
        type: 'session/customizationToggled',
        id: 'mcp-host-test',
        enablement: [{ kind: 'session', enabled }],
      });
    await toggle(false);
    await stage.inState('stopped');
    await stage.turn();
    expect(stage.tools()).toEqual([]);
    await toggle(true);
    await stage.inState('ready');
  });

  test('[MCP-1] one that cannot start says why, is started again after a delay, and gives up in the end', async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer({}, '--fail') } });
    const { error } = await stage.inState('error');
    expect(error.message).toBe('exit code 1: cannot start today; starting again in 1 s');
    for (const seconds of [1, 2, 4, 8, 16, 30]) {
      await stage.host.advance(seconds * 1_000);
      await stage.inState('error');
    }
    expect((await stage.inState('error')).error.message).toBe('exit code 1: cannot start today');
  });

  test('[MCP-1] a command that does not exist is not tried again', async () => {
    const stage = await mcpStage({ mcpServers: { test: { command: '/does/not/exist' } } });
    const { error } = await stage.inState('error');
    expect(error.message).toBe('/does/not/exist is no program');
    const other = await mcpStage({ mcpServers: { test: { command: 'does-not-exist' } } });
    expect((await other.inState('error')).error.message).toBe(
      'no command does-not-exist on the PATH of the host',
    );
  });

  test('[CONN-8] [MCP-1] after a kill it is shown as stopped, and the next turn starts it', async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer() } });
    await stage.inState('ready');
    await stage.host.restart();
    const again = await stage.host.client('ada');
    expect((await stage.servers(again))[0]?.state).toStrictEqual({ kind: 'stopped' });
  });

  test('gets the variables of its entry, and no others of the host but usual ones', async () => {
    process.env['AGENTHOST_TOKEN'] = 'secret';
    process.env['FOR_SERVERS'] = 'yes';
    const env = { GIVEN: '${FOR_SERVERS} and ${ABSENT:-more}' };
    const stage = await mcpStage({ mcpServers: { test: testServer({ env }) } });
    await stage.turn();
    expect(textOf(await stage.call('test__env'))).toBe(JSON.stringify(['yes and more', null, stage.folder]));
  });
});

describe('a call of an MCP tool', () => {
  const started = async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer() } });
    await stage.turn();
    return stage;
  };

  test('[MCP-1] that only reads runs without a question, and is shown as one of the server', async () => {
    const stage = await started();
    expect(await stage.call('test__echo', { a: 1 })).toMatchObject({
      success: true,
      content: [{ type: 'text', text: 'echo {"a":1}' }],
    });
    expect(await stage.lastCall()).toMatchObject({
      status: 'completed',
      toolName: 'test__echo',
      displayName: 'Echo (test)',
      contributor: { kind: 'mcp', customizationId: 'mcp-host-test' },
      confirmed: 'not-needed',
    });
  });

  test('[CHAT-7] that changes something is asked about, and runs with the edited input', async () => {
    const stage = await started();
    const done = stage.begin('test__remove', { a: 1 });
    const call = await stage.until(async () => {
      const last = await stage.lastCall();
      return last?.status === 'pending-confirmation' ? last : undefined;
    });
    expect(call).toMatchObject({ confirmationTitle: 'Run remove (test)?', editable: true });
    await stage.client.act(stage.chat, {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: call.toolCallId,
      approved: true,
      confirmed: 'user-action',
      editedToolInput: '{"a":2}',
    });
    let text = '';
    void done.then((result) => {
      text = textOf(result);
    });
    await stage.until(() => text !== '');
    expect(text).toBe('remove {"a":2}');
  });

  test('[CHAT-7] that was denied does not run, and the agent gets what the person said', async () => {
    const stage = await started();
    const done = stage.begin('test__add');
    const call = await stage.until(async () => {
      const last = await stage.lastCall();
      return last?.status === 'pending-confirmation' ? last : undefined;
    });
    expect(call.confirmationTitle).toBe('Run add (test)? It destroys nothing.');
    await stage.client.act(stage.chat, {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: call.toolCallId,
      approved: false,
      reason: 'denied',
      reasonMessage: 'not today',
      userSuggestion: { text: 'only list them', origin: { kind: 'user' } },
    });
    const message = 'It was denied: not today\nThe user wants instead: only list them';
    expect(await done).toMatchObject({ success: false, error: { code: 'denied', message } });
  });

  test('shows progress, and ends when the agent cancels it', async () => {
    const stage = await started();
    const withdrawn = new AbortController();
    const done = stage.begin('test__slow', {}, withdrawn.signal);
    await stage.until(async () => {
      const call = await stage.lastCall();
      const [block] = call?.status === 'running' ? (call.content ?? []) : [];
      return block?.type === 'text' && block.text === 'Progress: 1 of 3, began';
    });
    withdrawn.abort();
    expect(await done).toMatchObject({ success: false, error: { code: 'calledOff' } });
    expect(textOf(await stage.call('test__echo'))).toBe('echo {}');
  });

  test('ends after the time limit without progress', async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer({ toolTimeoutSeconds: 5 }) } });
    await stage.turn();
    const done = stage.begin('test__slow');
    await stage.until(async () => {
      const call = await stage.lastCall();
      return call?.status === 'running' && call.content !== undefined;
    });
    await stage.host.advance(5_000);
    expect(textOf(await done)).toBe('The MCP server test did not answer within 5 s');
  });

  test('[MCP-1] fails when the server crashes, which is started again', async () => {
    const stage = await started();
    const result = await stage.call('test__crash');
    expect(result).toMatchObject({
      success: false,
      pastTenseMessage: 'crash (test) failed',
      error: { message: 'The MCP server test ended during the call' },
    });
    expect((await stage.inState('error')).error.message).toBe(
      'it ended unexpectedly: exit code 3: out of luck; starting again in 1 s',
    );
    expect(stage.tools()).toEqual([]);
    await stage.host.advance(1_000);
    await stage.inState('ready');
    expect(textOf(await stage.call('test__echo'))).toBe('echo {}');
  });

  test('fails when the tool says so, with its reason', async () => {
    const stage = await started();
    expect(await stage.call('test__fail')).toMatchObject({
      success: false,
      error: { code: 'toolError', message: 'no such thing' },
    });
  });

  test('with a large result is cut for the agent, and a result of 50 MB is refused without harm to the server', async () => {
    const stage = await started();
    const cut = textOf(await stage.call('test__big', { bytes: 1_000_000 }));
    expect(cut.length).toBeLessThan(300_000);
    expect(cut).toContain('[Cut here: the tool returned 1000000 characters]');
    const refused = textOf(await stage.call('test__big', { bytes: 50_000_000 }));
    expect(refused).toMatch(
      /^(?:MCP error -32603: )?The server answered with 500000\d\d bytes; a message may have at most 16 MiB$/,
    );
    expect(textOf(await stage.call('test__echo'))).toBe('echo {}');
  });

  test('[CHAT-27] whose server asks people shows an input request, and gets the answer', async () => {
    const stage = await started();
    const done = stage.begin('test__ask');
    const request = await stage.until(() => stage.openRequest());
    expect(request).toMatchObject({
      message: 'test: Who?',
      questions: [
        { id: 'name', kind: 'text', required: true },
        { id: 'age', kind: 'integer' },
      ],
    });
    await stage.client.act(stage.chat, {
      type: 'chat/inputCompleted',
      requestId: request.id,
      response: 'accept',
      answers: { name: { state: 'submitted', value: { kind: 'text', value: 'Ada' } } },
    });
    let text = '';
    void done.then((result) => {
      text = textOf(result);
    });
    await stage.until(() => text !== '');
    expect(text).toBe('{"action":"accept","content":{"name":"Ada"}}');
  });

  test('gives its server the working directories as roots', async () => {
    const stage = await started();
    expect(textOf(await stage.call('test__roots'))).toBe(`{"roots":[{"uri":"file://${stage.folder}"}]}`);
  });

  test('sees tools that the server adds', async () => {
    const stage = await started();
    await stage.call('test__more');
    await stage.until(() => stage.tools().includes('test__extra'));
    expect(stage.tools()).toContain('test__extra');
  });

  test('of a tool that is gone fails', async () => {
    const stage = await started();
    expect(textOf(await stage.call('test__nothing'))).toBe('The host offers no tool test__nothing');
  });
});
