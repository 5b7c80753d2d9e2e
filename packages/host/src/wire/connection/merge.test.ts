import {
  type ActionEnvelope,
  type ChatState,
  chatReducer,
  type StateAction,
  type TerminalState,
  terminalReducer,
} from '@agenthost/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppend, mergeEnvelopes } from './shared-envelopes.ts';

const envelope = (
  serverSeq: number,
  action: StateAction,
  extra: Partial<ActionEnvelope> = {},
): ActionEnvelope => ({
  channel: 'ahp-chat:/a',
  serverSeq,
  action,
  'x-time': serverSeq,
  ...extra,
});
const delta = (content: string, partId = 'm'): StateAction => ({
  type: 'chat/delta',
  turnId: 't',
  partId,
  content,
});

const chat: ChatState = {
  resource: 'ahp-chat:/a',
  title: '',
  status: 8,
  modifiedAt: '2026-01-01T00:00:00.000Z',
  turns: [],
  activeTurn: {
    id: 't',
    startedAt: '2026-01-01T00:00:00.000Z',
    message: { text: '', origin: { kind: 'user' } },
    responseParts: [
      { kind: 'markdown', id: 'm', content: '' },
      { kind: 'reasoning', id: 'r', content: '' },
      {
        kind: 'toolCall',
        toolCall: { status: 'streaming', toolCallId: 'c', toolName: 'x', displayName: 'X', partialInput: '' },
      },
    ],
  },
};

const content = fc.string({ maxLength: 3 });
const chatAppends: fc.Arbitrary<StateAction> = fc.oneof(
  fc.record({
    type: fc.constantFrom('chat/delta' as const, 'chat/reasoning' as const),
    turnId: fc.constantFrom('t', 'u'),
    partId: fc.constantFrom('m', 'r'),
    content,
  }),
  fc.record(
    {
      type: fc.constant('chat/toolCallDelta' as const),
      turnId: fc.constant('t'),
      toolCallId: fc.constantFrom('c', 'd'),
      content,
      invocationMessage: content,
    },
    { requiredKeys: ['type', 'turnId', 'toolCallId', 'content'] },
  ),
);

describe('merging two envelopes', () => {
  it('[SUB-4] gives an envelope that reduces to the same state as both', () => {
    let mergedCount = 0;
    fc.assert(
      fc.property(chatAppends, chatAppends, (first, second) => {
        const merged = mergeEnvelopes(envelope(1, first), envelope(2, second));
        if (merged === undefined) return;
        mergedCount += 1;
        const apart = chatReducer(chatReducer(chat, first), second);
        expect(chatReducer(chat, merged.action)).toStrictEqual(apart);
      }),
    );
    expect(mergedCount).toBeGreaterThan(5);
  });

  it('[SUB-4] does the same for a terminal', () => {
    const terminal: TerminalState = {
      title: '',
      content: [],
      lifecycle: { status: 'running' },
      claim: { kind: 'client', clientId: 'c' },
    };
    const data = (text: string): StateAction => ({ type: 'terminal/data', data: text });
    const merged = mergeEnvelopes(envelope(1, data('a')), envelope(2, data('b')));
    const apart = terminalReducer(terminalReducer(terminal, data('a')), data('b'));
    expect(terminalReducer(terminal, merged?.action ?? data(''))).toStrictEqual(apart);
  });

  it('[SUB-4] carries the number and the time of the later one', () => {
    expect(mergeEnvelopes(envelope(1, delta('a')), envelope(2, delta('b')))).toStrictEqual(
      envelope(2, delta('ab')),
    );
  });

  it.each<[string, ActionEnvelope, ActionEnvelope]>([
    ['another part', envelope(1, delta('a')), envelope(2, delta('b', 'n'))],
    ['another channel', envelope(1, delta('a')), envelope(2, delta('b'), { channel: 'ahp-chat:/b' })],
    [
      'an answer to a dispatch',
      envelope(1, delta('a')),
      envelope(2, delta('b'), { origin: { clientId: 'c', clientSeq: 1 } }),
    ],
    ['no append', envelope(1, delta('a')), envelope(2, { type: 'chat/draftChanged' })],
    ['no append first', envelope(1, { type: 'chat/draftChanged' }), envelope(2, delta('b'))],
    [
      'metadata',
      envelope(1, {
        type: 'chat/toolCallDelta',
        turnId: 't',
        toolCallId: 'c',
        content: 'a',
        _meta: { a: 1 },
      }),
      envelope(2, { type: 'chat/toolCallDelta', turnId: 't', toolCallId: 'c', content: 'b' }),
    ],
  ])('[SUB-4] is not done for %s', (_, first, second) => {
    expect(mergeEnvelopes(first, second)).toBeUndefined();
  });

  it('[SUB-4] happens for the four kinds of appends only', () => {
    expect(isAppend(delta('a'))).toBe(true);
    expect(isAppend({ type: 'terminal/data', data: 'x' })).toBe(true);
    expect(isAppend({ type: 'chat/draftChanged' })).toBe(false);
  });
});
