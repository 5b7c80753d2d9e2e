import type { ToolCallState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { planItemsOf, planItemsOfMarkdown } from './plan-model.ts';

describe('a plan', () => {
  it('is read from a list of tasks', () => {
    expect(planItemsOfMarkdown('- [x] One\n- [ ] ▸ Two\n- [ ] Three\ntext')).toEqual([
      { content: 'One', state: 'done' },
      { content: 'Two', state: 'active' },
      { content: 'Three', state: 'pending' },
    ]);
  });

  it('is read from the input of a to-do tool', () => {
    const toolInput = JSON.stringify({
      todos: [{ content: 'A', status: 'in_progress' }, 7, { status: 'completed' }],
    });
    const toolCall = { status: 'running', invocationMessage: 'x', toolInput } as ToolCallState;
    expect(planItemsOf(toolCall)).toEqual([{ content: 'A', state: 'active' }]);
  });
});
