import { expect, test } from 'vitest';
import { type DispatchOutcome, isPredicted, PendingActions } from './pending-actions.ts';

const draft = { type: 'chat/draftChanged' } as const;

function pendingWith(
  clientSeq: number,
  channel: string,
  sentOn = 1,
): { pending: PendingActions; outcomes: DispatchOutcome[] } {
  const pending = new PendingActions();
  const outcomes: DispatchOutcome[] = [];
  pending.add({
    channel,
    clientSeq,
    action: draft,
    sentOn,
    resolve: (outcome) => outcomes.push(outcome),
  });
  return { pending, outcomes };
}

test('[REC-2] an action with only side effects is never predicted', () => {
  expect(isPredicted({ type: 'terminal/input', data: 'secret' })).toBe(false);
  expect(isPredicted({ type: 'terminal/resized', cols: 1, rows: 1 })).toBe(true);
});

test('an echo with the number of a pending action but another channel settles nothing', () => {
  const { pending, outcomes } = pendingWith(1, 'ahp-chat:/a');
  const echo = { action: draft, serverSeq: 9, origin: { clientId: 'c1', clientSeq: 1 } };
  expect(pending.settleByEcho({ ...echo, channel: 'ahp-chat:/b' }, false)).toBeUndefined();
  expect(pending.size).toBe(1);
  expect(pending.settleByEcho({ ...echo, channel: 'ahp-chat:/a' }, false)?.clientSeq).toBe(1);
  expect(outcomes).toMatchObject([{ outcome: 'accepted', envelope: { serverSeq: 9 } }]);
});

test('[REC-1] [ACT-5] an envelope of another epoch of this client id with the same number settles nothing', () => {
  const echo = { channel: 'ahp-chat:/a', serverSeq: 9, origin: { clientId: 'c1', clientSeq: 1 } };
  const other = { type: 'chat/activityChanged', activity: 'x' } as const;
  const unsent = pendingWith(1, 'ahp-chat:/a', 0).pending;
  expect(unsent.settleByEcho({ ...echo, action: draft }, true), 'it was never sent').toBeUndefined();
  const { pending, outcomes } = pendingWith(1, 'ahp-chat:/a');
  expect(pending.settleByEcho({ ...echo, action: other }, false), 'another action').toBeUndefined();
  const message = { text: 'x', origin: { kind: 'user' as const } };
  const changed = { ...draft, draft: message };
  expect(
    pending.settleByEcho({ ...echo, action: changed }, true),
    'in a replay, not quite the same',
  ).toBeUndefined();
  expect(outcomes).toEqual([]);
  expect(pending.settleByEcho({ ...echo, action: draft }, true)?.clientSeq).toBe(1);
});

test.each([
  ['notAllowed: no: really', { code: 'notAllowed', reason: 'no: really' }],
  ['just a sentence', { code: 'rejected', reason: 'just a sentence' }],
  ['Two words: before the colon', { code: 'rejected', reason: 'Two words: before the colon' }],
])('[ACT-3] the rejection reason "%s" is split into code and reason', (rejectionReason, halves) => {
  const { pending, outcomes } = pendingWith(1, 'ahp-chat:/a');
  const origin = { clientId: 'c1', clientSeq: 1 };
  pending.settleByEcho(
    { channel: 'ahp-chat:/a', action: draft, serverSeq: 9, origin, rejectionReason },
    false,
  );
  expect(outcomes).toEqual([{ outcome: 'rejected', ...halves }]);
});
