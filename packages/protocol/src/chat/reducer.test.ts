import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import type { ChatAction } from './actions.ts';
import type { ChatInputAnswer } from './input-request.ts';
import type { Message } from './message.ts';
import { chatReducer } from './reducer.ts';
import type { ActiveTurn, ChatState, ErrorResponsePart, ResponsePart, Turn } from './state.ts';
import type { ToolCallState } from './tool-call.ts';
import { errorOf, errorPartOf } from './turn-error.ts';

const OLD = '2026-02-03T04:05:06.789Z';
const BEGUN = '2026-06-01T00:00:00.000Z';
const ENDED = '2026-06-01T00:00:01.500Z';
const duration = 1_500;
const message: Message = { text: 'Bake', origin: { kind: 'user' } };
const answer: ChatInputAnswer = { state: 'draft', value: { kind: 'boolean', value: true } };

function chat(fields: Partial<ChatState> = {}): ChatState {
  return { resource: 'ahp-chat:/bakery', title: 'Bakery', status: 1, modifiedAt: OLD, turns: [], ...fields };
}

function active(responseParts: ResponsePart[] = [], id = 't1'): ActiveTurn {
  return { id, startedAt: BEGUN, message, responseParts };
}

function past(id: string): Turn {
  return { id, message, responseParts: [], state: 'complete' };
}

function toolPart(fields: Pick<ToolCallState, 'status'>): ResponsePart {
  const base = { toolCallId: 'c1', toolName: 'oven', displayName: 'Oven', invocationMessage: 'Heat' };
  const toolCall: ToolCallState = { ...base, confirmed: 'not-needed', ...JSON.parse(JSON.stringify(fields)) };
  return { kind: 'toolCall', toolCall };
}

function reduce(state: ChatState, ...actions: StateAction[]): ChatState {
  return actions.reduce((next, action) => chatReducer(next, action), state);
}

const turnStarted = { type: 'chat/turnStarted', turnId: 't1', startedAt: BEGUN, message } as const;
const failed: ErrorResponsePart = { kind: 'error', error: { errorType: 'agentError', message: 'no' } };
const resumable: ErrorResponsePart = { ...failed, resumable: true };
const inputRequested = { type: 'chat/inputRequested', request: { id: 'q' } } as const;

