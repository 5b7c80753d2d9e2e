import type { ToolCallState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { cardKindOf, isExploration } from './card-kind.ts';

const call = (fields: Partial<ToolCallState> | Record<string, unknown>): ToolCallState =>
  ({
    toolCallId: '1',
    toolName: 'tool',
    displayName: 'Tool',
    status: 'completed',
    success: true,
    confirmed: 'not-needed',
    invocationMessage: '',
    pastTenseMessage: '',
    ...fields,
  }) as ToolCallState;

describe('the kind of a card', () => {
  it.each([
    ['run_command', 'command'],
    ['Bash', 'command'],
    ['write_file', 'edit'],
    ['str_replace_based_edit_tool', 'edit'],
    ['read_file', 'read'],
    ['list_files', 'read'],
    ['Grep', 'search'],
    ['WebFetch', 'fetch'],
    ['TodoWrite', 'plan'],
    ['plan', 'plan'],
    ['ponder', 'think'],
    ['delegate', 'generic'],
  ])('of %s is %s', (toolName, kind) => {
    expect(cardKindOf(call({ toolName }))).toBe(kind);
  });

  it('follows the kind that the agent gives when the name says nothing', () => {
    expect(cardKindOf(call({ _meta: { toolKind: 'execute' } }))).toBe('command');
    expect(cardKindOf(call({ _meta: { toolKind: 'constructor' } }))).toBe('generic');
  });

  it.each([
    [{ type: 'terminal', resource: 'x', title: 't' }, 'command'],
    [{ type: 'fileEdit' }, 'edit'],
    [{ type: 'subagent', resource: 'x', title: 't' }, 'worker'],
  ])('follows the content %j', (block, kind) => {
    expect(cardKindOf(call({ content: [block] }))).toBe(kind);
  });

  it('is that of the contributor for tools of clients and servers', () => {
    const client = { kind: 'client', clientId: 'c' };
    expect(cardKindOf(call({ toolName: 'read_file', contributor: client }))).toBe('client');
    expect(cardKindOf(call({ contributor: { kind: 'mcp', customizationId: 'm' } }))).toBe('mcp');
  });

  it('counts finished reads and searches as exploration', () => {
    expect(isExploration(call({ toolName: 'read_file' }))).toBe(true);
    expect(isExploration(call({ toolName: 'read_file', success: false }))).toBe(false);
    expect(isExploration(call({ toolName: 'read_file', status: 'running' }))).toBe(false);
    expect(isExploration(call({ toolName: 'bash' }))).toBe(false);
  });
});
