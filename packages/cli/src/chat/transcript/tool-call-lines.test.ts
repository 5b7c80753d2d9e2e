import type { ToolCallState } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { lastLines } from './terminal-tails.ts';
import { toolCallLines } from './tool-call-lines.ts';

const marks = { done: '✓', failed: '✗', refused: '⊘', running: '→', asks: '?', dot: '·' };
const base = { toolCallId: 'c', toolName: 'run', displayName: 'Run', invocationMessage: 'Run `make`' };
const shown = (toolCall: ToolCallState, { isExpanded = false, tail = [] as string[] } = {}): string =>
  toolCallLines(toolCall, { width: 40, marks, isExpanded, terminalTail: () => tail })
    .map((spans) => spans.map(({ text }) => text).join(''))
    .join('\n');

test.each<[string, ToolCallState, string]>([
  ['one that waits', { ...base, status: 'pending-confirmation' }, '? Run make  waits for approval'],
  ['one that runs', { ...base, status: 'running', confirmed: 'user-action' }, '→ Run make'],
  [
    'one that is done',
    { ...base, status: 'completed', confirmed: 'user-action', success: true, pastTenseMessage: 'Ran `make`' },
    '✓ Ran make',
  ],
  [
    'one that a setting allowed',
    { ...base, status: 'completed', confirmed: 'setting', success: true, pastTenseMessage: 'Ran' },
    '✓ Ran  allowed by a setting',
  ],
  [
    'one that failed',
    {
      ...base,
      status: 'completed',
      confirmed: 'not-needed',
      success: false,
      pastTenseMessage: 'Ran',
      error: { message: 'no make' },
    },
    '✗ Ran: no make',
  ],
  [
    'one that was denied',
    { ...base, status: 'cancelled', reason: 'denied', reasonMessage: 'not now' },
    '⊘ Run make  denied (not now)',
  ],
])('shows the state of a call: %s', (_what, toolCall, line) => {
  expect(shown(toolCall)).toBe(line);
});

test('shows the end of the terminal of a running call, and the output of an ended command', () => {
  const content = [{ type: 'terminal', resource: 'ahp-terminal:/t', title: 'make' }] as const;
  expect(
    shown(
      { ...base, status: 'running', confirmed: 'not-needed', content: [...content] },
      { tail: ['one', 'two'] },
    ),
  ).toBe('→ Run make\n  │ one\n  │ two');
  const preview = Array.from({ length: 7 }, (_, row) => `line ${row}`).join('\n');
  const over: ToolCallState = {
    ...base,
    status: 'completed',
    confirmed: 'not-needed',
    success: true,
    pastTenseMessage: 'Ran',
    content: [{ type: 'terminal', resource: 'r', title: 'x', result: { exitCode: 2, preview } }],
  };
  expect(shown(over)).toBe(
    '✓ Ran\n  │ ... 2 more lines above\n  │ line 2\n  │ line 3\n  │ line 4\n  │ line 5\n  │ line 6',
  );
  expect(shown(over, { isExpanded: true })).toContain('line 0');
});

test('the end of an output equals that on a screen, without sequences', () => {
  expect(lastLines('a\r\n10%\r50%\r100%\r\n\u001b[31mred\u001b[0m\r\n', 3)).toEqual(['a', '100%', 'red']);
  expect(lastLines('', 3)).toEqual(['']);
});
