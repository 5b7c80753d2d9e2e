import { describe, expect, it } from 'vitest';
import type { McpAuthRequirement } from '../mcp/state.ts';
import { skippedToolCall, type ToolCallStep, toolCallStep } from './reducer-tool-call.ts';
import type { ConfirmationOption, ToolCallResult, ToolCallState } from './tool-call.ts';

const call = {
  toolCallId: 'c1',
  toolName: 'oven',
  displayName: 'Oven',
  intention: 'To bake',
  _meta: { n: 0 },
};
const named = { ...call, invocationMessage: 'Heat', toolInput: '200' };
const options: ConfirmationOption[] = [
  { id: 'once', label: 'Once', kind: 'approve' },
  { id: 'never', label: 'Never', kind: 'deny' },
];
const [once, never] = options;
const result: ToolCallResult = {
  success: true,
  pastTenseMessage: 'Heated',
  content: [{ type: 'text', text: 'hot' }],
};
const to = { turnId: 't1', toolCallId: 'c1' };

const AUTH: McpAuthRequirement = { reason: 'required', resource: { resource: 'https://m' } };
const FAILED: ToolCallResult = { success: false, pastTenseMessage: 'Gave up' };

const STATES = {
  streaming: { ...call, status: 'streaming', partialInput: '{' },
  pending: { ...named, status: 'pending-confirmation', editable: true, options },
  running: { ...named, status: 'running', confirmed: 'user-action', ...(once && { selectedOption: once }) },
  authRequired: {
    ...named,
    contributor: { kind: 'mcp', customizationId: 'm' },
    status: 'auth-required',
    confirmed: 'user-action',
    auth: AUTH,
    content: [{ type: 'text', text: 'cold' }],
  },
  pendingResult: { ...named, ...result, status: 'pending-result-confirmation', confirmed: 'setting' },
  completed: { ...named, ...result, status: 'completed', confirmed: 'not-needed' },
  cancelled: { ...named, status: 'cancelled', reason: 'denied' },
} as const satisfies Record<string, ToolCallState>;

const ACTIONS = {
  delta: { ...to, type: 'chat/toolCallDelta', content: '}' },
  ready: { ...to, type: 'chat/toolCallReady', invocationMessage: 'Ask', confirmationTitle: 'Sure?', options },
  readyConfirmed: { ...to, type: 'chat/toolCallReady', invocationMessage: 'Go', confirmed: 'setting' },
  approved: { ...to, type: 'chat/toolCallConfirmed', approved: true, confirmed: 'user-action' },
  denied: { ...to, type: 'chat/toolCallConfirmed', approved: false, reason: 'denied' },
  content: { ...to, type: 'chat/toolCallContentChanged', content: [{ type: 'text', text: 'warm' }] },
  complete: { ...to, type: 'chat/toolCallComplete', result },
  completeAsking: { ...to, type: 'chat/toolCallComplete', result, requiresResultConfirmation: true },
  completeFailing: { ...to, type: 'chat/toolCallComplete', result: FAILED, requiresResultConfirmation: true },
  authRequired: { ...to, type: 'chat/toolCallAuthRequired', auth: AUTH },
  authResolved: { ...to, type: 'chat/toolCallAuthResolved' },
  resultApproved: { ...to, type: 'chat/toolCallResultConfirmed', approved: true },
  resultDenied: { ...to, type: 'chat/toolCallResultConfirmed', approved: false },
} as const satisfies Record<string, ToolCallStep>;

type StateName = keyof typeof STATES;
type ActionName = keyof typeof ACTIONS;

/** Every legal step with its complete result. A pair that is not listed changes nothing. */
const LEGAL: { [S in StateName]: { [A in ActionName]?: ToolCallState } } = {
  streaming: {
    delta: { ...call, status: 'streaming', partialInput: '{}' },
    ready: {
      ...call,
      status: 'pending-confirmation',
      invocationMessage: 'Ask',
      confirmationTitle: 'Sure?',
      options,
    },
    readyConfirmed: { ...call, status: 'running', invocationMessage: 'Go', confirmed: 'setting' },
  },
  pending: {
    ready: {
      ...named,
      status: 'pending-confirmation',
      invocationMessage: 'Ask',
      confirmationTitle: 'Sure?',
      editable: true,
      options,
    },
    readyConfirmed: { ...named, status: 'running', invocationMessage: 'Go', confirmed: 'setting' },
    completeFailing: { ...named, ...FAILED, status: 'pending-result-confirmation', confirmed: 'not-needed' },
    approved: { ...named, status: 'running', confirmed: 'user-action' },
    denied: { ...named, status: 'cancelled', reason: 'denied' },
    complete: { ...named, ...result, status: 'completed', confirmed: 'not-needed' },
    completeAsking: { ...named, ...result, status: 'pending-result-confirmation', confirmed: 'not-needed' },
  },
  running: {
    completeFailing: { ...STATES.running, ...FAILED, status: 'pending-result-confirmation' },
    ready: {
      ...call,
      toolInput: '200',
      status: 'pending-confirmation',
      invocationMessage: 'Ask',
      confirmationTitle: 'Sure?',
      options,
    },
    readyConfirmed: { ...named, status: 'running', invocationMessage: 'Go', confirmed: 'setting' },
    content: { ...STATES.running, content: [{ type: 'text', text: 'warm' }] },
    complete: { ...STATES.running, ...result, status: 'completed' },
    completeAsking: { ...STATES.running, ...result, status: 'pending-result-confirmation' },
  },
  authRequired: {
    authResolved: {
      ...named,
      contributor: { kind: 'mcp', customizationId: 'm' },
      status: 'running',
      confirmed: 'user-action',
      content: [{ type: 'text', text: 'cold' }],
    },
    completeFailing: {
      ...named,
      ...FAILED,
      contributor: { kind: 'mcp', customizationId: 'm' },
      status: 'completed',
      confirmed: 'user-action',
      content: [{ type: 'text', text: 'cold' }],
    },
  },
  pendingResult: {
    resultApproved: { ...named, ...result, status: 'completed', confirmed: 'setting' },
    resultDenied: { ...named, status: 'cancelled', reason: 'result-denied' },
  },
  completed: {},
  cancelled: {},
};

