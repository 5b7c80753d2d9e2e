import type { FileEdit, ToolCallState } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Screen } from './screen.ts';
import { commandOutput, editLine, shownPath, toolCallDetails, toolCallLine } from './tool-call.ts';

const base = {
  toolCallId: 't',
  toolName: 'write_file',
  displayName: 'Write file',
  invocationMessage: { markdown: 'Write `a.txt`' },
} as const;
const version = (path: string) => ({ uri: `file://${path}`, content: { uri: 'x:1' } });

describe("the output of a person's own command", () => {
  const ended = (toolName: string, preview: string, truncated = false): ToolCallState => ({
    ...base,
    toolName,
    status: 'completed',
    confirmed: 'not-needed',
    success: true,
    pastTenseMessage: 'make',
    content: [{ type: 'terminal', resource: 'r', title: 'x', result: { preview, truncated, exitCode: 0 } }],
  });

  test('[CHAT-17] is text of whole lines, without control sequences', () => {
    expect(commandOutput(ended('terminal', 'one\ntwo\u001b[2J'))).toBe('one\ntwo\n');
    expect(commandOutput(ended('terminal', 'end\n', true))).toBe('[...]\nend\n');
  });

  test("is not shown for agents' commands or without output", () => {
    expect(commandOutput(ended('shell', 'one\n'))).toBe('');
    expect(commandOutput(ended('terminal', '\n'))).toBe('');
    expect(commandOutput({ ...base, status: 'running', confirmed: 'not-needed' })).toBe('');
  });
});

test('[CHAT-35] a referenced input is shown by its beginning, size and address', () => {
  const toolInput = { uri: 'agenthost-content:/1', sizeHint: 9, 'x-beginning': '{"a":1' };
  const call: ToolCallState = { ...base, status: 'pending-confirmation', toolInput };
  expect(toolCallDetails(call)).toEqual(['(9 bytes of input at agenthost-content:/1)', '{"a":1', '[...]']);
});

describe('a tool call on one line', () => {
  const screen = new Screen(new FakeContext());
  test.each([
    [{ ...base, status: 'streaming' }, undefined],
    [{ ...base, status: 'running', confirmed: 'not-needed' }, '→ Write `a.txt`'],
    [
      {
        ...base,
        status: 'completed',
        confirmed: 'not-needed',
        success: true,
        pastTenseMessage: 'Wrote it',
        content: [{ type: 'fileEdit', after: version('/a.txt'), diff: { added: 2, removed: 1 } }],
      },
      '✓ Wrote it (+2 -1)',
    ],
    [
      {
        ...base,
        status: 'completed',
        confirmed: 'not-needed',
        success: false,
        pastTenseMessage: 'Write failed',
        error: { message: 'no\nroom' },
      },
      '✗ Write failed: no room',
    ],
    [
      {
        ...base,
        status: 'completed',
        confirmed: 'not-needed',
        success: false,
        pastTenseMessage: 'The hook x failed: no room',
        error: { message: 'no room' },
      },
      '✗ The hook x failed: no room',
    ],
    [
      { ...base, status: 'cancelled', reason: 'denied', reasonMessage: 'No!' },
      '⊘ Write `a.txt`: denied (No!)',
    ],
  ] satisfies [ToolCallState, string | undefined][])('%#', (toolCall, line) => {
    expect(toolCallLine(toolCall, screen)).toBe(line);
  });

  test('shows a name with escape sequences without them', () => {
    const evil: ToolCallState = {
      ...base,
      invocationMessage: '\u001b[2J\u001b]0;x\u0007Read\r\nmail',
      status: 'running',
      confirmed: 'not-needed',
    };
    expect(toolCallLine(evil, screen)).toBe('→ Read mail');
  });
});

describe('the input of a tool call', () => {
  test.each([
    [{ after: version('/n'), diff: { added: 3, removed: 0 } }, 'create /n  +3 -0'],
    [{ before: version('/o') }, 'delete /o'],
    [{ before: version('/s'), after: version('/s'), diff: { added: 1 } }, 'change /s  +1 -?'],
    [{ before: version('/o'), after: version('/n') }, 'move /o to /n'],
  ] satisfies [FileEdit, string][])('tells edits apart: %#', (edit, line) => {
    expect(editLine(edit)).toBe(line);
  });

  test('shows one field on each line, and cuts a long one', () => {
    const toolInput = JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, n])));
    const lines = toolCallDetails({ ...base, status: 'pending-confirmation', toolInput });
    expect(lines.slice(0, 2)).toEqual(['{', '  "k0": 0,']);
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe('... 31 more lines');
    const raw = toolCallDetails({ ...base, status: 'pending-confirmation', toolInput: 'rm -rf x' });
    expect(raw).toEqual(['rm -rf x']);
  });

  test('shows the paths of file URIs, and any other URI unchanged', () => {
    expect(shownPath('file:///a%20b')).toBe('/a b');
    expect(shownPath('file://host/share')).toBe('file://host/share');
    expect(shownPath('ahp-x:/y')).toBe('ahp-x:/y');
    expect(shownPath('file:///no%ffutf8')).toBe('file:///no%ffutf8');
    expect(shownPath('file:///a%1b%5D52;c;aGk=%07b')).toBe('/ab');
  });
});
