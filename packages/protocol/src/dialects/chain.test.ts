import { describe, expect, it } from 'vitest';
import type { ChatState } from '../chat/state.ts';
import type { SessionState } from '../session/state.ts';
import type { StateAction } from '../wire/envelope.ts';
import type { VersionLine } from '../wire/versions.ts';
import { dialectOf } from './chain.ts';

/** The first of the actions that a version is sent in place of one. */
const sentAt = (version: VersionLine, action: StateAction): unknown =>
  dialectOf(version).actionDown(action, { after: { customizations: [] } })[0];
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
    ['an MCP request', '0.5.1', mcp, true],
    ['an MCP request', '0.5.2', mcp, true],
    ['a delta', '0.5.0', plain, true],
  ])('[CONN-9] %s at %s', (_, version, action, isSent) => {
    expect(sentAt(version, action) !== undefined).toBe(isSent);
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
    expect(dialectOf('0.5.0').stateDown('session', state, {})).not.toHaveProperty('inputNeeded');
    expect(dialectOf('0.5.1').stateDown('session', state, {})).toHaveProperty('inputNeeded');
    expect(dialectOf('0.5.2').stateDown('session', state, {})).toBe(state);
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
      activeTurn: { id: 'b', startedAt: '2026-01-01T00:00:00.000Z', message, responseParts: parts },
    };
    const old = dialectOf('0.5.1').stateDown('chat', state, {});
    expect(JSON.stringify(old)).not.toContain('inputRequest"');
    expect(old).toMatchObject({
      turns: [{ id: 'a', responseParts: [{ kind: 'markdown' }] }],
      activeTurn: { id: 'b', responseParts: [{ kind: 'markdown' }] },
    });
    expect(dialectOf('0.6.0').stateDown('chat', state, {})).toBe(state);
    // The host's own object does not change.
    expect(state.turns[0]?.responseParts).toHaveLength(2);
    const older: StateAction = { type: 'chat/turnsLoaded', turns: state.turns, turnsNextCursor: 'c' };
    const page = { turns: state.turns, hasMore: true };
    const known = [{ id: 'a', responseParts: [{ kind: 'markdown' }] }];
    const sent = sentAt('0.5.1', older);
    expect(sent).toMatchObject({ type: 'chat/turnsLoaded', turns: known, turnsNextCursor: 'c' });
    expect(dialectOf('0.5.1').resultDown('fetchTurns', page, {})).toMatchObject({
      turns: known,
      hasMore: true,
    });
    expect(sentAt('0.5.2', older)).toBe(older);
    expect(dialectOf('0.5.2').resultDown('fetchTurns', page, {})).toBe(page);
    expect(dialectOf('0.5.1').resultDown('disposeChat', null, {})).toBeNull();
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
        { type: 'terminal', resource: 'r', title: 'Run', result: { preview: 'ok', exitCode: 0 } },
        { type: 'resource', uri: 'file:///a', nonce: 'n' },
      ],
      structuredContent: { intention: 'opaque', nonce: 'opaque' },
    },
  };

  it('[CONN-9] output of a command is text before 0.5.2, and content has no nonce before 0.5.1', () => {
    const sent = (version: '0.5.0' | '0.5.1') => sentAt(version, output);
    const live = { type: 'terminal', resource: 'r', title: 'Run' };
    const text = { type: 'text', text: 'ok' };
    expect(sent('0.5.1')).toEqual({
      ...output,
      result: { ...output.result, content: [live, text, { type: 'resource', uri: 'file:///a', nonce: 'n' }] },
    });
    expect(sent('0.5.0')).toEqual({
      ...output,
      result: { ...output.result, content: [live, text, { type: 'resource', uri: 'file:///a' }] },
    });
    const complete = { type: 'terminalComplete', resource: 'r', preview: 'ok', exitCode: 0 };
    expect(sentAt('0.5.2', output)).toMatchObject({ result: { content: [live, complete, {}] } });
    expect(sentAt('0.7.0', output)).toBe(output);
  });

  it('[CONN-9] a tool call has its intention from 0.5.1 on, in its start and in every state', () => {
    const start: StateAction = { type: 'chat/toolCallStart', turnId: 't', ...call, intention: 'look' };
    expect(sentAt('0.5.0', start)).toEqual({
      type: 'chat/toolCallStart',
      turnId: 't',
      ...call,
    });
    expect(sentAt('0.5.1', start)).toBe(start);
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
        startedAt: '2026-01-01T00:00:00.000Z',
        message,
        responseParts: [{ kind: 'toolCall', toolCall: { ...call, status: 'streaming', intention: 'look' } }],
      },
    };
    const { turnsNextCursor: _, ...rest } = state;
    expect(dialectOf('0.5.0').stateDown('chat', state, {})).toEqual({
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
    expect(dialectOf('0.5.1').resultDown('initialize', { ...result, ...facts }, {})).toEqual({
      ...result,
      'x-scope': 'admin',
    });
    const agent = { provider: 'p', displayName: 'P', description: '', models: [] };
    const agents: StateAction = {
      type: 'root/agentsChanged',
      agents: [{ ...agent, capabilities: { multipleChats: {} } }],
    };
    expect(sentAt('0.5.0', agents)).toEqual({
      type: 'root/agentsChanged',
      agents: [agent],
    });
    expect(sentAt('0.5.1', agents)).toBe(agents);
  });
});