describe('turns', () => {
  it.each(['user', 'agent', 'tool', 'systemNotification', 'automation'] as const)(
    '[CHAT-25] a message may come from %s',
    (kind) => {
      const from: Message = { text: 'Bake', origin: { kind } };
      const action = { ...turnStarted, message: from };
      expect(reduce(chat(), action).activeTurn?.message).toStrictEqual(from);
    },
  );

  it('[CHAT-26] a notice of the system keeps its metadata', () => {
    const part: ResponsePart = { kind: 'systemNotification', content: 'Hot', _meta: { level: 1 } };
    const action = { type: 'chat/responsePart', turnId: 't1', part } as const;
    expect(reduce(chat(), turnStarted, action).activeTurn?.responseParts).toStrictEqual([part]);
  });

  it('[CHAT-3] [CHAT-20] a turn starts without parts, unread, in progress and modified at its start', () => {
    expect(reduce(chat({ status: 32 + 64 + 2 }), turnStarted)).toStrictEqual(
      chat({ status: 8 + 64, modifiedAt: BEGUN, activeTurn: active() }),
    );
  });

  it('[CHAT-3] a queued id removes the steering or queued message with that id, and no other', () => {
    const pending = { id: 'p', message };
    const from = { ...turnStarted, queuedMessageId: 'p' };
    expect(reduce(chat({ steeringMessage: pending }), from)).not.toHaveProperty('steeringMessage');
    expect(reduce(chat({ queuedMessages: [pending] }), from)).not.toHaveProperty('queuedMessages');
    const others = { steeringMessage: { id: 's', message }, queuedMessages: [{ id: 'a', message }] };
    expect(reduce(chat(others), from)).toMatchObject(others);
  });

  it.each([
    [{ type: 'chat/turnComplete', turnId: 't1', duration }, 'complete', 1],
    [{ type: 'chat/turnCancelled', turnId: 't1', duration }, 'cancelled', 1],
    [{ type: 'chat/error', turnId: 't1', duration, part: failed }, 'error', 2],
  ] as const)('[CHAT-5] [CHAT-20] [CHAT-22] %o moves the turn to the history', (action, state, activity) => {
    const parts: ResponsePart[] = [
      { kind: 'markdown', id: 'm', content: 'Half' },
      { kind: 'inputRequest', request: { id: 'q' } },
    ];
    const open = chat({ status: 24 + 32, activeTurn: active(parts) });
    const error = 'part' in action ? [action.part] : [];
    expect(reduce(open, action)).toStrictEqual(
      chat({
        status: activity + 32,
        modifiedAt: ENDED,
        turns: [{ ...active([...parts, ...error]), duration, state }],
      }),
    );
  });

  it('[CHAT-5] parts without an open tool call move to the history unchanged', () => {
    const parts: ResponsePart[] = [
      { kind: 'markdown', id: 'm', content: '' },
      toolPart({ status: 'completed' }),
    ];
    const next = reduce(chat({ activeTurn: active(parts) }), {
      type: 'chat/turnComplete',
      turnId: 't1',
      duration,
    });
    expect(next.turns[0]?.responseParts).toBe(parts);
  });

  it('[CHAT-20] a negative duration counts as 0', () => {
    const cancelled = { type: 'chat/turnCancelled', turnId: 't1', duration: -5 } as const;
    expect(reduce(chat({ activeTurn: active() }), cancelled)).toMatchObject({
      modifiedAt: BEGUN,
      turns: [{ duration: 0 }],
    });
  });

  it.each([
    ['a start that is no time', { ...active(), startedAt: 'soon' }, 1],
    ['a duration beyond all dates', active(), 1e300],
  ])('[CHAT-21] %s leaves modifiedAt alone at the end', (_, activeTurn, lasting) => {
    const ended = { type: 'chat/turnComplete', turnId: 't1', duration: lasting } as const;
    expect(reduce(chat({ activeTurn }), ended)).toMatchObject({
      modifiedAt: OLD,
      turns: [{ duration: lasting }],
    });
  });

  it('[CHAT-22] an error part that is not the end of a turn changes nothing', () => {
    const state = chat({ status: 8, activeTurn: active() });
    expect(reduce(state, { type: 'chat/responsePart', turnId: 't1', part: failed })).toBe(state);
  });

  it('[CHAT-22] the error of a turn is its last part when it failed', () => {
    const turn: Turn = { ...past('a'), state: 'error', responseParts: [failed, resumable] };
    expect(errorPartOf(turn)).toBe(resumable);
    expect(errorOf(turn)).toBe(resumable.error);
    expect(errorPartOf({ ...turn, state: 'complete' })).toBeUndefined();
    const text: ResponsePart = { kind: 'markdown', id: 'm', content: '' };
    expect(errorPartOf({ ...turn, responseParts: [failed, text] })).toBeUndefined();
  });

  const failedTurn = {
    ...active([{ kind: 'markdown', id: 'm', content: 'Half' }, resumable]),
    usage: { inputTokens: 1 },
    duration,
    state: 'error',
  } as const satisfies Turn;

  it('[CHAT-23] a resumed turn keeps its parts, usage and start, is unread, and modifies nothing', () => {
    const state = chat({ status: 2 + 32, turns: [past('a'), failedTurn] });
    const resumed = reduce(state, { type: 'chat/turnResume', turnId: 't1' });
    const { duration: _, state: __, ...kept } = failedTurn;
    expect(resumed).toStrictEqual(chat({ status: 8, turns: [past('a')], activeTurn: kept }));
    const again = reduce(resumed, { type: 'chat/error', turnId: 't1', duration: 9_000, part: failed });
    expect(again.turns.at(-1)).toStrictEqual({
      ...failedTurn,
      responseParts: [...failedTurn.responseParts, failed],
      duration: 9_000,
    });
  });

  it('[CHAT-23] a resumed turn without a start begins when the chat was last modified', () => {
    const { startedAt: _, ...turn } = failedTurn;
    const resumed = reduce(chat({ turns: [turn] }), { type: 'chat/turnResume', turnId: 't1' });
    expect(resumed.activeTurn?.startedAt).toBe(OLD);
  });

  it.each([
    ['another turn runs', chat({ turns: [failedTurn], activeTurn: active([], 't2') })],
    ['a later turn exists', chat({ turns: [failedTurn, past('b')] })],
    ['the turn was cancelled', chat({ turns: [{ ...failedTurn, state: 'cancelled' }] })],
    ['the error is final', chat({ turns: [{ ...failedTurn, responseParts: [failed] }] })],
    [
      'another part follows the error',
      chat({ turns: [{ ...failedTurn, responseParts: [resumable, toolPart({ status: 'completed' })] }] }),
    ],
  ])('[CHAT-23] nothing is resumed when %s', (_, state) => {
    expect(reduce(state, { type: 'chat/turnResume', turnId: 't1' })).toBe(state);
  });

  it('[CHAT-5] another turn id ends nothing', () => {
    const state = chat({ activeTurn: active() });
    expect(reduce(state, { type: 'chat/turnComplete', turnId: 't2', duration })).toBe(state);
    const idle = chat();
    expect(reduce(idle, { type: 'chat/turnCancelled', turnId: 't1', duration })).toBe(idle);
  });

  it('[CHAT-6] [CHAT-24] truncation without an id removes all turns and the cursor', () => {
    const full = chat({
      turns: [past('a'), past('b')],
      turnsNextCursor: 'x',
      activeTurn: active(),
      status: 8,
    });
    expect(reduce(full, { type: 'chat/truncated' })).toStrictEqual(chat());
  });

  it('[CHAT-6] [CHAT-24] truncation at a turn keeps the turn, earlier turns and the cursor', () => {
    const full = chat({
      turns: [past('a'), past('b'), past('c')],
      turnsNextCursor: 'x',
      activeTurn: active([{ kind: 'inputRequest', request: { id: 'q' } }]),
    });
    expect(reduce(full, { type: 'chat/truncated', turnId: 'b' })).toStrictEqual(
      chat({ turns: [past('a'), past('b')], turnsNextCursor: 'x' }),
    );
  });

  it('[CHAT-6] truncation at an unknown or a running turn changes nothing', () => {
    const state = chat({ turns: [past('a')], activeTurn: active(), status: 8 });
    expect(reduce(state, { type: 'chat/truncated', turnId: 'z' })).toBe(state);
    expect(reduce(state, { type: 'chat/truncated', turnId: 't1' })).toBe(state);
  });

  it('[CHAT-15] loaded turns go before the window, each id once, and modify nothing', () => {
    const loaded = { type: 'chat/turnsLoaded', turns: [past('a'), past('a'), past('b'), past('c')] } as const;
    const next = reduce(chat({ turns: [past('c')], turnsNextCursor: 'x' }), {
      ...loaded,
      turns: [...loaded.turns],
    });
    expect(next).toStrictEqual(chat({ turns: [past('a'), past('b'), past('c')] }));
  });
});

