import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import type { ChatInputAnswer, ChatInputRequest } from './input-request.ts';
import { chatReducer } from './reducer.ts';
import type { ChatState, ResponsePart } from './state.ts';

const answer: ChatInputAnswer = { state: 'draft', value: { kind: 'boolean', value: true } };
const inputRequested = { type: 'chat/inputRequested', request: { id: 'q' } } as const;
const completed = { type: 'chat/inputCompleted', requestId: 'q', response: 'accept' } as const;
const text: ResponsePart = { kind: 'markdown', id: 'm', content: '' };
const open = (request: ChatInputRequest): ResponsePart => ({ kind: 'inputRequest', request });

function chat(fields: Partial<ChatState> = {}): ChatState {
  return {
    resource: 'ahp-chat:/bakery',
    title: 'Bakery',
    status: 1,
    modifiedAt: '2026-02-03T04:05:06.789Z',
    turns: [],
    ...fields,
  };
}

/** A chat with a running turn. */
const running = (parts: ResponsePart[], status = 24): ChatState =>
  chat({
    status,
    activeTurn: { ...TURN, responseParts: parts },
  });
const TURN = {
  id: 't',
  startedAt: '2026-02-03T04:05:06.789Z',
  message: { text: '', origin: { kind: 'user' as const } },
};

function reduce(state: ChatState, ...actions: StateAction[]): ChatState {
  return actions.reduce((next, action) => chatReducer(next, action), state);
}

describe('input requests', () => {
  const asking = running([open({ id: 'q', answers: { salt: answer } }), text]);

  it('[CHAT-27] [CHAT-28] a request clears IsRead and becomes an open part at the end of the active turn', () => {
    const next = reduce(running([text], 8 + 32), inputRequested, { ...inputRequested, request: { id: 'p' } });
    expect(next).toStrictEqual(running([text, open({ id: 'q' }), open({ id: 'p' })]));
  });

  it('[CHAT-28] without an active turn a request changes nothing', () => {
    const idle = chat({ status: 33 });
    expect(reduce(idle, inputRequested)).toBe(idle);
  });

  it('[CHAT-28] a repeated request replaces the open part in place and keeps its answers unless it brings some', () => {
    expect(reduce(asking, { ...inputRequested, request: { id: 'q', message: 'New' } })).toStrictEqual(
      running([open({ id: 'q', message: 'New', answers: { salt: answer } }), text]),
    );
    const bringing = { ...inputRequested, request: { id: 'q', answers: {} } };
    expect(reduce(asking, bringing)).toStrictEqual(running([open({ id: 'q', answers: {} }), text]));
  });

  it.each([
    ['with empty answers, to nothing', { id: 'q' }, {}],
    ['with empty answers, to empty ones', { id: 'q', answers: {} }, {}],
    ['without answers, to empty ones', { id: 'q', answers: {} }, undefined],
  ])('[CHAT-28] a completion %s leaves no answers', (_, request, answers) => {
    const next = reduce(running([open(request)]), { ...completed, ...(answers && { answers }) });
    expect(next.activeTurn?.responseParts).toStrictEqual([
      { kind: 'inputRequest', request: { id: 'q' }, response: 'accept' },
    ]);
  });

  it('[CHAT-28] a completion merges answers and sets the response in place, and the turn goes on', () => {
    const sugar: ChatInputAnswer = { state: 'skipped' };
    expect(reduce(asking, { ...completed, answers: { sugar } })).toStrictEqual(
      running(
        [
          {
            kind: 'inputRequest',
            request: { id: 'q', answers: { salt: answer, sugar } },
            response: 'accept',
          },
          text,
        ],
        8,
      ),
    );
  });

  it('[CHAT-28] an answered request stays as it is, and its id can be asked again', () => {
    const closed = reduce(asking, completed);
    const change = { type: 'chat/inputAnswerChanged', requestId: 'q', questionId: 'salt' } as const;
    expect(reduce(closed, { ...completed, response: 'decline' })).toBe(closed);
    expect(reduce(closed, change)).toBe(closed);
    const again = reduce(closed, inputRequested);
    expect(again.activeTurn?.responseParts.map((part) => 'response' in part)).toEqual([true, false, false]);
  });

  it('[CHAT-28] clearing the last answer removes the answers', () => {
    const clear = { type: 'chat/inputAnswerChanged', requestId: 'q', questionId: 'salt' } as const;
    expect(reduce(asking, clear)).toStrictEqual(running([open({ id: 'q' }), text]));
  });

  it('[CHAT-28] an answer to an unknown request changes nothing', () => {
    const change = { type: 'chat/inputAnswerChanged', requestId: 'z', questionId: 'salt', answer } as const;
    expect(reduce(asking, change)).toBe(asking);
    expect(reduce(asking, { ...completed, requestId: 'z' })).toBe(asking);
  });

  it('[CHAT-28] a question may have any id, also the name of an inherited member', () => {
    const set = { type: 'chat/inputAnswerChanged', requestId: 'q', questionId: '__proto__', answer } as const;
    const [part] = reduce(asking, set).activeTurn?.responseParts ?? [];
    const answers = part?.kind === 'inputRequest' ? part.request.answers : undefined;
    expect(Object.keys(answers ?? {})).toStrictEqual(['salt', '__proto__']);
    expect(Object.getPrototypeOf(answers)).toBe(Object.prototype);
  });

  it('[CHAT-29] a request that is open at the end of its turn stays without a response and counts no more', () => {
    const ended = reduce(asking, { type: 'chat/turnComplete', turnId: 't', duration: 0 });
    expect(ended.turns[0]?.responseParts).toStrictEqual([open({ id: 'q', answers: { salt: answer } }), text]);
    expect(ended.status).toBe(1);
    expect(reduce(ended, completed)).toBe(ended);
    const next = {
      type: 'chat/turnStarted',
      turnId: 'u',
      startedAt: TURN.startedAt,
      message: TURN.message,
    } as const;
    expect(reduce(ended, next).status).toBe(8);
  });

  it('[CHAT-28] the status counts the open requests of a long turn', () => {
    const texts = Array.from({ length: 100 }, () => text);
    const asked = reduce(running(texts, 8), inputRequested, { ...inputRequested, request: { id: 'p' } });
    expect(asked.status).toBe(24);
    const one = reduce(asked, completed);
    expect(one.status).toBe(24);
    expect(reduce(one, { ...completed, requestId: 'p' }).status).toBe(8);
  });
});
