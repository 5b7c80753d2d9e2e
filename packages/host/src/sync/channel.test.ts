import { type ChatState, chatReducer, type ResponsePart, type StateAction } from '@agenthost/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Channel } from './channel.ts';
import { isTextAppend } from './text-append.ts';

const parts: ResponsePart[] = [
  { kind: 'markdown', id: 'm', content: 'one' },
  { kind: 'reasoning', id: 'r', content: 'two' },
  { kind: 'markdown', id: 'n', content: '' },
];
const start: ChatState = {
  resource: 'ahp-chat:/bakery',
  title: '',
  status: 8,
  modifiedAt: '2026-01-01T00:00:00.000Z',
  turns: [],
  activeTurn: {
    id: 't',
    startedAt: '2026-01-01T00:00:00.000Z',
    message: { text: '', origin: { kind: 'user' } },
    responseParts: parts,
  },
};

const chat = (state = start) =>
  new Channel<'chat'>({
    uri: state.resource,
    kind: 'chat',
    state,
    hostData: { turnCount: 0 },
    seq: 0,
    usedAt: 0,
  });

const delta = (partId: string, content: string, turnId = 't') =>
  ({ type: 'chat/delta', turnId, partId, content }) as const;

describe('text appended to a channel', () => {
  const append = fc.record({
    type: fc.constantFrom('chat/delta' as const, 'chat/reasoning' as const),
    turnId: fc.constantFrom('t', 't', 't', 'another'),
    partId: fc.constantFrom('m', 'r', 'n', 'none'),
    content: fc.string({ maxLength: 3 }),
  });
  const other = fc.record({
    type: fc.constant('chat/responsePart' as const),
    turnId: fc.constant('t'),
    part: fc.record({
      kind: fc.constant('markdown' as const),
      id: fc.constantFrom('m', 'new'),
      content: fc.string(),
    }),
  });

  it('[CHAT-4] is in the state at every read, as if each action had been reduced at once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(append, append, other), fc.boolean())), (steps) => {
        const channel = chat();
        let expected = start;
        for (const [action, isLookedAt] of steps) {
          expected = chatReducer(expected, action);
          if (isTextAppend(action)) channel.append(action);
          else channel.state = chatReducer(channel.state, action);
          if (isLookedAt) expect(channel.state).toEqual(expected);
        }
        expect(channel.state).toEqual(expected);
      }),
    );
  });

  it('changes no state object that was returned earlier', () => {
    const channel = chat();
    channel.append(delta('m', ' more'));
    const seen = channel.state;
    const copy = structuredClone(seen);
    channel.append(delta('m', ' and more'));
    expect(channel.state).not.toBe(seen);
    expect(seen).toEqual(copy);
  });

  it('is absent from a state that replaces it', () => {
    const channel = chat();
    channel.append(delta('m', ' more'));
    channel.state = start;
    expect(channel.state).toBe(start);
  });

  it('leaves the outline unchanged, which has every part', () => {
    const channel = chat();
    channel.append(delta('m', ' more'));
    expect(channel.outline).toBe(start);
    const reduced: StateAction = delta('m', ' more');
    expect(channel.state).toEqual(chatReducer(start, reduced));
    expect(channel.outline).toBe(channel.state);
  });
});
