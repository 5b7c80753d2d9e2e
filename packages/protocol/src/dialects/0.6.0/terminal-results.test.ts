import { expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const live = { type: 'terminal', resource: 'r', title: 'Run' };
const result = { exitCode: 1, preview: 'no', truncated: false };
const complete = { type: 'terminalComplete', resource: 'r', ...result };
const text = { type: 'text', text: 'x' };
const at = { turnId: 't', toolCallId: 'c' };
const changed = (content: unknown) => ({ type: 'chat/toolCallContentChanged', ...at, content });
const ended = (content: unknown) => ({
  type: 'chat/toolCallComplete',
  ...at,
  result: { success: true, pastTenseMessage: '', content },
});
const dialect = dialectOf('0.6.0');

it('[CHAT-37] the result of a command stands in a block of its own below 0.7', () => {
  for (const action of [changed, ended]) {
    expect(dialect.actionDown(action([{ ...live, isPty: true, result }, text]), {})).toEqual([
      action([live, complete, text]),
    ]);
    const running = action([live, text]);
    expect(dialect.actionDown(running, {})[0]).toBe(running);
    const newer = action([{ ...live, result }]);
    expect(dialectOf('0.7.0').actionDown(newer, {})[0]).toBe(newer);
  }
});

it('[CHAT-37] [DIA-6] a result of before belongs to the block of its terminal, and is text without one', () => {
  for (const action of [changed, ended]) {
    expect(dialect.actionUp(action([live, text, { ...complete, cwd: 'd' }]), {})).toEqual(
      action([{ ...live, result }, text]),
    );
    expect(dialect.actionUp(action([complete, { type: 'terminalComplete' }, 7]), {})).toEqual(
      action([{ type: 'text', text: 'no' }, { type: 'text', text: '' }, 7]),
    );
    const running = action([live]);
    expect(dialect.actionUp(running, {})).toBe(running);
  }
});