describe('content', () => {
  const parts: ResponsePart[] = [
    { kind: 'markdown', id: 'm', content: 'a' },
    { kind: 'reasoning', id: 'r', content: 'b' },
    toolPart({ status: 'running' }),
  ];
  const streaming = chat({ status: 8, activeTurn: active(parts) });

  it('[CHAT-4] text is appended to its part and leaves the others untouched', () => {
    const next = reduce(streaming, { type: 'chat/delta', turnId: 't1', partId: 'm', content: '!' });
    expect(next.activeTurn?.responseParts[0]).toStrictEqual({ kind: 'markdown', id: 'm', content: 'a!' });
    expect(next.activeTurn?.responseParts[1]).toBe(parts[1]);
    const thought = reduce(streaming, { type: 'chat/reasoning', turnId: 't1', partId: 'r', content: '?' });
    expect(thought.activeTurn?.responseParts[1]).toStrictEqual({ kind: 'reasoning', id: 'r', content: 'b?' });
  });

  it.each([
    { type: 'chat/delta', turnId: 't2', partId: 'm', content: '!' },
    { type: 'chat/delta', turnId: 't1', partId: 'r', content: '!' },
    { type: 'chat/delta', turnId: 't1', partId: 'c1', content: '!' },
    { type: 'chat/delta', turnId: 't1', partId: 'm', content: '' },
    { type: 'chat/reasoning', turnId: 't1', partId: 'm', content: '!' },
    { type: 'chat/responsePart', turnId: 't2', part: { kind: 'markdown', id: 'x', content: '' } },
    { type: 'chat/usage', turnId: 't2', usage: {} },
    { type: 'chat/toolCallStart', turnId: 't2', toolCallId: 'c2', toolName: 'x', displayName: 'X' },
    { type: 'chat/toolCallDelta', turnId: 't1', toolCallId: 'c1', content: 'x' },
  ] as const)('[CHAT-4] %o changes nothing', (action) => {
    expect(reduce(streaming, action)).toBe(streaming);
  });
});

