import type { ActionEnvelope, ChatState, SessionState, Snapshot, StateAction } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { dialectOf } from './dialect.ts';

const envelope = (action: StateAction): ActionEnvelope => ({ channel: 'x', serverSeq: 1, action });
const inputPart: StateAction = {
  type: 'chat/responsePart',
  turnId: 't',
  part: { kind: 'inputRequest', request: { id: 'q' }, response: 'decline' },
};
const set: StateAction = {
  type: 'session/inputNeededSet',
  request: { kind: 'chatInput', id: 'i', chat: 'c', request: { id: 'q' } },
};
const loaded: StateAction = { type: 'chat/turnsLoaded', turns: [] };
const mcp: StateAction = { type: 'session/mcpServerStartRequested', id: 'm' };
const plain: StateAction = { type: 'chat/delta', turnId: 't', partId: 'p', content: 'x' };

describe('[CONN-9] the output for a version', () => {
  it.each<[string, '0.5.0' | '0.5.1' | '0.5.2', StateAction, boolean]>([
    ['inputNeededSet', '0.5.0', set, false],
    ['inputNeededSet', '0.5.1', set, true],
    ['turnsLoaded', '0.5.0', loaded, false],
    ['turnsLoaded', '0.5.1', loaded, true],
    ['an inputRequest part', '0.5.1', inputPart, false],
    ['an inputRequest part', '0.5.2', inputPart, true],
    ['an MCP request', '0.5.1', mcp, false],
    ['an MCP request', '0.5.2', mcp, true],
    ['a delta', '0.5.0', plain, true],
  ])('[CONN-9] %s at %s', (_, version, action, isSent) => {
    expect(dialectOf(version).envelope(envelope(action)) !== undefined).toBe(isSent);
  });

  it('[CONN-9] a snapshot of a session has no inputNeeded before 0.5.1', () => {
    const state: SessionState = {
      provider: 'p',
      title: '',
      status: 1,
      lifecycle: 'ready',
      activeClients: [],
      chats: [],
      inputNeeded: [],
    };
    const snapshot: Snapshot = { resource: 's', fromSeq: 1, state };
    expect(dialectOf('0.5.0').snapshot(snapshot).state).not.toHaveProperty('inputNeeded');
    expect(dialectOf('0.5.1').snapshot(snapshot).state).toHaveProperty('inputNeeded');
    expect(dialectOf('0.5.2').snapshot(snapshot)).toBe(snapshot);
  });

  it('[CONN-9] snapshots of chats and later turns have no inputRequest parts before 0.5.2, in completed and in running turns', () => {
    const parts: ChatState['turns'][number]['responseParts'] = [
      { kind: 'markdown', id: 'm', content: 'x' },
      { kind: 'inputRequest', request: { id: 'q' }, response: 'decline' },
    ];
    const message = { text: '', origin: { kind: 'user' as const } };
    const state: ChatState = {
      resource: 'c',
      title: '',
      status: 8,
      modifiedAt: '2026-01-01T00:00:00.000Z',
      turns: [{ id: 'a', message, responseParts: parts, state: 'complete' }],
      activeTurn: { id: 'b', message, responseParts: parts },
    };
    const snapshot: Snapshot = { resource: 'c', fromSeq: 1, state };
    const old = dialectOf('0.5.1').snapshot(snapshot).state;
    expect(JSON.stringify(old)).not.toContain('inputRequest"');
    expect(old).toMatchObject({
      turns: [{ id: 'a', responseParts: [{ kind: 'markdown' }] }],
      activeTurn: { id: 'b', responseParts: [{ kind: 'markdown' }] },
    });
    expect(dialectOf('0.5.2').snapshot(snapshot)).toBe(snapshot);
    // The host's own object does not change.
    expect(state.turns[0]?.responseParts).toHaveLength(2);
    const older: StateAction = { type: 'chat/turnsLoaded', turns: state.turns, turnsNextCursor: 'c' };
    const page = { turns: state.turns, hasMore: true };
    const known = [{ id: 'a', responseParts: [{ kind: 'markdown' }] }];
    const sent = dialectOf('0.5.1').envelope(envelope(older));
    expect(sent?.action).toMatchObject({ type: 'chat/turnsLoaded', turns: known, turnsNextCursor: 'c' });
    expect(dialectOf('0.5.1').result('fetchTurns', page)).toMatchObject({ turns: known, hasMore: true });
    expect(dialectOf('0.5.2').envelope(envelope(older))?.action).toBe(older);
    expect(dialectOf('0.5.2').result('fetchTurns', page)).toBe(page);
    expect(dialectOf('0.5.1').result('disposeChat', null)).toBeNull();
  });

  const call = { toolCallId: 'c', toolName: 'run', displayName: 'Run' };
  const output: StateAction = {
    type: 'chat/toolCallComplete',
    turnId: 't',
    toolCallId: 'c',
    result: {
      success: true,
      pastTenseMessage: 'ran',
      content: [
        { type: 'terminalComplete', preview: 'ok', exitCode: 0 },
        { type: 'resource', uri: 'file:///a', nonce: 'n' },
      ],
      structuredContent: { intention: 'opaque', nonce: 'opaque' },
    },
  };

  it('[CONN-9] output of a command is text before 0.5.2, and content has no nonce before 0.5.1', () => {
    const sent = (version: '0.5.0' | '0.5.1') => dialectOf(version).envelope(envelope(output))?.action;
    const text = { type: 'text', text: 'ok' };
    expect(sent('0.5.1')).toEqual({
      ...output,
      result: { ...output.result, content: [text, { type: 'resource', uri: 'file:///a', nonce: 'n' }] },
    });
    expect(sent('0.5.0')).toEqual({
      ...output,
      result: { ...output.result, content: [text, { type: 'resource', uri: 'file:///a' }] },
    });
    expect(dialectOf('0.5.2').envelope(envelope(output))?.action).toBe(output);
  });

  it('[CONN-9] a tool call has its intention from 0.5.1 on, in its start and in every state', () => {
    const start: StateAction = { type: 'chat/toolCallStart', turnId: 't', ...call, intention: 'look' };
    expect(dialectOf('0.5.0').envelope(envelope(start))?.action).toEqual({
      type: 'chat/toolCallStart',
      turnId: 't',
      ...call,
    });
    expect(dialectOf('0.5.1').envelope(envelope(start))?.action).toBe(start);
    const message = { text: '', origin: { kind: 'user' as const } };
    const state: ChatState = {
      resource: 'c',
      title: '',
      status: 8,
      modifiedAt: '2026-01-01T00:00:00.000Z',
      turns: [],
      turnsNextCursor: 'before-1',
      activeTurn: {
        id: 't',
        message,
        responseParts: [{ kind: 'toolCall', toolCall: { ...call, status: 'streaming', intention: 'look' } }],
      },
    };
    const { turnsNextCursor: _, ...rest } = state;
    expect(dialectOf('0.5.0').snapshot({ resource: 'c', fromSeq: 1, state }).state).toEqual({
      ...rest,
      activeTurn: {
        id: 't',
        message,
        responseParts: [{ kind: 'toolCall', toolCall: { ...call, status: 'streaming' } }],
      },
    });
  });

  it('[CONN-9] initialize has the server info and the command prefix from 0.5.2 on, and capabilities of agents from 0.5.1 on', () => {
    const result = { protocolVersion: 'v', serverSeq: 1, snapshots: [] };
    const facts = { serverInfo: { name: 'a', version: '1' }, terminalCommandPrefix: '!', 'x-scope': 'admin' };
    expect(dialectOf('0.5.1').result('initialize', { ...result, ...facts })).toEqual({
      ...result,
      'x-scope': 'admin',
    });
    const agent = { provider: 'p', displayName: 'P', description: '', models: [] };
    const agents: StateAction = {
      type: 'root/agentsChanged',
      agents: [{ ...agent, capabilities: { multipleChats: {} } }],
    };
    expect(dialectOf('0.5.0').envelope(envelope(agents))?.action).toEqual({
      type: 'root/agentsChanged',
      agents: [agent],
    });
    expect(dialectOf('0.5.1').envelope(envelope(agents))?.action).toBe(agents);
  });
});
