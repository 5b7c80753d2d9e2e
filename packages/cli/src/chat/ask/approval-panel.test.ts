import { createClient, type TurnControls } from '@agenthost/client';
import type { ToolCallPendingConfirmationState } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { FakeContext } from '../../../test/fake-context.ts';
import { Screen } from '../../render/screen.ts';
import type { Environment } from '../app/environment.ts';
import { ApprovalPanel } from './approval-panel.ts';

const pending = (invocationMessage: string): ToolCallPendingConfirmationState => ({
  status: 'pending-confirmation',
  toolCallId: 'c1',
  toolName: 'ponder',
  displayName: 'Ponder',
  invocationMessage,
  toolInput: '{}',
  editable: true,
});

const nothing = (): void => undefined;
const unanswered = () => Promise.resolve({ outcome: 'ignored' } as const);
const chat: TurnControls = {
  approve: unanswered,
  deny: unanswered,
  confirmResult: unanswered,
  respond: unanswered,
};

function panelOf(toolCall: ToolCallPendingConfirmationState, controls = chat): ApprovalPanel {
  const env: Environment = {
    client: createClient({ clientId: 'c', transport: () => new Promise(nothing) }),
    marks: new Screen(new FakeContext()).marks,
    home: '/home/u',
    folder: undefined,
    agents: () => [],
    now: () => 0,
    later: () => nothing,
    changed: nothing,
    notice: nothing,
    copy: nothing,
    showTerminal: nothing,
  };
  return new ApprovalPanel(env, controls, toolCall);
}

test('[CHAT-7] text for one question of a call is not sent as the answer to the next question', () => {
  const panel = panelOf(pending('Ponder'));
  panel.run('edit');
  panel.update({ ...pending('Ponder'), _meta: { seen: true } });
  expect(panel.context).toBe('editInput');
  panel.update(pending('Ponder some more'));
  expect(panel.context).toBe('approval');
});

test.each([
  ['claude’s order', ['always', 'once', 'reject'], 'allowed once'],
  ['the order of others', ['reject', 'once', 'always'], 'allowed once'],
  ['without one that holds once', ['always', 'reject'], 'denied reject'],
])('Enter never chooses a permanent approval, whatever the order of the options: %s', (_, ids, expected) => {
  const labels = { always: 'Always Allow all Write', once: 'Allow', reject: 'Reject' };
  const given: string[] = [];
  const controls: TurnControls = {
    ...chat,
    approve: (__, { optionId } = {}) => {
      given.push(`allowed ${optionId}`);
      return unanswered();
    },
    deny: (__, { optionId } = {}) => {
      given.push(`denied ${optionId}`);
      return unanswered();
    },
  };
  const options = (['always', 'once', 'reject'] as const)
    .filter((id) => ids.includes(id))
    .toSorted((one, other) => ids.indexOf(one) - ids.indexOf(other))
    .map((id) => ({
      id,
      label: labels[id],
      kind: id === 'reject' ? ('deny' as const) : ('approve' as const),
    }));
  const panel = panelOf({ ...pending('Write hello.txt'), options }, controls);
  panel.run('answer');
  expect(given).toEqual([expected]);
});
