import type { ConfirmationOption, ToolCallPendingConfirmationState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { describe, expect, test } from 'vitest';
import { canAllowOnce, choicesFor, chosen, keysText, withinScope } from './confirmation.ts';

const always: ConfirmationOption = { id: '0:allow_always', label: 'Always Allow', kind: 'approve' };
const once: ConfirmationOption = { id: '1:allow', label: 'Allow', kind: 'approve' };
const reject: ConfirmationOption = { id: '2:reject', label: 'Reject', kind: 'deny' };

const call = (options?: ConfirmationOption[]): ToolCallPendingConfirmationState => ({
  status: 'pending-confirmation',
  toolCallId: 't',
  toolName: 'write',
  displayName: 'Write',
  invocationMessage: 'Write it',
  ...defined({ options }),
});

test('without the right to interact on the host, approvals of later calls are not offered', () => {
  const lasting = { ...always, 'x-lasting': true as const };
  const labels = (options: ConfirmationOption[], scope?: 'observe' | 'interact'): string[] =>
    choicesFor(withinScope(call(options), scope)).map(({ label }) => label);
  expect(labels([lasting, once, reject], 'observe')).toEqual(['Allow', 'Reject']);
  expect(labels([lasting, once, reject], 'interact')).toEqual(['Allow', 'Always Allow', 'Reject']);
  expect(labels([lasting, once, reject])).toEqual(['Allow', 'Always Allow', 'Reject']);
  expect(labels([lasting, reject], 'observe')).toEqual(['Reject']);
  expect(labels([lasting], 'observe')).toEqual(['no']);
  const asked = withinScope(call([lasting, reject]), 'observe');
  expect([asked.isDenyOnly, chosen('y', asked), keysText(asked)]).toEqual([true, undefined, 'd or n: no']);
});

describe('choices', () => {
  test.each([
    [
      [always, once, reject],
      ['Allow', 'Always Allow', 'Reject'],
    ],
    [
      [reject, always, once],
      ['Allow', 'Always Allow', 'Reject'],
    ],
    [
      [always, reject],
      ['Reject', 'Always Allow'],
    ],
    [[always], ['no', 'Always Allow']],
    [
      [
        {
          ...always,
          id: 'x',
          label: 'Alle Write (der Agent merkt es sich selbst)',
          'x-lasting': true as const,
        },
        once,
      ],
      ['Allow', 'Alle Write (der Agent merkt es sich selbst)', 'no'],
    ],
  ])('have an approval for one call or a denial first, in any order of the agent: %#', (options, labels) => {
    expect(choicesFor(call(options)).map(({ label }) => label)).toEqual(labels);
  });

  test('without options are yes and no', () => {
    expect(choicesFor(call())).toEqual([
      { label: 'yes', isApproval: true },
      { label: 'no', isApproval: false },
    ]);
  });

  test('always include a denial, and add no approval that the agent did not offer', () => {
    expect(choicesFor(call([once])).map(({ label }) => label)).toEqual(['Allow', 'no']);
    expect(choicesFor(call([reject])).map(({ label }) => label)).toEqual(['Reject']);
  });

  test('are chosen by number', () => {
    const options = call([always, once, reject]);
    expect(chosen('1', options)).toMatchObject({ optionId: '1:allow', isApproval: true });
    expect(chosen('2', options)).toMatchObject({ optionId: '0:allow_always', isApproval: true });
    expect(chosen(' 3 ', options)).toMatchObject({ optionId: '2:reject', isApproval: false });
    for (const text of ['0', '4', '', 'x', '1 2']) expect(chosen(text, options)).toBeUndefined();
  });

  test('y approves once, whichever option comes first', () => {
    expect(chosen('y', call([always, once, reject]))).toEqual({ label: 'yes', isApproval: true });
    expect(chosen('a', call([always, once, reject]))).toEqual({ label: 'yes', isApproval: true });
    expect(chosen('d', call([always, once, reject]))).toEqual({ label: 'no', isApproval: false });
    expect(chosen('a', call([always, reject]))).toBeUndefined();
    expect(keysText(call([always, once, reject]))).toBe('a or y: yes, once; d or n: no');
    expect(keysText(call([always, reject]))).toBe('d or n: no');
    expect(chosen('YES', call([always, reject]))).toBeUndefined();
    expect(chosen('n', call([always, reject]))).toEqual({ label: 'no', isApproval: false });
  });
});

describe('canAllowOnce', () => {
  test.each([
    [undefined, true],
    [[once, reject], true],
    [[always, once], true],
    [[always, reject], false],
    [[{ id: 'x', label: 'Yes, and don’t ask again this session', kind: 'approve' }], false],
    [[{ id: 'x', label: 'Allow for this turn', kind: 'approve' }], false],
    [[{ id: 'proceed_always_server', label: 'Allow all tools of it', kind: 'approve' }], false],
    [[{ id: 'proceed_once', label: 'Allow', kind: 'approve' }], true],
    [[reject], true],
  ] satisfies [ConfirmationOption[] | undefined, boolean][])('%j: %s', (options, expected) => {
    expect(canAllowOnce(call(options))).toBe(expected);
  });
});