function names<T extends object>(table: T): Extract<keyof T, string>[] {
  const keys: Extract<keyof T, string>[] = [];
  for (const key in table) keys.push(key);
  return keys;
}

describe('the tool call state machine', () => {
  for (const state of names(STATES)) {
    for (const action of names(ACTIONS)) {
      const expected = LEGAL[state][action];
      const outcome = expected ? `becomes ${expected.status}` : 'stays as it is';
      it(`[CHAT-7] a ${STATES[state].status} call ${outcome} by ${action}`, () => {
        const next = toolCallStep(STATES[state], ACTIONS[action]);
        if (expected) expect(next).toStrictEqual(expected);
        else expect(next).toBe(STATES[state]);
      });
    }
  }

  it('[CHAT-7] a call in a state of a later protocol stays as it is', () => {
    const paused: ToolCallState = JSON.parse(
      '{"status":"paused","toolCallId":"c1","toolName":"x","displayName":"X"}',
    );
    for (const action of names(ACTIONS)) expect(toolCallStep(paused, ACTIONS[action])).toBe(paused);
    expect(skippedToolCall(paused)).toBe(paused);
  });
});

describe('the fields that a step keeps or replaces', () => {
  it('[CHAT-7] a delta replaces the invocation message only when it contains one', () => {
    const said = toolCallStep(STATES.streaming, { ...ACTIONS.delta, invocationMessage: 'Heating' });
    expect(said).toMatchObject({ partialInput: '{}', invocationMessage: 'Heating' });
    expect(toolCallStep(said, ACTIONS.delta)).toMatchObject({
      partialInput: '{}}',
      invocationMessage: 'Heating',
    });
  });

  it('[CHAT-7] an approval prefers the edited input, also an empty one', () => {
    const edited = toolCallStep(STATES.pending, { ...ACTIONS.approved, editedToolInput: '' });
    expect(edited).toMatchObject({ status: 'running', toolInput: '' });
  });

  it('[CHAT-7] a denial keeps its reason, message, suggestion and option', () => {
    const userSuggestion = { text: 'Use the stove', origin: { kind: 'user' } } as const;
    const extras = { reason: 'skipped', reasonMessage: 'Too hot', userSuggestion } as const;
    const denied = toolCallStep(STATES.pending, { ...ACTIONS.denied, ...extras, selectedOptionId: 'never' });
    expect(denied).toStrictEqual({ ...named, status: 'cancelled', ...extras, selectedOption: never });
  });

  it('[CHAT-7] an option that the call does not offer is not kept', () => {
    const running = toolCallStep(STATES.pending, { ...ACTIONS.approved, selectedOptionId: 'ghost' });
    expect(running).not.toHaveProperty('selectedOption');
  });

  it('[CHAT-7] the chosen option is kept at completion and at both answers to the result', () => {
    const waiting = toolCallStep(STATES.running, ACTIONS.completeAsking);
    expect(waiting).toMatchObject({ selectedOption: once });
    expect(toolCallStep(waiting, ACTIONS.resultApproved)).toMatchObject({ selectedOption: once });
    expect(toolCallStep(waiting, ACTIONS.resultDenied)).toMatchObject({ selectedOption: once });
  });

  it('[CHAT-7] a result cannot replace fields of the call', () => {
    const forged = { ...result, toolCallId: 'other', status: 'running', confirmed: 'setting', extra: 1 };
    const done = toolCallStep(STATES.running, { ...ACTIONS.complete, result: forged });
    expect(done).toMatchObject({ toolCallId: 'c1', status: 'completed', confirmed: 'user-action', extra: 1 });
  });

  for (const state of names(LEGAL)) {
    for (const action of names(LEGAL[state])) {
      it(`[CHAT-7] the _meta of ${action} replaces that of a ${STATES[state].status} call`, () => {
        const next = toolCallStep(STATES[state], { ...ACTIONS[action], _meta: { n: 1 } });
        expect(next._meta).toStrictEqual({ n: 1 });
      });
    }
  }
});

