import { describe, expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';
import { StateNeeded } from '../reshape.ts';

const at = { turnId: 't', toolCallId: 'c' };
const call = { toolCallId: 'c', toolName: 'x', displayName: 'X', invocationMessage: 'Do', status: 'running' };
const chat = (toolInput: unknown) => ({
  turns: [],
  activeTurn: { id: 't', responseParts: [{ kind: 'toolCall', toolCall: { ...call, toolInput } }] },
});
const reference = { uri: 'ahp-content:/x' };

describe('inputs of tool calls for 0.6', () => {
  const dialect = dialectOf('0.6.0');

  it('[CHAT-36] a delta has content', () => {
    const delta = { type: 'chat/toolCallDelta', ...at, invocationMessage: 'Go' };
    expect(dialect.actionDown(delta, {})).toEqual([{ ...delta, content: '' }]);
    const full = { ...delta, content: 'x' };
    expect(dialect.actionDown(full, {})[0]).toBe(full);
  });

  it('[CHAT-35] a reference is its beginning, in states and actions, and is left out without one', () => {
    const begun = { ...reference, 'x-beginning': '{"a"' };
    expect(dialect.stateDown('chat', chat(begun), {})).toEqual(chat('{"a"'));
    const asked = { type: 'chat/toolCallReady', ...at, invocationMessage: 'Do' };
    const shown = [{ ...asked, toolInput: '{"a"' }];
    expect(dialect.actionDown({ ...asked, toolInput: begun }, { after: chat(begun) })).toEqual(shown);
    expect(dialect.actionDown(asked, { after: chat(begun) })).toEqual(shown);
    expect(dialect.stateDown('chat', chat(reference), {})).toEqual({
      turns: [],
      activeTurn: { id: 't', responseParts: [{ kind: 'toolCall', toolCall: call }] },
    });
    const ready = { type: 'chat/toolCallReady', ...at, invocationMessage: 'Do' };
    expect(dialect.actionDown({ ...ready, toolInput: reference }, { after: chat(reference) })).toEqual([
      ready,
    ]);
    expect(dialectOf('0.7.0').actionDown({ ...ready, toolInput: reference }, {})).toEqual([
      { ...ready, toolInput: reference },
    ]);
  });

  it('[CHAT-35] a repeated question has the input that 1.0 keeps', () => {
    const ready = { type: 'chat/toolCallReady', ...at, invocationMessage: 'Do', intention: 'Why' };
    expect(dialect.actionDown(ready, { after: chat('{}') })).toEqual([
      { type: 'chat/toolCallReady', ...at, invocationMessage: 'Do', toolInput: '{}' },
    ]);
    expect(dialect.actionDown(ready, { after: chat(reference) })[0]).not.toHaveProperty('toolInput');
    expect(() => dialect.actionDown(ready, {})).toThrow(StateNeeded);
  });
});