describe('tool calls', () => {
  it('[CHAT-7] a confirmation with the values of the running call changes nothing', () => {
    const state = chat({ status: 8, activeTurn: active([toolPart({ status: 'running' })]) });
    const ready = {
      type: 'chat/toolCallReady',
      turnId: 't1',
      toolCallId: 'c1',
      confirmed: 'not-needed',
    } as const;
    expect(reduce(state, { ...ready, invocationMessage: 'Heat' })).toBe(state);
    const told = reduce(state, { ...ready, invocationMessage: 'Heat more' });
    expect(told.activeTurn?.responseParts).toMatchObject([{ toolCall: { invocationMessage: 'Heat more' } }]);
  });

  it('[CHAT-7] the call is found by its id among the parts of the active turn', () => {
    const parts = [toolPart({ status: 'running' }), { kind: 'markdown' as const, id: 'm', content: '' }];
    const state = chat({ status: 8, activeTurn: active(parts) });
    const content = [{ type: 'text' as const, text: 'warm' }];
    const changed = { type: 'chat/toolCallContentChanged', turnId: 't1', toolCallId: 'c1', content } as const;
    const next = reduce(state, changed);
    expect(next.activeTurn?.responseParts).toMatchObject([{ toolCall: { content } }, parts[1]]);
    expect(reduce(state, { ...changed, toolCallId: 'm' })).toBe(state);
    expect(reduce(state, { ...changed, turnId: 't2' })).toBe(state);
  });
});

describe('status', () => {
  const RECOMPUTING: ChatAction[] = [
    { type: 'chat/toolCallReady', turnId: 'x', toolCallId: 'x', invocationMessage: '' },
    { type: 'chat/toolCallConfirmed', turnId: 'x', toolCallId: 'x', approved: false, reason: 'denied' },
    {
      type: 'chat/toolCallComplete',
      turnId: 'x',
      toolCallId: 'x',
      result: { success: true, pastTenseMessage: '' },
    },
    { type: 'chat/toolCallResultConfirmed', turnId: 'x', toolCallId: 'x', approved: true },
    { type: 'chat/truncated' },
  ];
  it.each(RECOMPUTING)('[CHAT-10] $type ends Error, also when it matches nothing', (action) => {
    expect(reduce(chat({ status: 2 + 32 + 2 ** 33 }), action).status).toBe(1 + 32 + 2 ** 33);
  });

  it('[CHAT-10] content, drafts, pending messages and unmatched answers do not end Error', () => {
    const state = chat({ status: 2 });
    const next = reduce(
      state,
      { type: 'chat/delta', turnId: 'x', partId: 'x', content: 'x' },
      { type: 'chat/draftChanged', draft: message },
      { type: 'chat/pendingMessageSet', kind: 'queued', id: 'p', message },
      { type: 'chat/toolCallStart', turnId: 'x', toolCallId: 'x', toolName: 'x', displayName: 'x' },
      { type: 'chat/toolCallDelta', turnId: 'x', toolCallId: 'x', content: 'x' },
      { type: 'chat/toolCallContentChanged', turnId: 'x', toolCallId: 'x', content: [] },
    );
    expect(next.status).toBe(2);
  });

  it.each(['pending-confirmation', 'pending-result-confirmation'] as const)(
    '[CHAT-10] a call in %s needs input, also while other calls run',
    (status) => {
      const parts = [toolPart({ status }), toolPart({ status: 'running' })];
      const state = chat({ status: 8, activeTurn: active(parts) });
      const fitsNothing = {
        type: 'chat/toolCallReady',
        turnId: 't1',
        toolCallId: 'x',
        invocationMessage: '',
      } as const;
      expect(reduce(state, fitsNothing).status).toBe(24);
    },
  );

  it('[CHAT-10] after an answered question the status is InProgress', () => {
    const completed = { type: 'chat/inputCompleted', requestId: 'q', response: 'cancel' } as const;
    const running = chat({ activeTurn: active() });
    expect(reduce(running, inputRequested).status).toBe(24);
    expect(reduce(running, inputRequested, completed).status).toBe(8);
  });
});

