import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClientTool } from '@agenthost/host/agent';
import type { ToolCallResult } from '@agenthost/protocol';
import { openChat } from '@agenthost/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type AcpTimers, processTimers } from '../src/acp/runtime.ts';
import { ManualTimers, permission, scriptedAgent, steps, temporaryFolder, toolCall } from './acp-chats.ts';
import type { Offer, Step } from './acp-scripted-agent.ts';
import { McpClient, type ServerEntry } from './scripted-mcp.ts';

const LOOK: ClientTool = {
  clientId: 'tv',
  name: 'look',
  definition: {
    name: 'look',
    description: 'Looks around',
    inputSchema: { type: 'object', properties: { far: { type: 'boolean' } } },
    outputSchema: { type: 'object' },
  },
};
const OTHERS: readonly ClientTool[] = [LOOK, { ...LOOK, name: 'look_1a2b3c' }];
const SEEN: ToolCallResult = {
  success: true,
  pastTenseMessage: 'Looked',
  content: [{ type: 'text', text: 'a window' }],
};
const canLoad = { agentCapabilities: { loadSession: true } };
const canLoadAndClose = { agentCapabilities: { loadSession: true, sessionCapabilities: { close: {} } } };

const yesOrNo = ['allow_once:yes', 'reject_once:no'];
const textPart = (text: string) => ({ type: 'content', content: { type: 'text', text } });

const list: Step = { mcp: { method: 'tools/list' } };
const call = (name = 'look') => ({
  mcp: { method: 'tools/call', params: { name, arguments: { far: true } } },
});

async function opened(offer: Offer = { init: canLoad }, offered: readonly ClientTool[] = [LOOK]) {
  const provider = scriptedAgent(offer);
  const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
  const prompt = (...todo: Step[]) => {
    chat.host.offered = offered;
    return chat.prompt(steps(...todo));
  };
  return { provider, chat, prompt };
}

/** As in `offered-tools.ts`. */
const FIRST_LIMIT_MS = 5_000;
const SETTLE_MS = 400;

/** A chat with tools of clients, and an agent that is known to list them late. The test lets the time of the two delays pass. */
async function late(offer: Offer) {
  const timers = new ManualTimers();
  const isHeld = (ms: number): boolean => ms === FIRST_LIMIT_MS || ms === SETTLE_MS;
  const after: AcpTimers['after'] = (ms, callback) =>
    (isHeld(ms) ? timers : processTimers).after(ms, callback);
  // Its session is opened again, with the tools, at the first message.
  const init = { agentCapabilities: { sessionCapabilities: { resume: {} } } };
  const provider = scriptedAgent({ init, ...offer }, { listsToolsLate: true }, { timers: { after } });
  const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
  chat.host.offered = [LOOK];
  const prompt = (...todo: Step[]) => chat.prompt(steps(...todo));
  const waits = (ms: number) => vi.waitFor(() => expect(timers.waitingMs).toContain(ms), { timeout: 20_000 });
  return { provider, timers, prompt, waits };
}

/** Runs one turn to its end. */
async function played(todo: Step[], result: ToolCallResult = SEEN) {
  const { prompt } = await opened();
  const { output, done } = prompt(...todo);
  output.onClientTool = () => result;
  await done;
  return output;
}

async function entryOf(): Promise<{ entry: ServerEntry; end: () => Promise<void> }> {
  const { chat, prompt, provider } = await opened();
  const turn = prompt({ sayCalls: 'session/new' });
  await turn.done;
  const created = JSON.parse(turn.output.text) as { mcpServers: ServerEntry[] }[];
  const entry = created.at(-1)?.mcpServers[0];
  if (entry === undefined) throw new Error('no server was given');
  return {
    entry,
    end: async () => {
      await chat.session.close();
      await provider.dispose();
    },
  };
}