describe('calls that wait for a token', () => {
  const mcp = { kind: 'mcp', customizationId: 'm' } as const;
  const { content } = STATES.authRequired;

  it('[CHAT-30] only a running call of an MCP tool waits, and keeps its content meanwhile', () => {
    const running: ToolCallState = { ...STATES.running, contributor: mcp, content: [...content] };
    const waiting = toolCallStep(running, ACTIONS.authRequired);
    expect(waiting).toStrictEqual({ ...running, status: 'auth-required', auth: AUTH });
    expect(toolCallStep(waiting, ACTIONS.authResolved)).toStrictEqual(running);
    expect(toolCallStep(STATES.running, ACTIONS.authRequired)).toBe(STATES.running);
  });

  it('[CHAT-31] a failure ends it at once, with its own content if it has any', () => {
    const own = { ...FAILED, content: [] };
    const ended = toolCallStep(STATES.authRequired, { ...ACTIONS.completeFailing, result: own });
    expect(ended).toMatchObject({ status: 'completed', success: false, content: [] });
    expect(toolCallStep(STATES.authRequired, ACTIONS.complete)).toBe(STATES.authRequired);
  });
});

describe('a repeated toolCallReady', () => {
  const judge = { kind: 'judge', status: 'complete', reason: 'Only heats', safety: 0.9 } as const;

  it('[CHAT-33] keeps the question and the assessment that it does not repeat', () => {
    const plain = { ...to, type: 'chat/toolCallReady', invocationMessage: 'Heat' } as const;
    const asked: ToolCallState = { ...STATES.pending, confirmationTitle: 'Sure?', edits: { items: [] } };
    const judged = toolCallStep(asked, { ...plain, riskAssessment: judge });
    expect(judged).toStrictEqual({ ...asked, riskAssessment: judge });
    expect(toolCallStep(judged, plain)).toStrictEqual(judged);
  });

  it('[CHAT-34] replaces contributor and intention, but makes no call a client’s or another client’s', () => {
    const mcp = { kind: 'mcp', customizationId: 'm' } as const;
    const client = (clientId: string) => ({ kind: 'client', clientId }) as const;
    const ready = { ...ACTIONS.ready, intention: 'To cook' };
    const next = (call: ToolCallState, contributor: typeof mcp | ReturnType<typeof client>) =>
      toolCallStep(call, { ...ready, contributor });
    expect(next(STATES.streaming, mcp)).toMatchObject({ contributor: mcp, intention: 'To cook' });
    expect(next(STATES.streaming, client('a'))).not.toHaveProperty('contributor');
    const own: ToolCallState = { ...STATES.streaming, contributor: client('a') };
    expect(next(own, client('b'))).toMatchObject({ contributor: client('a'), intention: 'To cook' });
    expect(next(own, mcp)).toMatchObject({ contributor: client('a') });
  });

  it('[CHAT-35] keeps the earlier input, and an edit keeps a reference', () => {
    const reference = { uri: 'ahp-content:/x', sizeHint: 7 };
    const asked = toolCallStep(STATES.running, { ...ACTIONS.ready, toolInput: reference });
    expect(asked).toMatchObject({ toolInput: reference });
    expect(toolCallStep(asked, { ...ACTIONS.approved, editedToolInput: 'new' })).toMatchObject({
      toolInput: reference,
    });
    expect(toolCallStep(STATES.running, ACTIONS.ready)).toMatchObject({ toolInput: '200' });
    expect(toolCallStep(STATES.streaming, ACTIONS.ready)).not.toHaveProperty('toolInput');
  });

  it('[CHAT-36] a delta without content changes the message alone', () => {
    const said = { ...to, type: 'chat/toolCallDelta', invocationMessage: 'Heating' } as const;
    expect(toolCallStep(STATES.streaming, said)).toStrictEqual({
      ...STATES.streaming,
      invocationMessage: 'Heating',
    });
  });
});

describe('open calls at the end of a turn', () => {
  it('[CHAT-5] a finished call stays as it is', () => {
    expect(skippedToolCall(STATES.completed)).toBe(STATES.completed);
    expect(skippedToolCall(STATES.cancelled)).toBe(STATES.cancelled);
  });

  it.each(['pending', 'running', 'authRequired', 'pendingResult'] as const)(
    '[CHAT-5] [CHAT-32] a %s call is skipped',
    (state) => {
      const { contributor } = { contributor: undefined, ...STATES[state] };
      expect(skippedToolCall(STATES[state])).toStrictEqual({
        ...named,
        ...(contributor && { contributor }),
        status: 'cancelled',
        reason: 'skipped',
      });
    },
  );

  it('[CHAT-5] a streaming call keeps its invocation message, or gets an empty one', () => {
    const skipped = { ...call, status: 'cancelled', reason: 'skipped' };
    expect(skippedToolCall(STATES.streaming)).toStrictEqual({ ...skipped, invocationMessage: '' });
    const said: ToolCallState = { ...STATES.streaming, invocationMessage: 'Heating' };
    expect(skippedToolCall(said)).toStrictEqual({ ...skipped, invocationMessage: 'Heating' });
  });
});
