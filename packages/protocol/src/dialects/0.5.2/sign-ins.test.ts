import { describe, expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';
import { StateNeeded } from '../reshape.ts';

const call = {
  toolCallId: 'c',
  toolName: 'find',
  displayName: 'Find',
  invocationMessage: 'Find it',
  contributor: { kind: 'mcp', customizationId: 'm' },
  confirmed: 'not-needed',
};
const auth = { reason: 'required', resource: { resource: 'https://m' } };
const content = [{ type: 'text', text: 'half' }];
const waiting = { ...call, status: 'auth-required', auth, content };
const chat = {
  resource: 'c',
  title: '',
  status: 24,
  modifiedAt: '2026-01-01T00:00:00.000Z',
  turns: [],
  activeTurn: {
    id: 't',
    startedAt: '2026-01-01T00:00:00.000Z',
    message: { text: '', origin: { kind: 'user' } },
    responseParts: [{ kind: 'toolCall', toolCall: waiting }],
  },
};

describe('calls that wait for a token, for 0.5.2', () => {
  const dialect = dialectOf('0.5.2');

  it('[CHAT-30] [DIA-2] run, with their content', () => {
    expect(dialect.stateDown('chat', chat, {})).toMatchObject({
      activeTurn: {
        responseParts: [{ kind: 'toolCall', toolCall: { ...call, status: 'running', content } }],
      },
    });
    expect(dialectOf('0.6.0').stateDown('chat', chat, {})).toMatchObject({
      activeTurn: { responseParts: [{ toolCall: { status: 'auth-required', auth } }] },
    });
  });

  it('[SESS-25] [DIA-4] send neither their actions nor their entries', () => {
    const at = { turnId: 't', toolCallId: 'c' };
    expect(dialect.actionDown({ type: 'chat/toolCallAuthRequired', ...at, auth }, {})).toEqual([]);
    expect(dialect.actionDown({ type: 'chat/toolCallAuthResolved', ...at }, {})).toEqual([]);
    const request = { kind: 'toolAuthentication', id: 'i', chat: 'c', turnId: 't', toolCall: waiting };
    const set = { type: 'session/inputNeededSet', request };
    expect(dialect.actionDown(set, { before: {} })).toEqual([]);
    expect(dialect.stateDown('session', { inputNeeded: [request] }, {})).toEqual({});
    const other = { ...request, kind: 'toolConfirmation' };
    expect(dialect.stateDown('session', { inputNeeded: [request, other] }, {})).toMatchObject({
      inputNeeded: [{ kind: 'toolConfirmation' }],
    });
    const removal = { type: 'session/inputNeededRemoved', id: 'i' };
    expect(dialect.actionDown(set, { before: { inputNeeded: [other] } })).toEqual([removal]);
    expect(dialect.actionDown(set, {})).toEqual([removal]);
  });

  it('[CHAT-31] a sign-in that is given up leaves the content that 1.0 keeps', () => {
    const result = { success: false, pastTenseMessage: 'Gave up' };
    const failed = {
      type: 'chat/toolCallComplete',
      turnId: 't',
      toolCallId: 'c',
      result,
      requiresResultConfirmation: true,
    };
    const [sent] = dialect.actionDown(failed, { before: chat });
    expect(sent).toEqual({
      type: 'chat/toolCallComplete',
      turnId: 't',
      toolCallId: 'c',
      result: { ...result, content },
    });
    const { requiresResultConfirmation: _, ...ended } = failed;
    const bare = { ...chat.activeTurn.responseParts[0]?.toolCall, content: undefined };
    const before = {
      ...chat,
      activeTurn: { ...chat.activeTurn, responseParts: [{ kind: 'toolCall', toolCall: bare }] },
    };
    expect(dialect.actionDown(failed, { before })).toEqual([ended]);
    expect(dialect.actionDown(failed, { before: { ...chat, activeTurn: undefined } })).toEqual([failed]);
    const succeeded = { ...failed, result: { ...result, success: true } };
    expect(dialect.actionDown(succeeded, { before: chat })).toEqual([succeeded]);
    expect(() => dialect.actionDown(failed, {})).toThrow(StateNeeded);
  });

  it('[CHAT-33] [DIA-4] no assessment of a risk is sent', () => {
    const risk = { kind: 'judge', status: 'loading' };
    const ready = { type: 'chat/toolCallReady', turnId: 't', toolCallId: 'c', invocationMessage: 'Sure?' };
    const asked = { ...ready, toolInput: 'x' };
    expect(dialect.actionDown({ ...asked, riskAssessment: risk }, {})).toEqual([asked]);
  });
});

it('[MCP-20] the client registration of a server that waits is not sent to 0.5', () => {
  const state = { kind: 'authRequired', reason: 'required', resource: { resource: 'r' } };
  const action = {
    type: 'session/mcpServerStateChanged',
    id: 'm',
    state: { ...state, oauthClient: { clientId: 'c' } },
  };
  expect(dialectOf('0.5.2').actionDown(action, {})).toEqual([{ ...action, state }]);
  expect(dialectOf('0.6.0').actionDown(action, {})[0]).toBe(action);
});
