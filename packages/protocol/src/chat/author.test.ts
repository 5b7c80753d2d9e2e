import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import type { Author } from './author.ts';
import { chatReducer } from './reducer.ts';
import type { ChatState } from './state.ts';
import type { ToolCallState } from './tool-call.ts';

const ada: Author = { clientId: 'a', name: 'Page', device: 'Firefox on Linux' };
const bob: Author = { clientId: 'b', name: 'CLI' };
const to = { turnId: 't1', toolCallId: 'c1' };
const message = { text: 'Bake', origin: { kind: 'user' } } as const;
const started = {
  type: 'chat/turnStarted',
  turnId: 't1',
  startedAt: '2026-06-01T00:00:00.000Z',
  message,
} as const;
const asked: StateAction[] = [
  started,
  { ...to, type: 'chat/toolCallStart', toolName: 'oven', displayName: 'Oven' },
  { ...to, type: 'chat/toolCallReady', invocationMessage: 'Heat' },
];
const approved = { ...to, type: 'chat/toolCallConfirmed', approved: true, confirmed: 'user-action' } as const;
const result = { success: true, pastTenseMessage: 'Heated' };
const complete = { ...to, type: 'chat/toolCallComplete', result } as const;
const ended = { type: 'chat/turnComplete', turnId: 't1', duration: 1 } as const;

function reduce(...actions: StateAction[]): ChatState {
  const empty: ChatState = {
    resource: 'ahp-chat:/c',
    title: '',
    status: 1,
    modifiedAt: started.startedAt,
    turns: [],
  };
  return actions.reduce((state, action) => chatReducer(state, action), empty);
}

function callAfter(...actions: StateAction[]): ToolCallState | undefined {
  const { activeTurn, turns } = reduce(...asked, ...actions);
  const parts = (activeTurn ?? turns.at(-1))?.responseParts ?? [];
  return parts.flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []))[0];
}

describe('the author of an answer', () => {
  it('[CHAT-7] a tool call keeps the approver until it has completed, and after its turn', () => {
    const answered = { ...approved, 'x-by': ada };
    for (const after of [[], [complete], [complete, ended]])
      expect(callAfter(answered, ...after)).toMatchObject({ 'x-answeredBy': ada });
  });

  it('[CHAT-7] a tool call keeps the author of a denial, of the call or of its result', () => {
    const denied = {
      ...to,
      type: 'chat/toolCallConfirmed',
      approved: false,
      reason: 'denied',
      'x-by': bob,
    } as const;
    expect(callAfter(denied)).toMatchObject({ status: 'cancelled', 'x-answeredBy': bob });
    const asking = { ...complete, requiresResultConfirmation: true };
    const judged = { ...to, type: 'chat/toolCallResultConfirmed', 'x-by': bob } as const;
    for (const isApproved of [true, false])
      expect(
        callAfter({ ...approved, 'x-by': ada }, asking, { ...judged, approved: isApproved }),
      ).toMatchObject({
        'x-answeredBy': bob,
      });
  });

  it('[CHAT-7] a call that was approved without a person, or is asked about again, has no such field', () => {
    const setting = {
      ...to,
      type: 'chat/toolCallReady',
      invocationMessage: 'Go',
      confirmed: 'setting',
    } as const;
    const again = { ...to, type: 'chat/toolCallReady', invocationMessage: 'Again?' } as const;
    const answered = { ...approved, 'x-by': ada };
    for (const actions of [
      [approved, complete],
      [setting, complete],
      [answered, again],
      [answered, ended],
    ])
      expect(callAfter(...actions)).not.toHaveProperty('x-answeredBy');
  });

  it('[CHAT-7] the result of a tool cannot name an author', () => {
    const forged = { ...complete, result: { ...result, 'x-answeredBy': bob } };
    expect(callAfter(approved, forged)).not.toHaveProperty('x-answeredBy');
    expect(callAfter({ ...approved, 'x-by': ada }, forged)).toMatchObject({ 'x-answeredBy': ada });
  });

  it('[CHAT-28] a closed input request keeps its author', () => {
    const requested = { type: 'chat/inputRequested', request: { id: 'q' } } as const;
    const closed = { type: 'chat/inputCompleted', requestId: 'q', response: 'accept', 'x-by': ada } as const;
    const part = { kind: 'inputRequest', request: { id: 'q' }, response: 'accept', 'x-answeredBy': ada };
    expect(reduce(started, requested, closed).activeTurn?.responseParts).toStrictEqual([part]);
    expect(reduce(started, requested, closed, ended).turns[0]?.responseParts).toStrictEqual([part]);
  });
});

describe('the author of a message', () => {
  it('[CHAT-3] a turn keeps it after its end', () => {
    expect(reduce({ ...started, 'x-by': ada }).activeTurn).toMatchObject({ 'x-by': ada });
    expect(reduce({ ...started, 'x-by': ada }, ended).turns[0]).toMatchObject({ 'x-by': ada });
    expect(reduce(started, ended).turns[0]).not.toHaveProperty('x-by');
  });

  it('[CHAT-11] a queued message has its last author', () => {
    const set = { type: 'chat/pendingMessageSet', kind: 'queued', id: 'm', message } as const;
    expect(reduce(set, { ...set, 'x-by': ada }).queuedMessages).toStrictEqual([
      { id: 'm', message, 'x-by': ada },
    ]);
    const steering = { ...set, kind: 'steering', 'x-by': bob } as const;
    expect(reduce(steering).steeringMessage).toStrictEqual({ id: 'm', message, 'x-by': bob });
  });
});
