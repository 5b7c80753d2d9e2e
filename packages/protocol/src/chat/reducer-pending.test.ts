import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import type { Message } from './message.ts';
import { chatReducer } from './reducer.ts';
import type { ChatState } from './state.ts';

const OLD = '2026-02-03T04:05:06.789Z';
const message: Message = { text: 'Bake', origin: { kind: 'user' } };

function chat(fields: Partial<ChatState> = {}): ChatState {
  return { resource: 'ahp-chat:/bakery', title: 'Bakery', status: 1, modifiedAt: OLD, turns: [], ...fields };
}

function reduce(state: ChatState, ...actions: StateAction[]): ChatState {
  return actions.reduce((next, action) => chatReducer(next, action), state);
}

describe('pending messages', () => {
  const queue = ['a', 'b', 'c'].map((id) => ({ id, message }));
  const queued = chat({ queuedMessages: queue });

  it('[CHAT-11] steering replaces the one steering message', () => {
    const set = { type: 'chat/pendingMessageSet', kind: 'steering', message } as const;
    expect(reduce(chat(), { ...set, id: 's' }, { ...set, id: 'u' })).toStrictEqual(
      chat({ steeringMessage: { id: 'u', message } }),
    );
  });

  it('[CHAT-11] a removal must match kind and id', () => {
    const steered = chat({ steeringMessage: { id: 'a', message } });
    expect(reduce(steered, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'a' })).toBe(steered);
    expect(reduce(queued, { type: 'chat/pendingMessageRemoved', kind: 'steering', id: 'a' })).toBe(queued);
    expect(reduce(queued, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'z' })).toBe(queued);
  });

  it.each([
    [['c', 'a'], 'cab'],
    [['z', 'b', 'b'], 'bac'],
    [['a', 'b', 'c'], 'abc'],
    [[], 'abc'],
  ])('[CHAT-11] order %j gives %s', (order, expected) => {
    const next = reduce(queued, { type: 'chat/queuedMessagesReordered', order });
    expect(next.queuedMessages?.map((entry) => entry.id).join('')).toBe(expected);
    expect(next === queued).toBe(expected === 'abc');
  });

  it('[CHAT-11] without a queue there is nothing to order', () => {
    const state = chat();
    expect(reduce(state, { type: 'chat/queuedMessagesReordered', order: ['a'] })).toBe(state);
  });
});