describe('tools of clients in an ACP agent', () => {
  it('[CHAT-9] are listed and called by the agent over the Model Context Protocol during the turn', async () => {
    const { prompt } = await opened();
    const { output, done } = prompt(list, { sayAnswer: true }, { say: '|' }, call(), { sayAnswer: true });
    output.onClientTool = () => SEEN;
    await done;
    const [listed = '', answered = ''] = output.text.split('|');
    expect(JSON.parse(listed)).toMatchObject({
      tools: [{ name: 'look', description: 'Looks around', inputSchema: LOOK.definition.inputSchema }],
    });
    expect(listed).not.toContain('outputSchema');
    expect(output.clientCalls).toEqual([{ clientId: 'tv', toolName: 'look', toolInput: '{"far":true}' }]);
    expect(JSON.parse(answered)).toEqual({ content: [{ type: 'text', text: 'a window' }] });
  });

  it('[CHAT-9] a failed tool and an unknown tool are errors for the model', async () => {
    const failure = { success: false, pastTenseMessage: 'Failed', error: { message: 'it was dark' } };
    const output = await played(
      [call(), { sayAnswer: true }, { say: '|' }, call('gone'), { sayAnswer: true }],
      failure,
    );
    const [failed = '', unknown = ''] = output.text.split('|');
    expect(JSON.parse(failed)).toEqual({ isError: true, content: [{ type: 'text', text: 'it was dark' }] });
    expect(JSON.parse(unknown)).toMatchObject({ isError: true });
    expect(output.clientCalls).toHaveLength(1);
  });

  it('[CHAT-9] a call that the agent cancels is withdrawn from the client', async () => {
    const { prompt } = await opened();
    const { output, done } = prompt({ mcpCancelled: call().mcp }, list, { say: 'on' });
    const calledOff = new Promise<void>((resolve) => {
      output.onClientTool = (_, withdrawn) =>
        new Promise((answer) => {
          const end = (): void => {
            resolve();
            answer(SEEN);
          };
          if (withdrawn?.aborted === true) end();
          else withdrawn?.addEventListener('abort', end);
        });
    });
    await calledOff;
    await done;
    expect(output.clientCalls).toHaveLength(1);
    expect(output.text).toBe('on');
  });

  it('[SESS-8] start no server before the first offer, which reopens the agent’s session with the tools', async () => {
    const { chat, prompt } = await opened({ init: canLoadAndClose });
    const before = chat.prompt(steps({ sayCalls: 'session/new' }));
    await before.done;
    expect(JSON.parse(before.output.text)).toMatchObject([{ mcpServers: [] }]);
    const first = prompt({ sayCalls: 'session/close' }, { say: '|' }, { sayCalls: 'session/load' });
    await first.done;
    const [closed = '', loaded = ''] = first.output.text.split('|');
    expect(JSON.parse(closed)).toHaveLength(1);
    expect(JSON.parse(loaded)).toMatchObject([
      { mcpServers: [{ name: 'agenthost', command: process.execPath }] },
    ]);
    // Later offers do not reopen the session.
    const second = prompt({ sayCalls: 'session/load' });
    await second.done;
    expect(JSON.parse(second.output.text)).toHaveLength(1);
  });

  it('[SESS-8] create the agent’s session again when it got no message yet, which some agents cannot resume', async () => {
    const { chat, prompt } = await opened({ init: canLoadAndClose });
    const { sessionId: unused } = chat.host.memory as { sessionId: string };
    const turn = prompt(
      ...['session/load', 'session/close', 'session/new'].map((sayCalls) => ({ sayCalls })),
    );
    await turn.done;
    const calls = `[${turn.output.text.replaceAll('][', '],[')}]`;
    expect(JSON.parse(calls)).toMatchObject([
      [],
      [{ sessionId: unused }],
      [{ mcpServers: [] }, { mcpServers: [{ name: 'agenthost' }] }],
    ]);
    expect(chat.host.memory).not.toMatchObject({ sessionId: unused });
    expect(chat.host.memory).not.toHaveProperty('isUnused');
  });

  it('are always served if the agent cannot reopen a session', async () => {
    const { chat } = await opened({}, []);
    const turn = chat.prompt(steps({ sayCalls: 'session/new' }));
    await turn.done;
    expect(JSON.parse(turn.output.text)).toMatchObject([{ mcpServers: [{ name: 'agenthost' }] }]);
  });

  it('[SESS-8] the agent is notified of changed offers', async () => {
    const { chat, prompt } = await opened();
    const turn = prompt(list, { sayMcpNotes: true }, list, { sayAnswer: true });
    await expect
      .poll(() => {
        chat.host.offered = OTHERS;
        chat.session.toolsChanged?.();
        return turn.output.text;
      })
      .toContain('notifications/tools/list_changed');
    await turn.done;
    expect(turn.output.text).toContain('look_1a2b3c');
    chat.host.offered = OTHERS;
    const next = chat.prompt(steps({ sayCalls: 'session/load' }));
    await next.done;
    expect(JSON.parse(next.output.text)).toEqual([]);
  });

  it('[SESS-8] the session of an agent that ignores the notification is reopened once', async () => {
    const { chat, prompt } = await opened();
    await prompt(list).done;
    const loadCount = async (offered: readonly ClientTool[]): Promise<unknown> => {
      chat.host.offered = offered;
      chat.session.toolsChanged?.();
      const { output, done } = chat.prompt(steps({ sayCalls: 'session/load' }));
      await done;
      const loads: unknown[] = JSON.parse(output.text);
      return loads.length;
    };
    expect([await loadCount(OTHERS), await loadCount(OTHERS), await loadCount([])]).toEqual([1, 1, 1]);
  });

  it.each([
    ['mcp__agenthost__look', {}],
    ['agenthost_look', { kind: 'other' }],
    ['look (agenthost MCP Server)', {}],
    [
      'mcp.agenthost.look',
      { kind: 'execute', rawInput: { server: 'agenthost', tool: 'look', arguments: { far: true } } },
    ],
  ])('[CHAT-9] a call that the agent also announces as %s shows once', async (title, fields) => {
    const output = await played([
      toolCall('a', { title, status: 'pending', ...fields }),
      toolCall('a', { status: 'in_progress' }, 'tool_call_update'),
      call(),
      toolCall('a', { status: 'completed' }, 'tool_call_update'),
      call(),
      toolCall('b', { title, status: 'in_progress', ...fields }),
      toolCall('b', { status: 'completed' }, 'tool_call_update'),
    ]);
    expect(output.clientCalls).toHaveLength(2);
    expect(output.calls).toEqual([]);
  });

  it('an announced call that never arrives shows as a call of the agent', async () => {
    const output = await played([
      toolCall('a', { title: 'agenthost_look', status: 'pending' }),
      toolCall('a', { status: 'failed' }, 'tool_call_update'),
    ]);
    expect(output.calls.map(({ id, status }) => [id, status])).toEqual([['a', 'completed']]);
  });

  it.each([
    ['a command with this name', 'execute', 'agenthost/look'],
    ['a longer name', 'other', 'agenthost_look_out'],
    ['a sentence about it', 'other', 'ask agenthost to look'],
    ['a command with this prefix', 'other', 'look (agenthost MCP Server) && rm -rf ~'],
  ])('%s is not a call of the tool', async (_, kind, title) => {
    const output = await played([toolCall('a', { title, kind, status: 'in_progress' }), call()]);
    expect(output.calls.map(({ id }) => id)).toEqual(['a']);
  });

  it.each([
    ['Claude Code', { title: 'mcp__agenthost__look', rawInput: { far: true } }],
    [
      'Gemini CLI',
      { title: 'look (agenthost MCP Server)', content: [textPart('{"far":true}')], locations: [] },
    ],
    ['OpenCode', { title: 'agenthost_look', rawInput: {}, locations: [] }],
  ])(
    '[CHAT-9] a permission request of %s for such a call is asked at the client’s call instead',
    async (_, fields) => {
      const output = await played([
        permission('a', yesOrNo, { kind: 'other', ...fields }),
        { sayAnswer: true },
        call(),
        toolCall('a', { status: 'completed' }, 'tool_call_update'),
      ]);
      expect(output.text).toContain('"optionId":"yes"');
      expect(output.calls).toEqual([]);
      expect(output.clientCalls).toMatchObject([{ toolName: 'look', asksFirst: true }]);
    },
  );

  it('[CHAT-9] a permission request of Codex, with only the id of its announced call, is for the client’s call', async () => {
    const rawInput = { server: 'agenthost', tool: 'look', arguments: { far: true } };
    const output = await played([
      toolCall('a', { title: 'mcp.agenthost.look', kind: 'execute', status: 'in_progress', rawInput }),
      permission('a', yesOrNo, { title: undefined, content: [textPart('Allow it?')] }),
      { sayAnswer: true },
      call(),
      toolCall('a', { status: 'completed', rawInput }, 'tool_call_update'),
    ]);
    expect(output.text).toContain('"optionId":"yes"');
    expect(output.calls).toEqual([]);
    expect(output.clientCalls).toMatchObject([{ toolName: 'look', asksFirst: true }]);
  });

  it.each<[string, object, object?]>([
    [
      'a command with additional input like Codex’s',
      { kind: 'execute', title: 'rm', rawInput: { command: 'rm', server: 'agenthost', tool: 'look' } },
    ],
    [
      'a command with the title of Codex’s call',
      {
        kind: 'execute',
        title: 'mcp.agenthost.look',
        rawInput: { command: 'rm', server: 'agenthost', tool: 'look' },
      },
    ],
    ['Codex’s input under another title', { title: 'rm', rawInput: { server: 'agenthost', tool: 'look' } }],
    ['a command with the prefix of a tool', { kind: 'other', title: 'agenthost_look && rm', rawInput: {} }],
    ['a title alone', { kind: 'other', title: 'agenthost_look' }],
    ['input for another tool', { kind: 'other', title: 'agenthost_look', rawInput: { command: 'rm' } }],
    [
      'a title that the model wrote',
      { kind: 'other', title: 'agenthost_look', rawInput: { far: 'agenthost_look' } },
    ],
    ['files', { kind: 'other', title: 'agenthost_look', rawInput: {}, locations: [{ path: '/etc' }] }],
    ['no kind', { kind: undefined, title: 'agenthost_look', rawInput: {} }],
    [
      'another tool’s name',
      { kind: 'other', title: 'agenthost_look', rawInput: {}, _meta: { x: { toolName: 'Bash' } } },
    ],
    [
      'a call that shows as a command',
      { kind: 'other', title: 'agenthost_look', rawInput: {} },
      { kind: 'execute', title: 'rm' },
    ],
    [
      'a call that was announced as the tool’s',
      { kind: 'execute', title: 'rm', rawInput: { command: 'rm' } },
      { kind: 'other', title: 'agenthost_look' },
    ],
  ])('[CHAT-9] a permission request for %s is asked with its own call', async (_, fields, announced) => {
    const { prompt } = await opened();
    const first = announced === undefined ? [] : [toolCall('a', { status: 'pending', ...announced })];
    const { output, done } = prompt(...first, permission('a', yesOrNo, fields), { sayAnswer: true });
    (await output.callIn('pending-confirmation')).answer({ approved: false, reason: 'denied' });
    await done;
    expect(output.text).toContain('"optionId":"no"');
    expect(output.calls.map(({ id }) => id)).toEqual(['a']);
  });

  it('[CHAT-9] calls withheld for a client’s call that never arrived show at the end of the turn', async () => {
    const output = await played([
      permission('a', yesOrNo, { title: 'mcp__agenthost__look', kind: 'other', rawInput: { far: true } }),
      toolCall('b', { title: 'agenthost_look', status: 'in_progress' }),
    ]);
    expect(output.calls.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('[CHAT-9] a permission request does not apply to an earlier call', async () => {
    const asked = permission('a', yesOrNo, { title: 'agenthost_look', kind: 'other', rawInput: {} });
    const output = await played([call(), asked, call()]);
    expect(output.clientCalls.map(({ asksFirst }) => asksFirst)).toEqual([undefined, true]);
    expect(output.calls).toEqual([]);
  });

  it('[CHAT-9] a permission request without the name of the tool shows as its own call, and the user is asked once', async () => {
    const { prompt } = await opened();
    const { output, done } = prompt(
      permission('a', yesOrNo, { title: '{"far":true}', kind: 'other' }),
      call(),
      toolCall('a', { status: 'completed', _meta: { toolName: 'mcp__agenthost__look' } }, 'tool_call_update'),
      call(),
      toolCall('b', { title: 'agenthost_look', status: 'in_progress' }),
      toolCall('b', { status: 'completed' }, 'tool_call_update'),
    );
    output.onClientTool = () => SEEN;
    (await output.callIn('pending-confirmation')).answer({ approved: true });
    await done;
    expect(output.calls.map(({ id, status }) => [id, status])).toEqual([['a', 'completed']]);
    expect(output.clientCalls).toMatchObject([{ toolName: 'look' }, { toolName: 'look' }]);
    expect(output.clientCalls.some(({ asksFirst }) => asksFirst === true)).toBe(false);
  });

  it('[CHAT-9] a host that cannot serve them runs turns without them, reports this, and retries', async () => {
    const { prompt, provider, chat } = await opened();
    const temporary = temporaryFolder();
    vi.stubEnv('TMPDIR', join(temporary, 'missing'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const first = prompt({ say: 'on' });
    await first.done;
    expect(first.output.text).toBe('on');
    const notices = first.output.events.filter(({ kind }) => kind === 'notify');
    expect(JSON.stringify(notices)).toContain('the host could not serve them');
    vi.stubEnv('TMPDIR', temporary);
    const second = prompt(list, { sayAnswer: true });
    await second.done;
    expect(second.output.text).toContain('"look"');
    vi.stubEnv('TMPDIR', join(temporary, 'missing'));
    await chat.session.close();
    await provider.dispose();
  });

  it('require the secret, on a socket that only this user can access', async () => {
    const { entry, end } = await entryOf();
    const value = (name: string) => entry.env.find((each) => each.name === name)?.value ?? '';
    const path = value('AGENTHOST_TOOLS_SOCKET');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(entry.args.every((arg) => !arg.includes(value('AGENTHOST_TOOLS_SECRET')))).toBe(true);
    const stranger = new McpClient({
      ...entry,
      env: entry.env.map(({ name, value: is }) => ({
        name,
        value: name.endsWith('SECRET') ? 'x'.repeat(64) : is,
      })),
    });
    void stranger.request('tools/list', {});
    // The exit code depends on whether the client could still write before the disconnect.
    expect([0, 1]).toContain(await stranger.exited);
    await end();
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  it('[CHAT-9] a message waits for an agent that lists the tools late', async () => {
    const { timers, prompt, waits } = await late({ listsTools: true });
    const { output, done } = prompt({ sayListed: true });
    // The delay after the list, which has come without the message.
    await waits(SETTLE_MS);
    expect(output.text).toBe('');
    timers.advance(SETTLE_MS);
    await done;
    expect(output.text).toBe('listed');
    const next = prompt({ say: 'at once' });
    await next.done;
  });

  it('[CHAT-9] a message waits at most 5 s for an agent that never lists the tools, once, and not after a cancel', async () => {
    const { timers, prompt, waits } = await late({});
    const cancelled = prompt({ say: 'not sent' });
    await waits(FIRST_LIMIT_MS);
    cancelled.controller.abort();
    await cancelled.done;
    expect(cancelled.output.text).toBe('');
    expect(timers.waitingMs).not.toContain(FIRST_LIMIT_MS);
    const { output, done } = prompt({ say: 'sent' });
    await waits(FIRST_LIMIT_MS);
    timers.advance(FIRST_LIMIT_MS - 1);
    expect(output.text).toBe('');
    timers.advance(1);
    await done;
    expect(output.text).toBe('sent');
    await prompt({ say: 'at once' }).done;
    // An agent that exits meanwhile ends the wait too.
    const other = await late({});
    const lost = other.prompt({ say: 'not sent' });
    await other.waits(FIRST_LIMIT_MS);
    await other.provider.dispose();
    await lost.done.catch(() => undefined);
    expect(other.timers.waitingMs).not.toContain(FIRST_LIMIT_MS);
  });

  it('[CHAT-9] a call outside of a turn fails with a clear error, and the server exits with the session', async () => {
    const { entry, end } = await entryOf();
    const agent = new McpClient(entry);
    const { result } = await agent.request('tools/call', { name: 'look', arguments: {} });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('during a turn') }],
    });
    await end();
    expect(await agent.exited).toBe(0);
  });
});