describe('modification time', () => {
  const open = chat({
    turns: [past('a')],
    activeTurn: active([
      { kind: 'markdown', id: 'm', content: '' },
      toolPart({ status: 'running' }),
      { kind: 'inputRequest', request: { id: 'q' } },
    ]),
    queuedMessages: [{ id: 'p', message }],
  });
  const MODIFYING: [ChatAction, string][] = [
    [{ ...turnStarted, turnId: 't2', startedAt: '2026-06-01T02:00:00+02:00' }, '2026-06-01T02:00:00+02:00'],
    [{ type: 'chat/turnComplete', turnId: 't1', duration }, ENDED],
    [{ type: 'chat/turnCancelled', turnId: 't1', duration }, ENDED],
    [{ type: 'chat/error', turnId: 't1', duration, part: failed }, ENDED],
  ];
  const OTHERS: ChatAction[] = [
    { type: 'chat/truncated', turnId: 'a' },
    inputRequested,
    { type: 'chat/inputAnswerChanged', requestId: 'q', questionId: 'salt', answer },
    { type: 'chat/inputCompleted', requestId: 'q', response: 'accept' },
    { type: 'chat/responsePart', turnId: 't1', part: { kind: 'markdown', id: 'n', content: '' } },
    { type: 'chat/delta', turnId: 't1', partId: 'm', content: 'x' },
    { type: 'chat/usage', turnId: 't1', usage: { inputTokens: 1 } },
    { type: 'chat/toolCallStart', turnId: 't1', toolCallId: 'c2', toolName: 'x', displayName: 'x' },
    { type: 'chat/toolCallReady', turnId: 't1', toolCallId: 'c1', invocationMessage: 'Sure?' },
    { type: 'chat/toolCallContentChanged', turnId: 't1', toolCallId: 'c1', content: [] },
    {
      type: 'chat/toolCallComplete',
      turnId: 't1',
      toolCallId: 'c1',
      result: { success: true, pastTenseMessage: '' },
    },
    { type: 'chat/pendingMessageSet', kind: 'queued', id: 'o', message },
    { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'p' },
    { type: 'chat/draftChanged', draft: message },
    { type: 'chat/activityChanged', activity: 'Baking' },
    { type: 'chat/turnsLoaded', turns: [past('z')] },
  ];

  it.each(MODIFYING)('[CHAT-18] [CHAT-21] %o sets modifiedAt to %s', (action, modifiedAt) => {
    expect(reduce(open, action).modifiedAt).toBe(modifiedAt);
  });

  it.each(OTHERS)('[CHAT-21] $type changes the chat and not modifiedAt', (action) => {
    const next = reduce(open, action);
    expect(next).not.toBe(open);
    expect(next.modifiedAt).toBe(OLD);
  });

  it('[CHAT-14] a draft is set and cleared', () => {
    const drafted = reduce(chat(), { type: 'chat/draftChanged', draft: message });
    expect(drafted).toStrictEqual(chat({ draft: message }));
    expect(reduce(drafted, { type: 'chat/draftChanged' })).toStrictEqual(chat());
  });
});
