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

describe('[CONN-9] what a version is sent', () => {
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

  it('[CONN-9] a snapshot of a chat and turns that come later have no inputRequest parts before 0.5.2, neither done nor running', () => {
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
    // The host's own stays as it is.
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
});
