import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import type { ChatInputAnswer } from './input-request.ts';
import { chatReducer } from './reducer.ts';
import type { ChatState } from './state.ts';

const OLD = '2026-02-03T04:05:06.789Z';
const NOW = Date.UTC(2026, 5, 1);
const NEW = '2026-06-01T00:00:00.000Z';
const answer: ChatInputAnswer = { state: 'draft', value: { kind: 'boolean', value: true } };
const inputRequested = { type: 'chat/inputRequested', request: { id: 'q' } } as const;

function chat(fields: Partial<ChatState> = {}): ChatState {
  return { resource: 'ahp-chat:/bakery', title: 'Bakery', status: 1, modifiedAt: OLD, turns: [], ...fields };
}

function reduce(state: ChatState, ...actions: StateAction[]): ChatState {
  return actions.reduce((next, action) => chatReducer(next, action, NOW), state);
}

describe('input requests', () => {
  const open = chat({ status: 24, inputRequests: [{ id: 'q', answers: { salt: answer } }] });

  it('[CHAT-13] a request clears IsRead and is appended to the open requests', () => {
    const next = reduce(chat({ status: 33 }), inputRequested, { ...inputRequested, request: { id: 'p' } });
    expect(next.inputRequests).toStrictEqual([{ id: 'q' }, { id: 'p' }]);
    expect(next.status).toBe(24);
  });

  it('[CHAT-13] a repeated request keeps the drafts unless it brings answers', () => {
    expect(reduce(open, inputRequested).inputRequests).toStrictEqual([
      { id: 'q', answers: { salt: answer } },
    ]);
    const bringing = { ...inputRequested, request: { id: 'q', answers: {} } };
    expect(reduce(open, bringing).inputRequests).toStrictEqual([{ id: 'q', answers: {} }]);
  });

  it.each([
    ['with empty answers, to nothing', { id: 'q' }, {}],
    ['with empty answers, to empty ones', { id: 'q', answers: {} }, {}],
    ['without answers, to empty ones', { id: 'q', answers: {} }, undefined],
  ])('[CHAT-13] a completion %s leaves no answers', (_, request, answers) => {
    const completed = {
      type: 'chat/inputCompleted',
      requestId: 'q',
      response: 'accept',
      ...(answers && { answers }),
    } as const;
    const activeTurn = {
      id: 't',
      message: { text: '', origin: { kind: 'user' as const } },
      responseParts: [],
    };
    const next = reduce(chat({ inputRequests: [request], activeTurn }), completed);
    expect(next.activeTurn?.responseParts).toStrictEqual([
      { kind: 'inputRequest', request: { id: 'q' }, response: 'accept' },
    ]);
  });

  it('[CHAT-13] clearing the last answer removes the answers', () => {
    const clear = { type: 'chat/inputAnswerChanged', requestId: 'q', questionId: 'salt' } as const;
    expect(reduce(open, clear).inputRequests).toStrictEqual([{ id: 'q' }]);
  });

  it('[CHAT-13] an answer to an unknown request changes nothing', () => {
    expect(
      reduce(open, { type: 'chat/inputAnswerChanged', requestId: 'z', questionId: 'salt', answer }),
    ).toBe(open);
    expect(reduce(open, { type: 'chat/inputCompleted', requestId: 'z', response: 'accept' })).toBe(open);
  });

  it('[CHAT-13] a question may have any id, also the name of an inherited member', () => {
    const set = { type: 'chat/inputAnswerChanged', requestId: 'q', questionId: '__proto__', answer } as const;
    const [request] = reduce(open, set).inputRequests ?? [];
    expect(Object.keys(request?.answers ?? {})).toStrictEqual(['salt', '__proto__']);
    expect(Object.getPrototypeOf(request?.answers)).toBe(Object.prototype);
  });

  it('[CHAT-13] without a turn a completed request leaves no part', () => {
    const next = reduce(open, { type: 'chat/inputCompleted', requestId: 'q', response: 'accept' });
    expect(next).toStrictEqual(chat({ modifiedAt: NEW }));
  });
});
